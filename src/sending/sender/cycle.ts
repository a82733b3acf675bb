import { agreedNonce, confirmNonceConsumed, reportedNonces } from "./account-nonce.ts";
import { cancelUnsigned } from "./cancellation.ts";
import { confirmAll } from "./confirm.ts";
import { type AccountView, type Cycle, type CycleState, halt, isBehind, readAccount } from "./context.ts";
import type { SenderDeps } from "./deps.ts";
import { canAffordNext, dispatch, worstCaseCost } from "./dispatch.ts";
import type { WalletRow } from "./lease.ts";
import type { Node } from "./nodes.ts";
import { isWithoutGap } from "./nonce-gap.ts";
import { finishReserved } from "./reserved.ts";
import { resubmit } from "./resubmit.ts";
import type { WalletSnapshot } from "./shared-store.ts";
import { isNewPeriod } from "./shared-time.ts";
import type { Wallet } from "./wallet.ts";

/**
 * Runs one wallet cycle: cancel, confirm, resubmit, dispatch. Reads everything from the database and the chain, so it may
 * die anywhere and be repeated by any worker that holds the lease.
 * @returns true where the wallet is at rest: all of its requests are final
 * @throws NodeUnreachable, LeaseLost, database errors; none of them loses work
 */
export async function runCycle(deps: SenderDeps, wallet: Wallet, state: CycleState): Promise<boolean> {
  state.cycle = null;
  const snapshot = await deps.store.readWallet(wallet);
  noticeLostNonces(state, snapshot.row);
  const atRest = isAtRest(state, snapshot);
  if (atRest && !isNewPeriod(state.observedMs, deps.now(), deps.config.observeMs)) return true;
  if (snapshot.hasAccepted) await cancelUnsigned(deps, wallet);
  const { cycle, mined } = await openCycle(deps, wallet, state, snapshot);
  await recordAccount(cycle);
  const { nextNonce } = cycle.row;
  if (nextNonce !== null && cycle.accountNonce > nextNonce && cycle.row.state !== "halted") {
    await checkForeignUse(cycle, nextNonce);
    return false;
  }
  state.aheadMs = null;
  await confirmAll(cycle, [...cycle.inFlight, ...mined]);
  if (!(await resumeIfFunded(cycle))) return false;
  if (cycle.row.nextNonce === null) await initializeNonce(cycle);
  await resubmit(cycle);
  if (!(await isPoolKnown(cycle)) || !(await isWithoutGap(cycle))) return false;
  await finishReserved(cycle, snapshot.isHalted);
  if (snapshot.hasAccepted && !snapshot.isHalted) await dispatch(cycle);
  if (cycle.row.state === "active") state.cycle = { ...cycle, isFull: false };
  return atRest;
}

/**
 * Sends what arrived since the last full cycle, in its view of the chain.
 * @returns false where no view is recent enough: then a full cycle is due
 */
export async function dispatchArrived(state: CycleState): Promise<boolean> {
  const { cycle, account } = state;
  if (!cycle || !account || !isFresh(cycle.deps, account)) return false;
  // A failure drops the view: the next cycle reads everything again.
  state.cycle = null;
  await dispatch(cycle);
  if (cycle.row.state === "active") state.cycle = cycle;
  return true;
}

function isAtRest(
  { aheadMs }: CycleState,
  { row, hasAccepted, hasUnmined, hasMined }: WalletSnapshot,
): boolean {
  const isSynchronized = aheadMs === null && row.state === "active" && row.nextNonce !== null;
  return isSynchronized && !hasAccepted && !hasUnmined && !hasMined;
}

/** Reads the data that the steps of a cycle share. `mined` are the requests that are mined and not final. */
export async function openCycle(
  deps: SenderDeps,
  wallet: Wallet,
  state: CycleState,
  snapshot: WalletSnapshot,
) {
  const node = await wallet.nodes.open();
  const known = isCurrent(deps, state, node) ? state.account : null;
  const account = known ?? (await readAccount(deps, wallet, node));
  state.account = account;
  const { unmined, mined } = await deps.store.readTracked(wallet, [
    ...(snapshot.hasUnmined ? (["signed", "broadcast"] as const) : []),
    ...(snapshot.hasMined && state.quietHead !== node.head.hash ? (["mined"] as const) : []),
  ]);
  const { accountNonce, balance, delegated, fetchFees } = account;
  const view = { node, accountNonce, balance, delegated, fetchFees };
  const cycle: Cycle = { ...view, deps, wallet, state, row: snapshot.row, inFlight: unmined, isFull: true };
  return { cycle, mined };
}

/** Returns true where the account need not be read again: the wallets of a chain share a node's head. */
function isCurrent(deps: SenderDeps, { account, aheadMs, suspicions }: CycleState, node: Node): boolean {
  if (account?.node !== node || !isFresh(deps, account)) return false;
  return aheadMs === null && suspicions.size === 0;
}

const isFresh = ({ now, config }: SenderDeps, { readMs }: AccountView): boolean =>
  now() - readMs < config.viewMs;

/**
 * Returns false, and raises "unknown-pending", while a node knows transactions of the wallet that the database lacks, as after a
 * restored backup: anything signed meanwhile might repeat them. Once they are mined, the chain is beyond our nonces, and the
 * wallet is halted. One node is enough, since pools differ: the others need not have a transaction that is mined in the end.
 * Nodes are asked once by a driver that has just taken the lease, since a nonce that it assigns is stored before it is broadcast;
 * and again where the database lost such a nonce.
 */
async function isPoolKnown({ deps, wallet, state, node, row: { nextNonce } }: Cycle): Promise<boolean> {
  if (state.hasCheckedPending || nextNonce === null) return true;
  const { signer, nodes } = wallet;
  const pending = await reportedNonces(nodes, node, signer.address, "pending");
  state.hasCheckedPending = pending.every((count) => count <= nextNonce);
  if (state.hasCheckedPending) return true;
  deps.alarm("unknown-pending", {
    chainId: nodes.chainId,
    wallet: signer.address,
    nextNonce: nextNonce.toString(),
    answers: pending.map(String),
  });
  return false;
}

/** Repeats the check of the pool where the database lost nonces that this driver assigned: nodes may have their transactions. */
function noticeLostNonces(state: CycleState, { nextNonce }: WalletRow): void {
  if (nextNonce !== null && isBehind(state, nextNonce)) state.hasCheckedPending = false;
  state.knownNonce = nextNonce;
}

/** Halts a wallet whose key is in use elsewhere: every node reports a nonce above ours for the whole grace period. */
async function checkForeignUse(cycle: Cycle, next: bigint): Promise<void> {
  const { deps, state } = cycle;
  state.aheadMs ??= deps.now();
  if (deps.now() - state.aheadMs < deps.config.foreignGraceMs) return;
  if (await confirmNonceConsumed(cycle, next)) {
    await halt(cycle, `the chain is beyond nonce ${next}, our next: the key is used elsewhere`);
  }
  state.aheadMs = null;
}

/** Stores the first nonce ever: a wallet that was used before continues from its nonce on the chain. */
async function initializeNonce(cycle: Cycle): Promise<void> {
  const { deps, wallet, node } = cycle;
  const first = await agreedNonce(wallet.nodes, node, wallet.signer.address, "latest");
  await deps.store.underLease(wallet, (tx) => tx.initializeNonce(wallet, first));
  cycle.row = { ...cycle.row, nextNonce: first };
}

async function recordAccount({ deps, wallet, state, balance, accountNonce }: Cycle): Promise<void> {
  const nowMs = deps.now();
  if (!isNewPeriod(state.observedMs, nowMs, deps.config.observeMs)) return;
  if (await deps.store.recordObservation({ wallet, balance, accountNonce })) state.observedMs = nowMs;
}

/**
 * Returns true if the wallet may send. Resumes a paused wallet once it has funds for everything in flight and one more
 * call.
 */
async function resumeIfFunded(cycle: Cycle): Promise<boolean> {
  const { deps, wallet, row, inFlight, balance } = cycle;
  if (row.state === "active") return true;
  if (row.state === "halted") return false;
  if (!(await canAffordNext(cycle, balance - worstCaseCost(inFlight), await cycle.fetchFees()))) return false;
  await deps.store.setWalletState(wallet, "active", null);
  cycle.row = { ...row, state: "active", stateReason: null };
  deps.log.info({ wallet: wallet.signer.address }, "the wallet has funds again and resumes");
  await makeAllDue(cycle);
  return true;
}

/** Makes every request in flight due for broadcast: nodes may have dropped those that the wallet could not pay for. */
async function makeAllDue({ deps, wallet, inFlight }: Cycle): Promise<void> {
  const requestIds = inFlight.map(({ requestId }) => requestId);
  await deps.store.underLease(wallet, (tx) => tx.makeAllDue(requestIds));
  for (const attempt of inFlight.flatMap(({ attempts }) => attempts)) {
    Object.assign(attempt, { lastBroadcastMs: null, firstBroadcastMs: null, answer: null });
  }
}
