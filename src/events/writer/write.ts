import type pg from "pg";
import type { Hex } from "viem";
import type { Deps } from "../../context/deps.ts";
import { inSnapshot } from "../../db/transaction.ts";
import { ApiError } from "../../protocol/errors.ts";
import { blockItems } from "./ancestor-store.ts";
import { type BegunChain, type ChainState, createEventChain, lockChain } from "./chain-store.ts";
import { type Different, FIRST_CLAIM, readChanged, readDifferent, readNextClaims } from "./changes-store.ts";
import type { Fill as OrderFill } from "./fills.ts";
import { append, move } from "./log-store.ts";
import type { Compared, Find, Found, Source } from "./source.ts";
import { CLAIMS, compareClaims, type Fill } from "./sources/claims.ts";
import { CORPORATE_ACTIONS } from "./sources/corporate-actions.ts";
import { DELEGATIONS } from "./sources/delegations.ts";
import { SENDS } from "./sources/sends.ts";
import { createTokenNames, type Symbols, type TokenNames } from "./symbols.ts";

/** Sources that the log reports beside orders and operations, in the order of a step's events (CONTRIBUTING.md#a-source-of-events). */
const SOURCES: readonly Source[] = [SENDS, DELEGATIONS, CORPORATE_ACTIONS];

type WriteDeps = Pick<Deps, "pool" | "log" | "deployments" | "chains">;

export interface WriterOptions {
  /** Interval between comparisons of everything that is not final, milliseconds: a reorg may have left no other trace. */
  verifyMs?: number;
  /** Timeout of a run for the names of new tokens, milliseconds. */
  tokenWaitMs?: number;
  /** Sources whose types of events the version before cannot read: behind the others. */
  moreSources?: readonly Source[];
  /** Called with the number of events that one transaction appended, and the fills that they report. */
  onAppended?: (chainId: number, events: number, fills: readonly OrderFill[]) => void;
}

/** Limits of one transaction: it takes a fraction of a second, so that no other writer waits for long. */
const BATCH_MAX = 300;
/** Claims that one transaction compares with their rows in the background. */
const FILL_MAX = 100;
const VERIFY_MS = 2_000;
const TOKEN_WAIT_MS = 500;

/** State that one process keeps of a chain between runs; losing it costs only work. */
interface Pass {
  verifiedAtMs: number;
  /** Block that was final when everything behind it was last compared again. */
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
  sources: readonly Source[];
  pass: Pass;
  names: TokenNames;
}

const newPass = (): Pass => ({
  verifiedAtMs: Number.NEGATIVE_INFINITY,
  verified: 0n,
  after: "",
  safe: null,
  reorgAfter: "",
});

/** The changes to compare in one transaction. */
interface Work {
  foundOf: (find: Find) => Found;
  /** Rows of app.event_due that are done with. */
  due: readonly string[];
  /** Tokens that what is due waits for. */
  unnamed: readonly Hex[];
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
  const { tokenWaitMs: waitMs = TOKEN_WAIT_MS, moreSources = [] } = options;
  const logs = new Map<number, Log>();
  const run = async (chainId: number): Promise<{ complete: boolean }> => {
    const log = logs.get(chainId) ?? {
      chainId,
      sources: [...SOURCES, ...moreSources],
      pass: newPass(),
      names: createTokenNames(deps, deps.chains.get(chainId), { waitMs }),
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

/** The result of one transaction. */
interface Done {
  /** The chain's position, where its event log has not begun. */
  begin?: ChainState;
  pass: Pass;
  /** Number of appended events. */
  appended: number;
  fills: readonly OrderFill[];
  /** Tokens whose names are missing. */
  unnamed: readonly Hex[];
  /** False where more is left. */
  complete: boolean;
  /** True where the last rows were filled. */
  isFilled?: boolean;
}

/** Finds, compares and writes what changed, in one transaction whose statements read one state of index and claims. */
async function step(client: pg.PoolClient, deps: WriteDeps, log: Log, verifyMs: number): Promise<Done> {
  const { chainId } = log;
  const nothing = { pass: log.pass, appended: 0, fills: [], unnamed: [], complete: true };
  const state = await lockChain(client, chainId);
  if (!state) return nothing;
  if (!state.log) return { ...nothing, begin: state };
  const { buildId, latest } = state;
  const isReplaced = state.log.buildId !== buildId;
  // Another build that is behind has taken nothing back: it has not got there yet.
  if (isReplaced && state.log.buildId !== null && latest < state.log.block) return nothing;
  const begun: BegunChain = {
    ...state,
    log: isReplaced ? { ...state.log, filledTo: FIRST_CLAIM } : state.log,
  };
  const pass = isReplaced ? newPass() : { ...log.pass };
  // Those of one moment: what is due and waits for a name that comes meanwhile waits until the next step.
  const symbols = new Map(log.names.known);
  const { sources } = log;
  const work = await findWork(client, deps, { chainId, sources, pass, symbols }, { ...begun, verifyMs });
  const fill = work.complete ? await readFill(client, chainId, begun.log) : null;
  const { unnamed } = work;
  if (!work.isAny && !fill) {
    const { verified } = pass;
    if (work.hasMoved) await move(client, { chainId, block: work.block, verified, buildId });
    return { ...nothing, pass, unnamed, complete: work.complete };
  }
  const reported = await report(client, {
    chainId,
    sources,
    symbols,
    state: begun,
    work,
    fill,
    verified: pass.verified,
  });
  const missing = [...new Set([...unnamed, ...reported.unnamed])];
  const complete = work.complete && reported.complete && (fill === null || fill.isLast || reported.isStuck);
  return { ...reported, pass, unnamed: missing, complete };
}

/** Returns null where all claims of the chain were compared with their rows. */
async function readFill(
  client: pg.PoolClient,
  chainId: number,
  { filledTo }: BegunChain["log"],
): Promise<Fill | null> {
  if (filledTo === null) return null;
  const claimIds = await readNextClaims(client, { chainId, after: filledTo, max: FILL_MAX });
  return { claimIds, isLast: claimIds.length < FILL_MAX };
}

const NONE: Different = { hashes: [], ids: {} };

async function findWork(
  client: pg.PoolClient,
  { deployments }: WriteDeps,
  { chainId, sources, pass, symbols }: Pick<Log, "chainId" | "sources" | "pass"> & { symbols: Symbols },
  state: BegunChain & { verifyMs: number },
): Promise<Work> {
  const finds: readonly Find[] = [CLAIMS, ...sources];
  const { log, latest, verifyMs } = state;
  const products = deployments.chains.find((chain) => chain.chainId === chainId)?.products ?? [];
  const changed = await readChanged(client, finds, {
    chainId,
    products: products.map(({ productType }) => productType),
    projected: log.block,
    verified: log.verified,
    latest,
    named: [...symbols.keys()],
    max: BATCH_MAX,
  });
  const isReorg = changed.common < log.block;
  const part = { chainId, from: changed.common, after: pass.reorgAfter, max: BATCH_MAX };
  const reorged = isReorg ? await readDifferent(client, finds, part) : NONE;
  // The next step finds the rest, and none names a block before that. What waits for a token's name still differs, and is passed over.
  const isWhole = reorged.hashes.length < BATCH_MAX;
  pass.reorgAfter = isWhole ? "" : (reorged.hashes.at(-1) ?? "");
  const isDue = performance.now() - pass.verifiedAtMs >= verifyMs;
  pass.verified = log.verified;
  const verified = isDue ? await verify(client, { chainId, finds }, state, pass) : NONE;
  const different = [...reorged.hashes, ...verified.hashes];
  const found = new Map(
    finds.map((find) => {
      const { name } = find;
      const hashes = find.changed ? [...(changed.hashes[name] ?? []), ...different] : [];
      const ids = [changed.ids, reorged.ids, verified.ids].flatMap((of) => of[name] ?? []);
      return [find, { hashes: unique(hashes), ids: unique(ids) }];
    }),
  );
  const block = isWhole ? changed.to : log.block;
  const isFound = [...found.values()].some(({ hashes, ids }) => hashes.length > 0 || ids.length > 0);
  return {
    foundOf: (find) => found.get(find) ?? { hashes: [], ids: [] },
    due: changed.due,
    unnamed: changed.unnamed,
    block,
    isWhole,
    complete: isWhole && changed.complete && pass.safe === null,
    isAny: isFound || changed.due.length > 0 || isReorg,
    hasMoved: block !== log.block || pass.verified > log.verified,
  };
}

const unique = (ids: readonly string[]): string[] => [...new Set(ids)];

/** Compares the next part of what is not final. @returns transactions that the log last reported otherwise */
async function verify(
  client: pg.PoolClient,
  { chainId, finds }: { chainId: number; finds: readonly Find[] },
  { safe }: BegunChain,
  pass: Pass,
): Promise<Different> {
  pass.safe ??= safe;
  const { verified, after } = pass;
  const different = await readDifferent(client, finds, { chainId, from: verified, after, max: BATCH_MAX });
  if (different.hashes.length === BATCH_MAX) {
    pass.after = different.hashes.at(-1) ?? "";
    return different;
  }
  Object.assign(pass, {
    after: "",
    safe: null,
    verifiedAtMs: performance.now(),
    verified: pass.safe > verified ? pass.safe : verified,
  });
  return different;
}

interface Step {
  chainId: number;
  sources: readonly Source[];
  symbols: Symbols;
  state: BegunChain;
  work: Work;
  fill: Fill | null;
  verified: bigint;
}

interface Reported extends Pick<Done, "appended" | "fills" | "unnamed" | "complete" | "isFilled"> {
  /** True where the rows to fill next wait for the names of tokens. */
  isStuck: boolean;
}

/** Compares what was found with what the log last reported, and writes what differs. */
async function report(client: pg.PoolClient, step: Step): Promise<Reported> {
  const { chainId, sources, symbols, state, work, fill, verified } = step;
  const { due, block } = work;
  const of = (find: Find) => ({ chainId, state, found: work.foundOf(find), verified });
  const claims = await compareClaims(client, { ...of(CLAIMS), due, fill, symbols });
  const compared: Compared[] = [claims];
  for (const source of sources) compared.push(await source.compare(client, of(source), claims));
  const filled = filledOf(state.log, claims.isStuck ? null : fill);
  const { rows, fills, unnamed, isStuck } = claims;
  const blocks = work.isWhole ? blockItems(chainId, { to: block, verified }) : [];
  const written = { ...filled, chainId, compared, rows, blocks, due, block, verified };
  const appended = await append(client, { ...written, buildId: state.buildId });
  const complete = compared.every((one) => one.complete ?? true);
  return { appended, fills, unnamed, complete, isStuck, isFilled: filled.filled && !state.log.filled };
}

/** Returns how far the rows of a chain are filled, after the claims of `fill`. */
function filledOf({ filled, filledTo }: BegunChain["log"], fill: Fill | null) {
  if (fill === null) return { filled, filledTo };
  return fill.isLast ? { filled: true, filledTo: null } : { filled, filledTo: fill.claimIds.at(-1) ?? null };
}
