import type pg from "pg";
import type { Deps } from "../context/deps.ts";
import { inTransaction } from "../db/transaction.ts";
import { ApiError } from "../protocol/errors.ts";
import {
  advance,
  createProgress,
  enterClaims,
  type IndexState,
  lockProgress,
  lockUnsent,
  lockUnsettled,
  mergeCounts,
  nextBlock,
  type Progress,
  readIndexState,
  restartFilling,
  settle,
} from "./store.ts";

type SettleDeps = Pick<Deps, "pool" | "log">;

/** A chain whose archive is written. */
export interface SettledChain {
  chainId: number;
  /** Blocks behind the indexed one that are not settled, whatever the indexer holds for final. */
  confirmations: number;
}

/** Limits of one transaction: it takes a fraction of a second, so claims to the same transactions hardly wait. */
const BATCH = { claimsMax: 1_000, hashesMax: 500, changesMax: 1_000 };
/** Transactions of one run, so that a worker with much before it can still be stopped. */
const STEPS_MAX = 20;

/** State of a run; it reads unsettled claims to transactions behind `after`. */
interface Pass {
  after: string;
  settled: number;
  isFilling: boolean;
}

/** Creates the consumer of indexed blocks that settles lists. */
export function createSettlement(deps: SettleDeps & Pick<Deps, "deployments">) {
  const passes = new Map<number, string>();
  return async (chainId: number): Promise<{ complete: boolean }> => {
    const chain = deps.deployments.chains.find((one) => one.chainId === chainId);
    if (!chain) return { complete: true };
    const { complete, after } = await settleChain(deps, chain, passes.get(chainId));
    passes.set(chainId, complete ? "" : after);
    return { complete };
  };
}

/** Result of a run. */
export interface Settled {
  /** False where more is left than one run does. */
  complete: boolean;
  claims: number;
  /** The transaction behind which the next run goes on. */
  after: string;
}

/**
 * Moves what has become final on a chain into the archive (docs/lists.md). Each step is one transaction that leaves the
 * archive right, so the process may die at any point; steps of several workers exclude each other by a lock of the chain's row.
 */
export async function settleChain(deps: SettleDeps, chain: SettledChain, after = ""): Promise<Settled> {
  const pass: Pass = { after, settled: 0, isFilling: false };
  let complete = false;
  try {
    for (let steps = 0; steps < STEPS_MAX && !complete; steps++) {
      complete = !(await inTransaction(deps.pool, (client) => step(deps, client, chain, pass)));
    }
  } catch (error) {
    if (!(error instanceof ApiError && error.errCode === "INDEXER_BEHIND")) throw error;
    complete = true;
  }
  if (pass.isFilling)
    deps.log.info({ chainId: chain.chainId, claims: pass.settled }, "archive is being filled");
  return { complete, claims: pass.settled, after: pass.after };
}

/** @returns false where nothing is left to do */
async function step(
  deps: SettleDeps,
  client: pg.PoolClient,
  { chainId, confirmations }: SettledChain,
  pass: Pass,
): Promise<boolean> {
  // Locked before the index is read: an index that is older than the archive would look like one that was replaced.
  const progress = await lockProgress(client, chainId);
  const index = await readFinal(client, chainId, confirmations);
  if (!index) return false;
  if (!progress) return createProgress(client, chainId, index);
  if (progress.buildId !== index.buildId || progress.block > index.latest) {
    deps.log.info({ chainId, reason: "index replaced" }, "archive is filled anew");
    await restartFilling(client, chainId, index);
    return true;
  }
  if (index.safe > progress.block) return advanceTo(client, chainId, progress, index);
  const locked = await lockNext(client, chainId, progress, pass);
  if (locked.length > 0) {
    pass.settled += await settle(client, { ...progress, claimIds: locked });
    await mergeCounts(client, chainId);
    return true;
  }
  if (progress.complete) return false;
  return fill(deps, client, chainId, progress, pass);
}

/** Returns the state of the index, `safe` being final by the chain's confirmations too. */
async function readFinal(
  client: pg.PoolClient,
  chainId: number,
  confirmations: number,
): Promise<IndexState | null> {
  const index = await readIndexState(client, chainId);
  if (!index) return null;
  const confirmed = index.latest - BigInt(confirmations);
  return { ...index, safe: confirmed < index.safe ? confirmed : index.safe };
}

async function advanceTo(
  client: pg.PoolClient,
  chainId: number,
  { block }: Progress,
  { safe }: IndexState,
): Promise<boolean> {
  const to = await nextBlock(client, { chainId, block, safe, changesMax: BATCH.changesMax });
  await advance(client, { chainId, block, to, safe });
  return true;
}

/** Locks what the pass looks at next; nothing once it is through. */
async function lockNext(
  client: pg.PoolClient,
  chainId: number,
  { block }: Progress,
  pass: Pass,
): Promise<string[]> {
  const { claimIds, last } = await lockUnsettled(client, { chainId, block, after: pass.after, ...BATCH });
  if (last !== null) pass.after = last;
  return claimIds.length > 0 ? claimIds : lockUnsent(client, { chainId, ...BATCH });
}

async function fill(
  { log }: SettleDeps,
  client: pg.PoolClient,
  chainId: number,
  { filledTo }: Progress,
  pass: Pass,
): Promise<boolean> {
  const last = await enterClaims(client, { chainId, filledTo, ...BATCH });
  pass.after = "";
  pass.isFilling = last !== null;
  if (last === null) log.info({ chainId }, "archive is complete");
  return last !== null;
}
