import type { Hex } from "viem";
import { z } from "zod";
import { resolveScope } from "../../chain/clients.ts";
import { findProduct, sendingOf } from "../../config/deployments.ts";
import type { Deps } from "../../context/deps.ts";
import type { Job } from "../../context/jobs.ts";
import { oneClickRouterAbi } from "../../contracts/abi/index.ts";
import { ApiError } from "../../protocol/errors.ts";
import { notifyWork } from "../outbox/submit-store.ts";
import {
  type FormerUser,
  type Progress,
  type Retirement,
  readBacklog,
  readLastEnabled,
  readUsers,
  storeProgress,
  takeDue,
} from "./store.ts";
import { undelegateUser } from "./undelegate.ts";

/** Users whose delegations are read from the chain in one request. */
const PAGE = 100;
/** Pages of one run: it ends well before another worker may take over. */
const PAGES = 20;
const RUN_SECONDS = 60;
/**
 * Undelegations that wait at a wallet at the same time, at most as many as it may have in flight. A user's own disable waits
 * behind no more than these, and none waits as long as the alert of old requests allows.
 */
const WAITING_MAX = 64;
/** Pause of a run where the wallet's queue was full, or no node answered. */
const PAUSE_SECONDS = 2;
const RPC_PAUSE_SECONDS = 10;
/** Pause between passes that find delegations: each one doubles it. */
const PASS_SECONDS = 5;
const PASS_SECONDS_MAX = 600;

/** Returns a job for each chain, so that none waits for another chain's node. */
export const retirementJobs = (deps: Deps): Job[] =>
  deps.deployments.chains.map(({ chainId }) => ({
    name: `retired wallets on chain ${chainId}`,
    everyMs: 2_000,
    run: () => continueRetirements(deps, chainId),
  }));

/**
 * Continues the retirement of a chain's wallets: queues `undelegateFor` for each user who is delegated to one, by the wallet itself. A pass
 * reads all users who ever enabled it; passes repeat until one finds none, at a block that is final by the next one, and no
 * request of the wallet is under way. Any number of workers may run it, and die anywhere.
 */
export async function continueRetirements(deps: Deps, chainId: number): Promise<void> {
  for (;;) {
    const retirement = await takeDue(deps.pool, chainId, RUN_SECONDS);
    if (!retirement) return;
    try {
      await run(deps, retirement);
    } catch (err) {
      // Every other error fails the job, and with it the worker's readiness; a chain without nodes has alarms of its own.
      if (!(err instanceof ApiError) || err.errCode !== "RPC_UNAVAILABLE") throw err;
      const { wallet } = retirement;
      deps.log.warn(
        { err, chainId, wallet },
        "no node answers: users of a retired wallet are not undelegated",
      );
      await storeProgress(deps.pool, retirement, { ...retirement, inSeconds: RPC_PAUSE_SECONDS });
    }
  }
}

async function run(deps: Deps, retirement: Retirement): Promise<void> {
  const { pool } = deps;
  const waitingMax = Math.min(WAITING_MAX, sendingOf(chainOf(deps, retirement)).inFlightMax);
  const backlog = await readBacklog(pool, retirement, waitingMax);
  const isNewPass = retirement.afterUser === "";
  // The next pass reads the results of the one before from the chain, so it waits until they are final.
  if (isNewPass && retirement.pass > 1 && backlog.hasOpen) {
    await storeProgress(pool, retirement, { ...retirement, inSeconds: PAUSE_SECONDS });
    return;
  }
  let room = waitingMax - backlog.waiting;
  let progress: Progress = { ...retirement, inSeconds: PAUSE_SECONDS };
  for (let page = 0; page < PAGES && room > 0; page += 1) {
    const users = await readUsers(pool, retirement, progress, PAGE);
    if (users.length === 0) {
      progress = await endPass(deps, retirement, progress);
      break;
    }
    const walked = await walk(deps, retirement, users, room);
    room -= walked.queued;
    progress = added(progress, walked);
    if (!(await storeProgress(pool, retirement, { ...progress, inSeconds: RUN_SECONDS }))) return;
  }
  await storeProgress(pool, retirement, progress);
}

interface Walked {
  last: FormerUser | null;
  checked: number;
  delegated: number;
  queued: number;
  /** Null where no product of these users can be read. */
  block: bigint | null;
}

/**
 * Queues due undelegations of a page of users, as far as there is room. Users of a product that the deployments file no longer
 * has may still be delegated: they keep the retirement from being finished, but no other user from being undelegated.
 */
async function walk(
  deps: Deps,
  retirement: Retirement,
  users: readonly FormerUser[],
  room: number,
): Promise<Walked> {
  const { chainId, wallet } = retirement;
  const known = users.filter((user) => findProduct(deps.deployments, chainId, user.productType));
  warnOfUnknown(deps, retirement, users);
  const { delegatees, block } = await readDelegatees(deps, known);
  const walked: Walked = { last: null, checked: 0, delegated: 0, queued: 0, block };
  for (const user of users) {
    if (walked.queued >= room) break;
    const delegatee = delegatees.get(user);
    const isDelegated = delegatee === wallet;
    const isQueued =
      delegatee !== undefined &&
      (isDelegated || user.isOpen) &&
      (await undelegateUser(deps.pool, wallet, user, isDelegated));
    walked.last = user;
    walked.checked += 1;
    if (isQueued) walked.queued += 1;
    if (isQueued || isDelegated || delegatee === undefined) walked.delegated += 1;
  }
  if (walked.queued > 0) {
    // If this fails, the worker that drives the wallet finds them when it polls.
    await notifyWork(deps.pool, chainId, wallet).catch((err: unknown) =>
      deps.log.debug({ err, wallet }, "the worker is not notified of undelegations"),
    );
  }
  return walked;
}

function warnOfUnknown(
  { deployments, log }: Deps,
  { chainId, wallet }: Retirement,
  users: readonly FormerUser[],
): void {
  const names = [...new Set(users.map(({ productType }) => productType))];
  const productTypes = names.filter((name) => !findProduct(deployments, chainId, name));
  if (productTypes.length === 0) return;
  log.warn(
    { chainId, wallet, productTypes },
    "a retired wallet has users of products that are not in the deployments file: these are not undelegated",
  );
}

const address = z.string().transform((value) => value.toLowerCase() as Hex);

/** @throws ApiError RPC_UNAVAILABLE, also where a contract does not answer */
async function readDelegatees(
  deps: Deps,
  users: readonly FormerUser[],
): Promise<{ delegatees: Map<FormerUser, Hex>; block: bigint | null }> {
  const [first] = users;
  if (!first) return { delegatees: new Map(), block: null };
  const { chain } = resolveScope(deps, first);
  const calls = users.map((user) => ({
    address: resolveScope(deps, user).product.contracts.oneClickRouter,
    abi: oneClickRouterAbi,
    functionName: "delegateeOf",
    args: [user.user],
  }));
  const { results, blockNumber } = await chain.reads.latest(calls);
  const read = z.array(address).safeParse(results);
  if (!read.success) throw new ApiError("RPC_UNAVAILABLE", { cause: read.error });
  const delegatees = new Map<FormerUser, Hex>();
  for (const [index, user] of users.entries()) {
    const delegatee = read.data[index];
    if (delegatee !== undefined) delegatees.set(user, delegatee);
  }
  return { delegatees, block: blockNumber };
}

const added = (progress: Progress, { last, checked, delegated, block }: Walked): Progress => ({
  ...progress,
  ...(last && { afterProduct: last.productType, afterUser: last.user }),
  checked: progress.checked + checked,
  delegated: progress.delegated + delegated,
  // With several nodes, the one that is furthest behind counts.
  passBlock: lowest(progress.passBlock, block),
});

const lowest = (one: bigint | null, other: bigint | null): bigint | null =>
  one === null || (other !== null && other < one) ? other : one;

/**
 * Ends a pass. The wallet is done where two passes found no delegation, and the first one's view is final when the second one
 * begins: no reorg brings a delegation back. A pass over a node that has not reached the last enable proves nothing.
 */
async function endPass(deps: Deps, retirement: Retirement, ended: Progress): Promise<Progress> {
  const config = chainOf(deps, retirement);
  const { hasOpen } = await readBacklog(deps.pool, retirement, 1);
  const isClear = ended.delegated === 0 && !hasOpen;
  const { passBlock, clearBlock } = ended;
  const confirmations = BigInt(config.confirmations);
  const lastEnabled = (await readLastEnabled(deps.pool, retirement)) ?? 0n;
  const isFinal =
    passBlock === null ||
    (clearBlock !== null && passBlock >= clearBlock + confirmations && passBlock >= lastEnabled);
  if (isClear && isFinal) {
    const { chainId, wallet } = retirement;
    deps.log.info({ chainId, wallet }, "a retired wallet has no users left");
    return { ...ended, finished: true };
  }
  const untilFinal = Math.ceil(config.confirmations * sendingOf(config).blockSeconds);
  const untilNext = PASS_SECONDS * 2 ** Math.min(ended.pass - 1, 10);
  return {
    pass: ended.pass + 1,
    afterProduct: "",
    afterUser: "",
    checked: 0,
    delegated: 0,
    passBlock: null,
    clearBlock: isClear ? (clearBlock ?? (await readHead(deps, retirement))) : null,
    inSeconds: Math.min(isClear ? untilFinal : untilNext, PASS_SECONDS_MAX),
  };
}

/** @throws ApiError RPC_UNAVAILABLE */
async function readHead({ chains }: Deps, { chainId }: Retirement): Promise<bigint | null> {
  const answers = await chains.get(chainId)?.reads.latest([]);
  return answers?.blockNumber ?? null;
}

function chainOf({ deployments }: Deps, { chainId }: Retirement) {
  const chain = deployments.chains.find((candidate) => candidate.chainId === chainId);
  if (!chain) throw new Error(`chain ${chainId} is not in the deployments file`);
  return chain;
}
