import { getAddress, type Hex } from "viem";
import { z } from "zod";
import type { Caller } from "../auth/caller.ts";
import type { Deps } from "../context/deps.ts";
import { openCursor, sealCursor } from "../context/input/list.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import type { Prisma } from "../db/generated/client.ts";
import { formatWad } from "../protocol/decimal.ts";
import { ApiError } from "../protocol/errors.ts";
import { type Failures, readFailures, readQueues } from "../sending/outbox/queue-store.ts";
import { presentSend, sendProgressSchema } from "../sending/outbox/reply.ts";
import { beyond, nameByCreation, sliceOf, toConnection } from "./connection.ts";
import { groupBy } from "./group.ts";
import { chainsOf, parseSends, type SendListInput } from "./input.ts";

/** Requests to send, of all API keys. */

/** Columns that are read of a request: those that are shown, and those that its status follows from. Never its calldata. */
const SHOWN = {
  requestId: true,
  sequence: true,
  keyId: true,
  chainId: true,
  productType: true,
  operation: true,
  userAddress: true,
  wallet: true,
  toAddress: true,
  symbol: true,
  notional: true,
  clientOrderId: true,
  claimId: true,
  gasLimit: true,
  deadline: true,
  state: true,
  nonce: true,
  reservedMaxFee: true,
  txHash: true,
  fillReason: true,
  minedBlock: true,
  minedSuccess: true,
  minedFiller: true,
  outcome: true,
  errCode: true,
  revert: true,
  reason: true,
  acceptedAt: true,
  signedAt: true,
  broadcastAt: true,
  minedAt: true,
  finalAt: true,
} as const satisfies Prisma.SendRequestSelect;

type Row = Prisma.SendRequestGetPayload<{ select: typeof SHOWN }>;

export type PresentedSend = ReturnType<typeof present>;

/** Returns a request as dashboards see it: what partners see of it, and what only the operator may see. */
function present({
  claimId: _claimId,
  sequence: _sequence,
  reservedMaxFee,
  minedSuccess,
  minedFiller,
  outcome,
  ...row
}: Row) {
  const isReserved = row.state === "signed" && reservedMaxFee !== null;
  const status = sendProgressSchema.parse({
    ...row,
    state: isReserved ? "reserved" : row.state,
    minedSuccess,
    minedFiller,
    outcome,
    acceptedAtMs: row.acceptedAt.getTime(),
  });
  return {
    ...row,
    ...presentSend(status),
    state: status.state,
    userAddress: getAddress(row.userAddress),
    wallet: getAddress(row.wallet),
    toAddress: getAddress(row.toAddress),
    notional: row.notional && formatWad(BigInt(row.notional.toFixed())),
    acceptedAt: seconds(row.acceptedAt),
    signedAt: isReserved ? null : seconds(row.signedAt),
    broadcastAt: seconds(row.broadcastAt),
    minedAt: seconds(row.minedAt),
    finalAt: seconds(row.finalAt),
  };
}

function seconds(date: Date): number;
function seconds(date: Date | null): number | null;
function seconds(date: Date | null): number | null {
  return date && Math.floor(date.getTime() / 1000);
}

const nameOf = ({ direction }: SendListInput) => nameByCreation("dashboard sends", direction);
const positionSchema = z.tuple([z.string().regex(/^\d{1,18}$/)]);

/** GraphQL `Dashboard.sendRequests`, in the order in which they were accepted. @throws ApiError VALIDATION_FAILED */
export async function listSends(deps: Deps, args: Record<string, unknown>) {
  const input = parseSends(args);
  const where = filter(input, chainsOf(deps, input));
  const rows = await withDatabaseErrors(() =>
    deps.prisma.sendRequest.findMany({
      select: SHOWN,
      where: { AND: [where, behind(input)] },
      orderBy: { sequence: input.direction },
      take: input.first + 1,
    }),
  );
  const cursorOf = ({ sequence }: Row) => sealCursor(nameOf(input), [sequence.toString()]);
  const slice = sliceOf(rows, input.first, cursorOf, present);
  return toConnection(slice, input, () => withDatabaseErrors(() => deps.prisma.sendRequest.count({ where })));
}

/** Returns the requests that made claims, by claim. */
export async function readSendsOfClaims(
  { prisma }: Deps,
  claimIds: readonly string[],
): Promise<ReadonlyMap<string | null, PresentedSend>> {
  const rows = await withDatabaseErrors(() =>
    prisma.sendRequest.findMany({ select: SHOWN, where: { claimId: { in: [...claimIds] } } }),
  );
  return new Map(rows.map((row) => [row.claimId, present(row)]));
}

/** Returns what was signed for requests, by request, oldest first; never the signed bytes. */
export async function readAttempts({ prisma }: Deps, requestIds: readonly string[]) {
  const rows = await withDatabaseErrors(() =>
    prisma.sendAttempt.findMany({
      select: {
        requestId: true,
        nonce: true,
        kind: true,
        gasLimit: true,
        maxFeePerGas: true,
        maxPriorityFee: true,
        txHash: true,
        broadcasts: true,
        taken: true,
        answer: true,
        createdAt: true,
        lastBroadcastAt: true,
      },
      where: { requestId: { in: [...requestIds] } },
      orderBy: { attemptId: "asc" },
    }),
  );
  const presented = rows.map(({ maxFeePerGas, maxPriorityFee, ...row }) => ({
    ...row,
    maxFeePerGasWei: maxFeePerGas.toFixed(),
    maxPriorityFeeWei: maxPriorityFee.toFixed(),
    createdAt: seconds(row.createdAt),
    lastBroadcastAt: seconds(row.lastBroadcastAt),
  }));
  return groupBy(presented, ({ requestId }) => requestId);
}

function filter(input: SendListInput, chainIds: number[]): Prisma.SendRequestWhereInput {
  const { keyId, productType, state, operation, userAddress, wallet, errCode, txHash, symbol } = input;
  const exact = { keyId, productType, operation, userAddress, wallet, errCode };
  return {
    chainId: { in: chainIds },
    ...Object.fromEntries(Object.entries(exact).filter(([, value]) => value !== undefined)),
    ...inState(state),
    ...(symbol === undefined ? {} : { symbol: { equals: literal(symbol), mode: "insensitive" } }),
    ...(txHash === undefined ? {} : { attempts: { some: { txHash } } }),
    acceptedAt: {
      ...(input.from === undefined ? {} : { gte: new Date(input.from * 1000) }),
      ...(input.to === undefined ? {} : { lt: new Date((input.to + 1) * 1000) }),
    },
  };
}

/** Returns the condition of a state, which a reserved request shares with signed ones as it is stored. */
function inState(state: SendListInput["state"]): Prisma.SendRequestWhereInput {
  if (state === "reserved") return { state: "signed", reservedMaxFee: { not: null } };
  if (state === "signed") return { state, reservedMaxFee: null };
  return state === undefined ? {} : { state };
}

/** Escapes a text for ILIKE, by which Prisma compares case-insensitively without escaping. */
const literal = (text: string): string => text.replace(/[\\%_]/g, "\\$&");

function behind(input: SendListInput): Prisma.SendRequestWhereInput {
  const { after, direction } = input;
  if (after === undefined) return {};
  const [sequence] = openCursor(nameOf(input), after, "after", positionSchema);
  return { sequence: beyond(direction, BigInt(sequence)) };
}

/** GraphQL `sendQueues`, for dashboards alone: an API key sees only its own requests. */
export async function readSendQueues(deps: Deps, caller: Caller | null, chainId: number) {
  if (caller) throw new ApiError("ROUTE_NOT_FOUND");
  const [queues, failed] = await Promise.all([
    readQueues(deps.pool, chainId),
    readFailures(deps.pool, chainId),
  ]);
  return queues.map(({ wallet, ...queue }) => ({
    ...queue,
    wallet: getAddress(wallet as Hex),
    failures: failuresOf(failed.filter((one) => one.wallet === wallet)),
  }));
}

const failuresOf = (failed: readonly Failures[]) =>
  Object.fromEntries(failed.map(({ errCode, count }) => [errCode, count]));
