import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { Hex } from "viem";
import { type Claim, presentMapping } from "../../claims/mapping.ts";
import type { Deps } from "../../context/deps.ts";
import { inTransaction } from "../../db/transaction.ts";
import { ApiError } from "../../protocol/errors.ts";
import {
  type ChainState,
  createEventChain,
  type Due,
  readChainState,
  readChanged,
  readDue,
} from "./changes-store.ts";
import { type Comparison, compare, type RowName } from "./compare.ts";
import { presentRows } from "./current.ts";
import { compareDelegationsNow } from "./delegations-store.ts";
import { type Different, readDifferent } from "./different-store.ts";
import { type Fill, fillsOf } from "./fills.ts";
import { append, lockLog, unsettleReported } from "./log-store.ts";
import { reportMultipliers } from "./multipliers-store.ts";
import { readAffected, readCurrent, readObjects, readRemembered } from "./rows-store.ts";
import { compareSendsNow } from "./sends-now.ts";
import { createTokenNames, type Symbols, type TokenNames } from "./symbols.ts";

type WriteDeps = Pick<Deps, "pool" | "log" | "deployments" | "chains">;

export interface WriterOptions {
  /** How often everything that is not final is compared again, milliseconds: a reorg may have left no other trace. */
  verifyMs?: number;
  /** How long a run waits for the names of tokens that it meets for the first time, milliseconds. */
  tokenWaitMs?: number;
  /** Called with how many events one transaction appended, and the fills that they report. */
  onAppended?: (chainId: number, events: number, fills: readonly Fill[]) => void;
}

/** Limits of one transaction: it takes a fraction of a second, so that no other writer waits for long. */
const BATCH_MAX = 300;
const VERIFY_MS = 2_000;
const TOKEN_WAIT_MS = 500;

/** The state that one process keeps of a chain between runs; losing it costs only work. */
interface Pass {
  verifiedAtMs: number;
  /** The block that was final when everything behind it was last compared again. */
  verified: bigint;
  /** While everything is compared again: the transaction behind which that goes on, and the block that is final. */
  after: string;
  safe: bigint | null;
}

/** A chain, as one process writes its log. */
interface Log {
  chainId: number;
  pass: Pass;
  names: TokenNames;
}

const newPass = (): Pass => ({
  ...{ verifiedAtMs: Number.NEGATIVE_INFINITY, verified: 0n, after: "", safe: null },
});

/** The changes to compare in one transaction. */
interface Work {
  hashes: readonly string[];
  /** Transactions that may have changed multipliers. */
  multipliers: readonly string[];
  due: Due;
  block: bigint;
  verified: bigint;
  complete: boolean;
  /** The last block that is final. */
  safe: bigint;
  /** False where nothing has to be compared. */
  isAny: boolean;
  /** Tokens whose names others wait for. */
  unnamed: readonly Hex[];
}

/**
 * Creates the consumer of indexed blocks that writes the log of events (docs/events.md). A run may die at any point, and two
 * may run at once: each transaction reads under a lock of the chain's log what holds now and what was reported last.
 */
export function createEventWriter(deps: WriteDeps, options: WriterOptions = {}) {
  const { tokenWaitMs: waitMs = TOKEN_WAIT_MS } = options;
  const logs = new Map<number, Log>();
  const run = async (chainId: number): Promise<{ complete: boolean }> => {
    const log = logs.get(chainId) ?? {
      ...{ chainId, pass: newPass(), names: createTokenNames(deps, deps.chains.get(chainId), { waitMs }) },
    };
    logs.set(chainId, log);
    try {
      return { complete: await writeEvents(deps, log, options) };
    } catch (error) {
      // The differences that the pass found may not have been written.
      log.pass = newPass();
      if (!(error instanceof ApiError && error.errCode === "INDEXER_BEHIND")) throw error;
      return { complete: true };
    }
  };
  // One after the other on a chain: what one run has found is not written before its transaction is committed.
  const latest = new Map<number, Promise<unknown>>();
  return (chainId: number): Promise<{ complete: boolean }> => {
    const next = (latest.get(chainId) ?? Promise.resolve()).then(() => run(chainId));
    latest.set(
      chainId,
      next.catch(() => undefined),
    );
    return next;
  };
}

/** @returns false where more is left than one transaction does */
async function writeEvents(
  deps: WriteDeps,
  log: Log,
  { verifyMs = VERIFY_MS, onAppended }: WriterOptions,
): Promise<boolean> {
  const { chainId, names } = log;
  const state = await readChainState(deps.pool, chainId);
  if (!state) return true;
  if (!state.log) {
    await createEventChain(deps.pool, chainId, state);
    return false;
  }
  const work = await findWork(deps, log, { ...state, log: state.log }, verifyMs);
  if (!work.isAny) return work.unnamed.length === 0 || !(await names.learn(work.unnamed));
  const symbols = names.known;
  const reported = await inTransaction(deps.pool, (client) => report(client, { chainId, work, symbols }));
  if (reported.appended > 0) onAppended?.(chainId, reported.appended, reported.fills);
  // Nodes are asked while no transaction is open: one that is silent would keep the log, and its lock.
  const unnamed = [...new Set([...work.unnamed, ...reported.unnamed])];
  const isNamed = unnamed.length > 0 && (await names.learn(unnamed));
  return work.complete && !isNamed;
}

const NOTHING: Different = { hashes: [], keyIds: [] };

type Begun = ChainState & { log: NonNullable<ChainState["log"]> };

async function findWork(
  { pool, deployments }: WriteDeps,
  { chainId, pass, names }: Log,
  state: Begun,
  verifyMs: number,
): Promise<Work> {
  const { log, latest } = state;
  const products = deployments.chains.find((chain) => chain.chainId === chainId)?.products ?? [];
  const from = latest < log.block ? latest : log.block;
  const range = { chainId, products: products.map(({ productType }) => productType), from, latest };
  const changed = await readChanged(pool, { ...range, max: BATCH_MAX });
  const due = await readDue(pool, { chainId, named: [...names.known.keys()], max: BATCH_MAX });
  const isDue = latest < log.block || pass.safe !== null || performance.now() - pass.verifiedAtMs >= verifyMs;
  if (pass.verified < log.verified) pass.verified = log.verified;
  const { hashes: different, keyIds } = isDue ? await verify(pool, chainId, state, pass) : NOTHING;
  due.keyIds.push(...keyIds);
  const hashes = [...new Set([...changed.hashes, ...different])];
  const block = changed.to;
  const { verified } = pass;
  const hasMoved = block > log.block + MOVED_MAX || verified > log.verified + MOVED_MAX || block < log.block;
  const multipliers = [...new Set([...changed.multipliers, ...different])];
  const isFound = hashes.length > 0 || multipliers.length > 0;
  const isAny = isFound || due.ids.length > 0 || keyIds.length > 0 || hasMoved;
  const complete = changed.complete && due.ids.length < BATCH_MAX && pass.safe === null;
  const { safe } = state;
  const { unnamed } = due;
  return { hashes, multipliers, due, block, verified, complete, isAny, safe, unnamed };
}

/** Without changes, the block that the log has reached is written once it moved by more than this. */
const MOVED_MAX = 1_000n;

/** Compares the next part of what is not final. @returns transactions that the log last reported otherwise */
async function verify(pool: pg.Pool, chainId: number, { safe }: Begun, pass: Pass): Promise<Different> {
  pass.safe ??= safe;
  const { verified, after } = pass;
  const different = await readDifferent(pool, { chainId, from: verified, after, max: BATCH_MAX });
  if (different.hashes.length === BATCH_MAX) {
    pass.after = different.hashes.at(-1) ?? "";
    return different;
  }
  Object.assign(pass, {
    ...{ after: "", safe: null, verifiedAtMs: performance.now() },
    verified: pass.safe > verified ? pass.safe : verified,
  });
  return different;
}

interface Reported {
  /** How many events were appended. */
  appended: number;
  fills: readonly Fill[];
  /** Tokens whose names are missing. */
  unnamed: readonly Hex[];
}

/**
 * Compares what lists show now with what the log last reported, and appends what differs. Calls nothing but the database: the
 * log is locked.
 */
async function report(
  client: pg.PoolClient,
  { chainId, work, symbols }: { chainId: number; work: Work; symbols: Symbols },
): Promise<Reported> {
  const final = await lockLog(client, chainId);
  const { hashes, due, block, verified } = work;
  const claims = await readAffected(client, { chainId, hashes, claimIds: due.claimIds });
  const claimIds = [...claims.keys()];
  const current = presentRows(await readCurrent(client, chainId, claimIds), symbols);
  const remembered = await readRemembered(client, claimIds);
  const mappingOf = mappingsOf(claims);
  const outcome = compare({ current, remembered, seen: due.seen, newId: randomUUID, mappingOf });
  const sends = await compareSendsNow(client, { requestIds: due.requestIds, outcome, remembered, claims });
  const delegations = await compareDelegationsNow(client, chainId, [...new Set(due.keyIds)]);
  const transactions = [...new Set([...claims.values()].flatMap(({ claim }) => claim.tx_hash ?? []))];
  const objects = await readObjects(client, chainId, transactions);
  const owned = new Set(current.map(({ objectId }) => objectId));
  const unowned = objects.filter(({ objectId }) => !owned.has(objectId));
  const at = { chainId, due: due.ids, hashes: transactions, unowned, block, verified };
  const appended = await append(client, {
    ...{ ...outcome, ...at },
    events: [...outcome.events, ...sends.events, ...delegations],
    remembered: [...outcome.remembered, ...sends.remembered],
  });
  const changed = current.flatMap((row) => ((row.blockNumber ?? 0n) > work.safe && row.txHash) || []);
  if (appended > 0 && changed.length > 0) await unsettleReported(client, chainId, [...new Set(changed)]);
  const { multipliers } = work;
  const applied =
    multipliers.length > 0
      ? await reportMultipliers(client, { chainId, hashes: multipliers, final, verified })
      : 0;
  return {
    appended: appended + applied,
    fills: fillsOf(outcome.events),
    unnamed: outcome.waiting.map(({ waitsFor }) => waitsFor),
  };
}

/** Returns a function that returns the last mapping of a row, for the event of its removal; null where its claim is gone. */
function mappingsOf(claims: Awaited<ReturnType<typeof readAffected>>): Comparison["mappingOf"] {
  return (row, objectId) => {
    const found = claims.get(row.claimId);
    if (!found) return null;
    const { claim, keyId } = found;
    const data = JSON.stringify(lastMapping(claim, row, objectId));
    return { keyId, productType: claim.product_type, txHash: claim.tx_hash, data };
  };
}

/** Returns the mapping of a row that is no longer shown. */
function lastMapping(claim: Claim, { resource, ordinal }: RowName, objectId: string | null) {
  return {
    ...presentMapping(claim, null),
    mappingId: ordinal === 0 ? claim.claim_id : `${claim.claim_id}.${ordinal}`,
    orderId: resource === "orders" ? objectId : null,
    operationId: resource === "orders" ? null : objectId,
  };
}
