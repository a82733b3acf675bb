import { agreedNonce, isNonceConsumed } from "./agree.ts";
import { halt } from "./broadcast.ts";
import { cancelUnsigned } from "./cancellation.ts";
import { type ConfirmationState, confirmAll } from "./confirm.ts";
import type { SenderDeps, Wallet } from "./deps.ts";
import { canAffordNext, dispatch, type RoundRobin, worstCaseCost } from "./dispatch.ts";
import { capFees, type Fees, suggestFees, tipWithin } from "./fees.ts";
import { readWallet, setWalletState, underLease, type WalletRow } from "./lease.ts";
import { type Node, NodeRefused, quantity } from "./nodes.ts";
import { resubmit } from "./resubmit.ts";
import { signStored } from "./sign.ts";
import { type InFlight, isIdle, readMined, readUnmined } from "./store.ts";

/** What a driver remembers between two looks. Losing it costs time, never correctness. */
export interface CycleState extends ConfirmationState, RoundRobin {
  observedMs: number;
  /** Since when the chain has been seen beyond the wallet's nonces, Unix ms. */
  aheadMs: number | null;
}

/**
 * One look after one wallet: end what is not wanted, follow what was sent, tend to what is stuck, sign and send what waits.
 * Everything is read from the database and the chain anew, so it may die anywhere and be run again by anybody.
 * @throws NodeUnreachable, LeaseLost, database errors; nothing of it is lost work
 */
export async function runCycle(deps: SenderDeps, wallet: Wallet, memory: CycleState): Promise<void> {
  if (await isIdleSince(deps, wallet, memory)) return;
  await cancelUnsigned(deps, wallet);
  const node = await wallet.nodes.open();
  const accountNonce = await transactionCount(wallet, node);
  const balance = await node.ask("eth_getBalance", [wallet.signer.address, "latest"], quantity);
  await recordObservation(deps, wallet, memory, accountNonce, balance);
  const row = await readWallet(deps.pool, wallet);
  if (row.nextNonce !== null && accountNonce > row.nextNonce && row.state !== "halted") {
    await checkForeignUse(deps, wallet, node, memory, row.nextNonce);
    return;
  }
  memory.aheadMs = null;
  const sent = await readUnmined(deps.pool, wallet);
  const mined = await readMined(deps.pool, wallet);
  const changed = await confirmAll(deps, wallet, node, [...sent, ...mined], accountNonce, memory);
  const inFlight = changed ? await readUnmined(deps.pool, wallet) : sent;
  const suggest = () => suggestion(deps, node);
  if (!(await maySend(deps, wallet, inFlight, balance, suggest))) return;
  if (row.nextNonce === null) await initializeNonce(deps, wallet, node);
  if (wallet.signer.remote) await signStored(deps, wallet, inFlight);
  await resubmit(deps, wallet, node, inFlight, accountNonce, suggest);
  await dispatch(deps, wallet, node, balance, memory, suggest);
}

/**
 * Returns true where no request of the wallet waits, is under way or is not final, and the wallet was observed within
 * `observeMs`. One statement decides it, because idle wallets are polled several times a second by every worker.
 */
async function isIdleSince(deps: SenderDeps, wallet: Wallet, memory: CycleState): Promise<boolean> {
  if (memory.aheadMs !== null || deps.now() - memory.observedMs >= deps.config.observeMs) return false;
  return isIdle(deps.pool, wallet);
}

function transactionCount(wallet: Wallet, node: Node): Promise<bigint> {
  return node.ask("eth_getTransactionCount", [wallet.signer.address, "latest"], quantity);
}

/** The nodes' suggestion; a node without this method is asked for nothing more. @throws NodeUnreachable */
async function suggestion(deps: SenderDeps, node: Node): Promise<Fees> {
  const { config } = deps;
  const suggested = await node.ask("eth_maxPriorityFeePerGas", [], quantity).catch((error: unknown) => {
    if (error instanceof NodeRefused) return config.minPriorityFee;
    throw error;
  });
  return capFees(suggestFees(node.head.baseFee, tipWithin(suggested, config)), config.maxFeePerGasCap);
}

/** Halts a wallet whose key somebody else uses: where every node, and for as long as a grace, is beyond its nonces. */
async function checkForeignUse(
  deps: SenderDeps,
  wallet: Wallet,
  node: Node,
  memory: CycleState,
  next: bigint,
): Promise<void> {
  memory.aheadMs ??= deps.now();
  if (deps.now() - memory.aheadMs < deps.config.foreignGraceMs) return;
  if (await isNonceConsumed(deps, wallet, node, next)) {
    await halt(deps, wallet, `the chain is beyond nonce ${next}, our next: the key is used elsewhere`);
  }
  memory.aheadMs = null;
}

/** The first nonce ever: a wallet that was used before begins where it stands. */
async function initializeNonce(deps: SenderDeps, wallet: Wallet, node: Node): Promise<void> {
  const accountNonce = await agreedNonce(wallet.nodes, node, wallet.signer.address, "latest");
  await underLease(deps.pool, wallet, async (tx) => {
    await tx.query(
      `UPDATE app.delegatee_wallet SET next_nonce = $3 WHERE chain_id = $1 AND address = $2 AND next_nonce IS NULL`,
      [wallet.nodes.chainId, wallet.signer.address, accountNonce.toString()],
    );
  });
}

async function recordObservation(
  deps: SenderDeps,
  wallet: Wallet,
  memory: CycleState,
  accountNonce: bigint,
  balance: bigint,
): Promise<void> {
  if (deps.now() - memory.observedMs < deps.config.observeMs) return;
  await underLease(deps.pool, wallet, async (tx) => {
    await tx.query(
      `UPDATE app.delegatee_wallet SET balance_wei = $3, chain_nonce = $4, observed_at = now()
       WHERE chain_id = $1 AND address = $2`,
      [wallet.nodes.chainId, wallet.signer.address, balance.toString(), accountNonce.toString()],
    );
  });
  memory.observedMs = deps.now();
}

/** False while the wallet is stopped. A pause ends by itself with funds for all that is in flight and more. */
async function maySend(
  deps: SenderDeps,
  wallet: Wallet,
  inFlight: readonly InFlight[],
  balance: bigint,
  suggest: () => Promise<Fees>,
): Promise<boolean> {
  const row: WalletRow = await readWallet(deps.pool, wallet);
  if (row.state === "active") return true;
  if (row.state === "halted") return false;
  if (!(await canAffordNext(deps, wallet, balance - worstCaseCost(inFlight), await suggest()))) return false;
  await setWalletState(deps.pool, wallet, "active", null);
  deps.log.info({ wallet: wallet.signer.address }, "the wallet has funds again and resumes");
  // Nodes may have thrown out what it could not pay for.
  await underLease(deps.pool, wallet, async (tx) => {
    await tx.query(
      `UPDATE app.send_attempt SET last_broadcast_at = NULL, first_broadcast_at = NULL, answer = NULL
       WHERE request_id = ANY($1::uuid[])`,
      [inFlight.map(({ requestId }) => requestId)],
    );
  });
  return true;
}
