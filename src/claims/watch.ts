import { type Chain, resolveScope } from "../chain/clients.ts";
import { withRpcErrors } from "../chain/errors.ts";
import { findTransaction } from "../chain/receipts.ts";
import type { ProductConfig } from "../config/deployments.ts";
import type { Deps } from "../context/deps.ts";
import type { Job } from "../context/jobs.ts";
import { ApiError } from "../protocol/errors.ts";
import { effectsOf } from "./effects.ts";
import { type ClaimOutcome, type DueClaim, readNextCheck, takeClaims, writeOutcome } from "./watch-store.ts";

const DROPPED_AFTER_MS = 24 * 3600 * 1000;
/** Between two checks: while claims are due, and at most. A claim that is recorded meanwhile waits as long for its first check. */
const PAUSE_MIN_MS = 1_000;
const PAUSE_MAX_MS = 5_000;

/** Returns a job for each chain, so that none waits for another chain's node. */
export const claimJobs = (deps: Deps): Job[] =>
  deps.deployments.chains.map(({ chainId }) => ({
    name: `recorded claims on chain ${chainId}`,
    everyMs: () => pauseOfWatch(deps, chainId),
    run: () => watchClaims(deps, chainId),
  }));

/**
 * Checks the transactions of a chain's recorded claims, and stores what is final: reverted (such transactions emit no
 * events, so the index cannot show it), dropped (no node has known it for 24 hours, or it did nothing of this kind), or
 * final with success. Whatever is not final is left to the next check: a reorg may change it.
 *
 * Claims of sends are followed by the sender (sender/confirm.ts), which has all their hashes.
 *
 * Safe with any number of workers: each takes claims that no other has just taken, nothing is held while a node is
 * asked, and an outcome is only written to a claim that is still pending.
 * @returns how many claims were checked
 */
export async function watchClaims(deps: Deps, chainId: number): Promise<number> {
  const claims = await takeClaims(deps, chainId);
  let head: Promise<bigint> | undefined;
  const readHead = ({ client }: Chain): Promise<bigint> => {
    head ??= withRpcErrors(() => client.getBlockNumber());
    return head;
  };
  await Promise.all(claims.map((claim) => watch(deps, claim, readHead)));
  return claims.length;
}

/** Returns the milliseconds until claims should be checked again: when the next one is due, within bounds. */
export async function pauseOfWatch(deps: Pick<Deps, "pool" | "now">, chainId: number): Promise<number> {
  const next = await readNextCheck(deps, chainId);
  const dueInMs = next === null ? PAUSE_MAX_MS : next.getTime() - deps.now();
  return Math.min(Math.max(dueInMs, PAUSE_MIN_MS), PAUSE_MAX_MS);
}

async function watch(
  deps: Deps,
  claim: DueClaim,
  readHead: (chain: Chain) => Promise<bigint>,
): Promise<void> {
  try {
    const { chain, product } = resolveScope(deps, claim);
    const context = { chain, product, head: await readHead(chain), now: deps.now() };
    await writeOutcome(deps, claim, await decideOutcome(context, claim));
  } catch (err) {
    // A node that does not answer must not make the worker unready.
    if (err instanceof ApiError && err.errCode === "DATABASE_UNAVAILABLE") throw err;
    deps.log.warn({ err, claimId: claim.claimId, chainId: claim.chainId }, "a claim could not be checked");
  }
}

interface ClaimContext {
  chain: Chain;
  product: ProductConfig;
  /** The chain's latest block, read before the transaction: what is final by it stays final. */
  head: bigint;
  /** Unix milliseconds. */
  now: number;
}

async function decideOutcome(
  { chain, product, head, now }: ClaimContext,
  claim: DueClaim,
): Promise<ClaimOutcome> {
  const status = await findTransaction(chain, claim.txHash);
  if (status.state === "waiting") return "seen";
  if (status.state === "unknown") {
    return now - claim.knownAt.getTime() >= DROPPED_AFTER_MS ? "dropped" : "none";
  }
  const isFinal = head - status.blockNumber >= BigInt(chain.config.confirmations);
  if (!isFinal) return "seen";
  // A node that lags may answer a receipt of a block that a reorg took out.
  const { hash } = await withRpcErrors(() => chain.client.getBlock({ blockNumber: status.blockNumber }));
  if (hash !== status.blockHash) return "seen";
  if (status.reverted) return "reverted";
  const effects = effectsOf(status.logs, { ...product, chainId: chain.config.chainId });
  return effects.some(({ operationType }) => operationType === claim.operationType) ? "final" : "dropped";
}
