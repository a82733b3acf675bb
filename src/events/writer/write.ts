import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { Hex } from "viem";
import { type Claim, presentMapping } from "../../claims/mapping.ts";
import type { Deps } from "../../context/deps.ts";
import { inSnapshot } from "../../db/transaction.ts";
import { ApiError } from "../../protocol/errors.ts";
import { firstDifference, writeBlocks } from "./ancestor-store.ts";
import {
  type ChainState,
  createEventChain,
  type Due,
  FIRST_CLAIM,
  lockChain,
  readChanged,
  readDue,
  readDueOf,
  readNextClaims,
} from "./changes-store.ts";
import { type Comparison, type CurrentRow, compare, nameOf, type RowName } from "./compare.ts";
import { presentRows } from "./current.ts";
import { compareDelegationsNow } from "./delegations-store.ts";
import { type Different, readDifferent } from "./different-store.ts";
import { fillsOf, type Fill as OrderFill } from "./fills.ts";
import { append, move, unsettleReported } from "./log-store.ts";
import { reportMultipliers } from "./multipliers-store.ts";
import { readAffected, readCurrent, readObjects, readRemembered, readUnreported } from "./rows-store.ts";
import { compareSendsNow } from "./sends-now.ts";
import { createTokenNames, type TokenNames } from "./symbols.ts";

type WriteDeps = Pick<Deps, "pool" | "log" | "deployments" | "chains">;

export interface WriterOptions {
  /** How often everything that is not final is compared again, milliseconds: a reorg may have left no other trace. */
  verifyMs?: number;
  /** How long a run waits for the names of tokens that it meets for the first time, milliseconds. */
  tokenWaitMs?: number;
  /** Called with how many events one transaction appended, and the fills that they report. */
  onAppended?: (chainId: number, events: number, fills: readonly OrderFill[]) => void;
}

/** Limits of one transaction: it takes a fraction of a second, so that no other writer waits for long. */
const BATCH_MAX = 300;
/** Claims that one transaction compares with their rows in the background. */
const FILL_MAX = 100;
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
  /** While a reorg is projected: the transaction behind which that goes on. */
  reorgAfter: string;
}

/** A chain, as one process writes its log. */
interface Log {
  chainId: number;
  pass: Pass;
  names: TokenNames;
}

const newPass = (): Pass => ({
  ...{ verifiedAtMs: Number.NEGATIVE_INFINITY, verified: 0n, after: "", safe: null, reorgAfter: "" },
});

/** The changes to compare in one transaction. */
interface Work {
  hashes: readonly string[];
  /** Transactions that may have changed multipliers. */
  multipliers: readonly string[];
  due: Due;
  block: bigint;
  /** False where a reorg changed more than this. */
  isWhole: boolean;
  complete: boolean;
  /** False where nothing has to be compared. */
  isAny: boolean;
  /** True where at least the block is another one than that of the last step. */
  hasMoved: boolean;
}

/**
 * Creates the consumer of indexed blocks that writes what keys see, and the log of its events (docs/projection.md, docs/events.md). A run
 * may die at any point, and two may run at once: each transaction reads under a lock of the chain's log what holds now and what was
 * reported last.
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
  const done = await inSnapshot(deps.pool, (client) => step(client, deps, log, verifyMs));
  if (done.begin) {
    await createEventChain(deps.pool, chainId, done.begin);
    return false;
  }
  log.pass = done.pass;
  if (done.appended > 0) onAppended?.(chainId, done.appended, done.fills);
  if (done.isFilled) deps.log.info({ chainId }, "the rows of keys are complete");
  // Nodes are asked while no transaction is open: one that is silent would keep the log, and its lock.
  const isNamed = done.unnamed.length > 0 && (await names.learn(done.unnamed));
  return done.complete && !isNamed;
}

/** What one transaction did. */
interface Done {
  /** Where the log of the chain has not begun: how far the chain is. */
  begin?: ChainState;
  pass: Pass;
  /** How many events were appended. */
  appended: number;
  fills: readonly OrderFill[];
  /** Tokens whose names are missing. */
  unnamed: readonly Hex[];
  /** False where more is left. */
  complete: boolean;
  /** True where the last rows were filled. */
  isFilled?: boolean;
}

type Begun = ChainState & { log: NonNullable<ChainState["log"]> };

/** Finds, compares and writes what changed, in one transaction whose statements read one state of index and claims. */
async function step(client: pg.PoolClient, deps: WriteDeps, log: Log, verifyMs: number): Promise<Done> {
  const nothing = { pass: log.pass, appended: 0, fills: [], unnamed: [], complete: true };
  const state = await lockChain(client, log.chainId);
  if (!state) return nothing;
  if (!state.log) return { ...nothing, begin: state };
  const { buildId, latest } = state;
  const isReplaced = state.log.buildId !== buildId;
  // Another build that is behind has taken nothing back: it has not got there yet.
  if (isReplaced && state.log.buildId !== null && latest < state.log.block) return nothing;
  const begun: Begun = { ...state, log: isReplaced ? { ...state.log, filledTo: FIRST_CLAIM } : state.log };
  const pass = isReplaced ? newPass() : { ...log.pass };
  const work = await findWork(client, deps, { ...log, pass }, { ...begun, verifyMs });
  const fill = work.complete ? await readFill(client, log.chainId, begun.log) : null;
  const { due } = work;
  const unnamed = due.unnamed;
  if (!work.isAny && !fill) {
    const { verified } = pass;
    if (work.hasMoved) await move(client, { chainId: log.chainId, block: work.block, verified, buildId });
    return { ...nothing, pass, unnamed, complete: work.complete };
  }
  const reported = await report(client, { log, state: begun, work, fill, verified: pass.verified });
  const missing = [...new Set([...unnamed, ...reported.unnamed])];
  const complete = work.complete && (fill === null || fill.isLast || reported.isStuck);
  return { ...reported, pass, unnamed: missing, complete };
}

/** Claims that are compared with their rows though nothing is known to have changed. */
interface Fill {
  claimIds: string[];
  isLast: boolean;
}

/** Returns null where all claims of the chain were compared with their rows. */
async function readFill(
  client: pg.PoolClient,
  chainId: number,
  { filledTo }: Begun["log"],
): Promise<Fill | null> {
  if (filledTo === null) return null;
  const claimIds = await readNextClaims(client, { chainId, after: filledTo, max: FILL_MAX });
  return { claimIds, isLast: claimIds.length < FILL_MAX };
}

const NOTHING: Different = { hashes: [], keyIds: [] };

async function findWork(
  client: pg.PoolClient,
  { deployments }: WriteDeps,
  { chainId, pass, names }: Log,
  state: Begun & { verifyMs: number },
): Promise<Work> {
  const { log, latest, verifyMs } = state;
  const from = await findAncestor(client, chainId, state);
  const isReorg = from < log.block;
  const { reorgAfter: after } = pass;
  const reorged = isReorg ? await readDifferent(client, { chainId, from, after, max: BATCH_MAX }) : NOTHING;
  // The next step finds the rest, and none names a block before that. What waits for a token's name still differs, and is passed over.
  const isWhole = reorged.hashes.length < BATCH_MAX;
  pass.reorgAfter = isWhole ? "" : (reorged.hashes.at(-1) ?? "");
  const products = deployments.chains.find((chain) => chain.chainId === chainId)?.products ?? [];
  const range = { chainId, products: products.map(({ productType }) => productType), from, latest };
  const changed = await readChanged(client, { ...range, max: BATCH_MAX });
  const due = await readDue(client, { chainId, named: [...names.known.keys()], max: BATCH_MAX });
  const isDue = pass.safe !== null || performance.now() - pass.verifiedAtMs >= verifyMs;
  if (pass.verified < log.verified) pass.verified = log.verified;
  const verified = isDue ? await verify(client, chainId, state, pass) : NOTHING;
  const keyIds = [...reorged.keyIds, ...verified.keyIds];
  due.keyIds.push(...keyIds);
  const different = [...reorged.hashes, ...verified.hashes];
  const hashes = [...new Set([...changed.hashes, ...different])];
  const block = isWhole ? changed.to : log.block;
  const multipliers = [...new Set([...changed.multipliers, ...different])];
  const isFound = hashes.length > 0 || multipliers.length > 0;
  const isAny = isFound || due.ids.length > 0 || keyIds.length > 0 || isReorg;
  const hasMoved = block !== log.block || pass.verified > log.verified;
  const complete = isWhole && changed.complete && due.ids.length < BATCH_MAX && pass.safe === null;
  return { hashes, multipliers, due, block, isWhole, complete, isAny, hasMoved };
}

/**
 * Returns the last block that the index and what was projected have in common, where the index has taken blocks back; else the last that
 * was projected.
 */
async function findAncestor(
  client: pg.PoolClient,
  chainId: number,
  { log, latest, hasBlocks }: Begun,
): Promise<bigint> {
  const range = { projected: log.block, verified: log.verified };
  const difference = hasBlocks ? await firstDifference(client, chainId, range) : null;
  const common = difference === null ? log.block : difference - 1n;
  return common < latest ? common : latest;
}

/** Compares the next part of what is not final. @returns transactions that the log last reported otherwise */
async function verify(
  client: pg.PoolClient,
  chainId: number,
  { safe }: Begun,
  pass: Pass,
): Promise<Different> {
  pass.safe ??= safe;
  const { verified, after } = pass;
  const different = await readDifferent(client, { chainId, from: verified, after, max: BATCH_MAX });
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

interface Step {
  log: Log;
  state: Begun;
  work: Work;
  fill: Fill | null;
  verified: bigint;
}

interface Reported extends Pick<Done, "appended" | "fills" | "unnamed" | "isFilled"> {
  /** True where what is to be filled next waits for the names of tokens. */
  isStuck: boolean;
}

/**
 * Compares what keys own now with what the log last reported, and writes their rows and what differs. Calls nothing but the database: the
 * log is locked.
 */
async function report(client: pg.PoolClient, { log, state, work, fill, verified }: Step): Promise<Reported> {
  const { chainId, names } = log;
  const { hashes, due, block } = work;
  const claims = await readAffected(client, { chainId, hashes, claimIds: due.claimIds });
  const filling = await addFill(client, { chainId, claims, fill, from: state.log.block });
  const claimIds = [...claims.keys()];
  const current = presentRows(await readCurrent(client, chainId, claimIds), names.known);
  const remembered = await readRemembered(client, claimIds);
  const mappingOf = mappingsOf(claims);
  const { seen } = due;
  const { isHistory } = filling;
  const reported = new Set(remembered.filter(({ eventId }) => eventId !== null).map(nameOf));
  // Of a claim of which nothing is due, a worker without rows has reported what a trigger wrote, and left the row as it was.
  const unreported = (await readUnreported(client, claimIds)).filter(
    (row) => !(filling.claimIds.has(row.claimId) && reported.has(nameOf(row))),
  );
  const compared = { current, remembered, seen, unreported, claimIds };
  const outcome = compare({ ...compared, newId: randomUUID, mappingOf, isHistory });
  const [stuck, waiting] = partition(outcome.waiting, ({ claimId }) => filling.claimIds.has(claimId));
  const filled = filledOf(state.log, stuck.length > 0 ? null : fill);
  const sends = await compareSendsNow(client, { requestIds: due.requestIds, outcome, remembered, claims });
  const delegations = await compareDelegationsNow(client, chainId, [...new Set(due.keyIds)]);
  const transactions = [...new Set([...claims.values()].flatMap(({ claim }) => claim.tx_hash ?? []))];
  const objects = await readObjects(client, chainId, transactions);
  const owned = new Set(current.map(({ objectId }) => objectId));
  const unowned = objects.filter(
    ({ objectId, blockNumber }) => !owned.has(objectId) && blockNumber > verified,
  );
  const appended = await append(client, {
    ...{
      ...outcome,
      ...filled,
      waiting,
      chainId,
      due: due.ids,
      hashes: transactions,
      unowned,
      block,
      verified,
    },
    events: [...outcome.events, ...sends.events, ...delegations],
    remembered: [...outcome.remembered, ...sends.remembered],
    buildId: state.buildId,
  });
  if (state.hasBlocks && work.isWhole) await writeBlocks(client, chainId, { to: block, verified });
  const changed = current.flatMap((row) => ((row.blockNumber ?? 0n) > state.safe && row.txHash) || []);
  if (appended > 0 && changed.length > 0) await unsettleReported(client, chainId, [...new Set(changed)]);
  const { multipliers } = work;
  const final = state.log.verified;
  const applied =
    multipliers.length > 0
      ? await reportMultipliers(client, { chainId, hashes: multipliers, final, verified })
      : 0;
  return {
    appended: appended + applied,
    fills: fillsOf(outcome.events),
    unnamed: outcome.waiting.map(({ waitsFor }) => waitsFor),
    isFilled: filled.filled && !state.log.filled,
    isStuck: stuck.length > 0,
  };
}

/** Returns how far the rows of a chain are filled, after the claims of `fill`. */
function filledOf({ filled, filledTo }: Begun["log"], fill: Fill | null) {
  if (fill === null) return { filled, filledTo };
  return fill.isLast ? { filled: true, filledTo: null } : { filled, filledTo: fill.claimIds.at(-1) ?? null };
}

interface Filling {
  /** The claims that were added, and of which nothing is due. */
  claimIds: ReadonlySet<string>;
  /** Returns true where a row of these has been as it is since before the log began: it did not change behind the log's block. */
  isHistory: Comparison["isHistory"];
}

/** Adds to claims those whose rows are filled, with all that decide the same. */
async function addFill(
  client: pg.PoolClient,
  { chainId, claims, fill, from }: { chainId: number; claims: Affected; fill: Fill | null; from: bigint },
): Promise<Filling> {
  if (!fill || fill.claimIds.length === 0) return { claimIds: new Set(), isHistory: () => false };
  const added = await readAffected(client, { chainId, hashes: [], claimIds: fill.claimIds });
  const others = [...added].filter(([claimId]) => !claims.has(claimId));
  const ids = others.map(([claimId]) => claimId);
  for (const [claimId, claim] of others) claims.set(claimId, claim);
  const due = new Set(await readDueOf(client, chainId, ids));
  const claimIds = new Set(ids.filter((claimId) => !due.has(claimId)));
  const isHistory = ({ claimId, blockNumber }: CurrentRow) =>
    claimIds.has(claimId) && (blockNumber ?? 0n) <= from;
  return { claimIds, isHistory };
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

type Affected = Awaited<ReturnType<typeof readAffected>>;

/** Returns a function that returns the last mapping of a row, for the event of its removal; null where its claim is gone. */
function mappingsOf(claims: Affected): Comparison["mappingOf"] {
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
