import { encodeAbiParameters, getAddress, keccak256 } from "viem";
import { z } from "zod";
import type { Viewer } from "../auth/viewer.ts";
import type { Deps } from "../context/deps.ts";
import { openCursor, sealCursor } from "../context/input/list.ts";
import { formatWad } from "../protocol/decimal.ts";
import { type ActivityRow, type Position, readActivities } from "./activity-store.ts";
import { presentDistribution } from "./distribution.ts";
import type { ActivityListInput } from "./input.ts";

/** Within what the database takes: any caller can seal a cursor of their own. */
export const positionSchema = z.tuple([
  z.int().min(0),
  z.int().min(0),
  z
    .int()
    .min(0)
    .max(2 ** 31 - 1),
  z.string().regex(/^(?:mUSD|0x[0-9a-f]{40})$/),
]);

/**
 * GET /users/{userId}/activities (docs/api.md#activities): every change of a user's ledger, newest first.
 * @throws ApiError VALIDATION_FAILED (cursor), INDEXER_BEHIND
 */
export async function listActivities(
  deps: Pick<Deps, "pool">,
  viewer: Viewer,
  { cursor, ...input }: ActivityListInput,
) {
  const { chainId, productType } = viewer;
  const name = { list: `activities ${input.userId}`, chainId, productType };
  const after = cursor === undefined ? null : openCursor(name, cursor, "cursor", positionSchema);
  const { data, ...read } = await readActivities(deps.pool, viewer, input, after);
  const shown = data.slice(0, input.limit);
  const last = shown.at(-1);
  return {
    ...read,
    data: {
      rows: shown.map((row) => presentActivity(chainId, row)),
      nextCursor: last && data.length > shown.length ? sealCursor(name, positionOf(last)) : null,
    },
  };
}

export const positionOf = ({ timestamp, blockNumber, logIndex, asset }: ActivityRow): Position => [
  timestamp,
  blockNumber,
  logIndex,
  asset,
];

/** Returns an activity in the API's shape. */
export function presentActivity(chainId: number, row: ActivityRow) {
  const { asset, symbol, kind, causeId } = row;
  const stockAddress = asset === "mUSD" ? null : getAddress(asset);
  const isOrder = kind.startsWith("order-");
  const owned = row.owned ? causeId : null;
  return {
    activityId: activityIdOf(chainId, row),
    asset: symbol ?? asset,
    stockAddress,
    kind,
    delta: formatWad(row.delta),
    balanceAfter: formatWad(row.balanceAfter),
    lockedDelta: formatWad(row.lockedDelta),
    distribution: distributionOf(row),
    orderId: isOrder ? owned : null,
    operationId: isOrder ? null : owned,
    txHash: row.txHash,
    blockNumber: row.blockNumber,
    timestamp: row.timestamp,
  };
}

/** Returns null for an activity of another kind. */
function distributionOf({ oldMultiplier, newMultiplier, held }: ActivityRow) {
  if (oldMultiplier === null || newMultiplier === null || held === null) return null;
  return presentDistribution({ oldMultiplier, newMultiplier, held });
}

/**
 * Returns an activity's id, by its ordinal among the user's rows of the transaction: a reorg may change log indexes, and not
 * that.
 */
function activityIdOf(chainId: number, { txHash, userAddress, ordinal }: ActivityRow) {
  const types = [{ type: "uint256" }, { type: "bytes32" }, { type: "address" }, { type: "uint256" }] as const;
  return keccak256(encodeAbiParameters(types, [BigInt(chainId), txHash, userAddress, BigInt(ordinal)]));
}
