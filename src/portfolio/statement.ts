import { getAddress } from "viem";
import { z } from "zod";
import type { Viewer } from "../auth/viewer.ts";
import type { Deps } from "../context/deps.ts";
import { MAX_SECONDS, refuse } from "../context/input/fields.ts";
import { openCursor, sealCursor } from "../context/input/list.ts";
import type { Statement } from "../context/schema-types.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import { formatWad, WAD_DECIMALS } from "../protocol/decimal.ts";
import { positionOf, positionSchema, presentActivity } from "./activities.ts";
import { beginningOf, type StatementInput } from "./input.ts";
import { csvOf } from "./statement-csv.ts";
import { readStatement, type StatementBalance, type StatementRow } from "./statement-store.ts";

const second = z.int().min(0).max(MAX_SECONDS);
/** A position in a statement, and the time that it is of. */
const cursorSchema = z.object({ position: positionSchema, from: second, to: second });

/**
 * GET /users/{userId}/statement (docs/api.md#statement): a page of a user's ledger for a time, oldest first.
 * @throws ApiError VALIDATION_FAILED (from, cursor), INDEXER_BEHIND
 */
export async function getStatement(
  deps: Pick<Deps, "pool" | "now">,
  viewer: Viewer,
  { userId, format, limit, cursor, ...input }: StatementInput,
): Promise<AtBlock<Statement>> {
  const { chainId, productType } = viewer;
  const name = { list: `statement ${userId}`, chainId, productType };
  const begun = cursor === undefined ? null : openCursor(name, cursor, "cursor", cursorSchema);
  if (begun) requireSame(begun, input);
  const asked = { ...input, ...begun };
  const from = beginningOf(asked, asked.to ?? Math.floor(deps.now() / 1000));
  const after = begun?.position ?? null;
  const { block, data } = await readStatement(
    deps.pool,
    viewer,
    { userId, from, to: asked.to, limit },
    after,
  );
  const indexed = Number(block.timestamp);
  const to = asked.to ?? indexed;
  const shown = data.rows.slice(0, limit);
  const last = shown.at(-1);
  const page = {
    userAddress: getAddress(userId),
    from,
    to: Math.min(to, indexed),
    opening: data.opening?.map(presentBalance) ?? null,
    closing: data.closing?.map(presentBalance) ?? null,
    rows: shown.map((row) => presentRow(chainId, row)),
    nextCursor:
      last && data.closing === null ? sealCursor(name, { position: positionOf(last), from, to }) : null,
  };
  return { block, data: format === "csv" ? { ...page, rows: [], csv: csvOf(page) } : { ...page, csv: null } };
}

/** Refuses a cursor of a statement for another time. */
function requireSame(
  begun: { from: number; to: number },
  { from, to }: Pick<StatementInput, "from" | "to">,
): void {
  if ((from ?? begun.from) !== begun.from || (to ?? begun.to) !== begun.to)
    throw refuse("cursor", "is of a statement for another time");
}

const presentBalance = ({ asset, symbol, available, locked }: StatementBalance) => ({
  asset: symbol ?? asset,
  stockAddress: asset === "mUSD" ? null : getAddress(asset),
  available: formatWad(available),
  locked: formatWad(locked),
});

function presentRow(chainId: number, row: StatementRow) {
  const { quantity, price, notional } = row;
  const fee = row.fillFee ?? movementFee(row);
  return {
    ...presentActivity(chainId, row),
    fill:
      quantity === null || price === null || notional === null
        ? null
        : { quantity: formatWad(quantity), price: formatWad(price), notional: formatWad(notional) },
    fee: fee === null ? null : formatWad(fee),
  };
}

/** mUSD per token 1, with the decimals of a rate. */
const RATE = 1_000_000n;

/**
 * Returns the fee of a completed cash operation, mUSD wad: what its tokens were worth at its rate, less what they became, or the other way
 * round. At least 0: the cash desk may settle a queued operation for more.
 */
function movementFee({ kind, tokenAmount, wadAmount, usdRate, decimals }: StatementRow): bigint | null {
  if (tokenAmount === null || wadAmount === null || usdRate === null || decimals === null) return null;
  const worth = (tokenAmount * 10n ** BigInt(WAD_DECIMALS - decimals) * usdRate) / RATE;
  const fee = kind === "deposit" ? worth - wadAmount : wadAmount - worth;
  return fee < 0n ? 0n : fee;
}
