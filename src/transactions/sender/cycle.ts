import { endRequest } from "../outbox/end.ts";
import type { SendRow } from "../outbox/rows.ts";
import { broadcastAll, halt, pause } from "./broadcast.ts";
import type { SenderDeps, Wallet } from "./deps.ts";
import { capFees, type Fees, highestFees, larger, suggestFees } from "./fees.ts";
import { type Followed, followAll } from "./follow.ts";
import { readWallet, setWalletState, underLease, type WalletRow } from "./lease.ts";
import { type Node, NodeRefused, quantity } from "./nodes.ts";
import { simulate } from "./replay.ts";
import { oldestAccepted, signRequest, signStored } from "./sign.ts";
import { type InFlight, readMined, readUnmined } from "./store.ts";
import { tend } from "./tend.ts";

/** What a driver remembers between two looks. Losing it costs time, never correctness. */
export interface Memory extends Followed {
  observedMs: number;
}

/** Signed before the first of them is broadcast: small, so that the first one does not wait. */
const GROUP = 8;
/** What a paused wallet without work must afford before it resumes. */
const SPARE_GAS = 500_000n;

/**
 * One look after one wallet: follow what was sent, tend to what is stuck, sign and send what waits.
 * Everything is read from the database and the chain anew, so it may die anywhere and be run again by anybody.
 * @throws NodeUnreachable, LeaseLost, database errors; nothing of it is lost work
 */
export async function lookAfter(deps: SenderDeps, wallet: Wallet, memory: Memory): Promise<void> {
  const node = await wallet.nodes.open();
  const accountNonce = await transactionCount(wallet, node);
  const balance = await node.ask("eth_getBalance", [wallet.signer.address, "latest"], quantity);
  await observe(deps, wallet, memory, accountNonce, balance);
  const row = await readWallet(deps.pool, wallet);
  if (row.nextNonce !== null && accountNonce > row.nextNonce && row.state !== "halted") {
    await halt(
      deps,
      wallet,
      `the chain is at nonce ${accountNonce}, we are at ${row.nextNonce}: the key is used elsewhere`,
    );
    return;
  }
  const sent = await readUnmined(deps.pool, wallet);
  const mined = await readMined(deps.pool, wallet);
  const changed = await followAll(deps, wallet, node, [...sent, ...mined], accountNonce, memory);
  const inFlight = changed ? await readUnmined(deps.pool, wallet) : sent;
  const suggest = () => suggestion(deps, node);
  if (!(await maySend(deps, wallet, inFlight, balance, suggest))) return;
  if (row.nextNonce === null) await initialise(deps, wallet, accountNonce);
  if (wallet.signer.remote) await signStored(deps, wallet, inFlight);
  await tend(deps, wallet, node, inFlight, accountNonce, suggest);
  await signAndSend(deps, wallet, node, balance, suggest);
}

function transactionCount(wallet: Wallet, node: Node): Promise<bigint> {
  return node.ask("eth_getTransactionCount", [wallet.signer.address, "latest"], quantity);
}

/** The nodes' suggestion; a node without this method is asked for nothing more. @throws NodeUnreachable */
async function suggestion(deps: SenderDeps, node: Node): Promise<Fees> {
  const { minPriorityFee, maxFeePerGasCap } = deps.config;
  const suggested = await node.ask("eth_maxPriorityFeePerGas", [], quantity).catch((error: unknown) => {
    if (error instanceof NodeRefused) return minPriorityFee;
    throw error;
  });
  return capFees(suggestFees(node.head.baseFee, larger(suggested, minPriorityFee)), maxFeePerGasCap);
}

/** The first nonce ever: a wallet that was used before begins where it stands. */
async function initialise(deps: SenderDeps, wallet: Wallet, accountNonce: bigint): Promise<void> {
  await underLease(deps.pool, wallet, async (tx) => {
    await tx.query(
      `UPDATE app.delegatee_wallet SET next_nonce = $3 WHERE chain_id = $1 AND address = $2 AND next_nonce IS NULL`,
      [wallet.nodes.chainId, wallet.signer.address, accountNonce.toString()],
    );
  });
}

async function observe(
  deps: SenderDeps,
  wallet: Wallet,
  memory: Memory,
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

/** False while the wallet is stopped. A pause ends by itself as soon as there are funds for all that is in flight. */
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
  const waiting = await oldestAccepted(deps, wallet);
  const { maxFeePerGas } = await suggest();
  const next = (waiting?.gasLimit ?? SPARE_GAS) * maxFeePerGas;
  if (balance < worstCase(inFlight) + next) return false;
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

/** Wei that all of it costs at most. */
function worstCase(requests: readonly InFlight[]): bigint {
  return requests.reduce(
    (sum, { gasLimit, attempts }) => sum + gasLimit * highestFees(attempts).maxFeePerGas,
    0n,
  );
}

/** Signs what waits, in the order of arrival, and broadcasts it, a small group at a time. */
async function signAndSend(
  deps: SenderDeps,
  wallet: Wallet,
  node: Node,
  balance: bigint,
  suggest: () => Promise<Fees>,
): Promise<void> {
  for (;;) {
    const inFlight = await readUnmined(deps.pool, wallet);
    const room = Math.min(GROUP, deps.config.inFlightMax - inFlight.length);
    if (room <= 0 || !(await oldestAccepted(deps, wallet))) return;
    const signed = await signGroup(
      deps,
      wallet,
      node,
      { room, funds: balance - worstCase(inFlight) },
      await suggest(),
    );
    if (!signed) return;
    const stored = await readUnmined(deps.pool, wallet);
    if (wallet.signer.remote) await signStored(deps, wallet, stored);
    const fresh = stored.filter(({ attempts }) => attempts.every(({ broadcasts }) => broadcasts === 0));
    await broadcastAll(deps, wallet, node, fresh);
    const row = await readWallet(deps.pool, wallet);
    const left = (await readUnmined(deps.pool, wallet)).some(({ state }) => state === "signed");
    if (row.state !== "active" || left) return;
  }
}

async function signGroup(
  deps: SenderDeps,
  wallet: Wallet,
  node: Node,
  { room, funds }: { room: number; funds: bigint },
  fees: Fees,
): Promise<boolean> {
  let left = funds;
  for (let count = 0; count < room; count++) {
    const request = await oldestAccepted(deps, wallet);
    if (!request) return count > 0;
    if (await failedMeanwhile(deps, wallet, node, request)) continue;
    const cost = request.gasLimit * fees.maxFeePerGas;
    if (left < cost) {
      // What is in flight frees its share when it is mined; with nothing in flight only new funds help.
      if (count === 0 && (await readUnmined(deps.pool, wallet)).length === 0) {
        await pause(deps, wallet, "insufficient funds");
      }
      return count > 0;
    }
    if (!(await signRequest(deps, wallet, request, fees))) return count > 0;
    left -= cost;
  }
  return true;
}

/**
 * A request that waited long is simulated again: what cannot succeed any more ends here and costs no gas. Not a disable:
 * what it ends may still be on its way, and then only looks as if there were nothing to end.
 */
async function failedMeanwhile(
  deps: SenderDeps,
  wallet: Wallet,
  node: Node,
  request: SendRow,
): Promise<boolean> {
  if (request.operation === "1ct/disable") return false;
  if (deps.now() - request.acceptedAtMs < deps.config.resimulateAfterMs) return false;
  const why = await simulate(node, request);
  if (!why) return false;
  return underLease(deps.pool, wallet, async (tx) => {
    const { rowCount } = await tx.query(
      "SELECT 1 FROM app.send_request WHERE request_id = $1 AND state = 'accepted' FOR UPDATE",
      [request.requestId],
    );
    if (rowCount)
      await endRequest(tx, request.requestId, {
        state: "failed",
        ...why,
        reason: "reverts before it was signed",
      });
    return true;
  });
}
