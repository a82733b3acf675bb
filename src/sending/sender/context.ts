import type { Hex } from "viem";
import type { SenderDeps } from "./deps.ts";
import { capFees, type Fees, feesFor, tipWithin } from "./fees.ts";
import { LeaseLost, type WalletRow } from "./lease.ts";
import { type Node, NodeRefused, quantity, transactionCount } from "./nodes.ts";
import type { InFlight } from "./store.ts";
import type { Wallet } from "./wallet.ts";

/** State that one cycle of a wallet passes to the next while its lease is held. Losing it costs time, never correctness. */
export interface CycleState {
  /** Time of the wallet's last observation (balance, nonce), Unix ms. */
  observedMs: number;
  /** Time since which the chain has been ahead of the wallet's nonces, Unix ms. */
  aheadMs: number | null;
  /** The wallet's next nonce on the chain, where no request in flight has it, and the time since then, Unix ms. */
  gap: { nonce: bigint; sinceMs: number } | null;
  /** True once the nodes knew no transaction beyond the wallet's nonces. */
  hasCheckedPending: boolean;
  /** The wallet's next nonce as this driver last knew it. It never decreases, unless the database lost commits in a failover. */
  knownNonce: bigint | null;
  /** Time at which each request's nonce was first seen used without a receipt, Unix ms. */
  suspicions: Map<string, number>;
  /** Requests that reverted and that a node failed to replay. */
  unexplained: Set<string>;
  /** Head of the last cycle: while it is canonical, so is everything mined by then. */
  anchor: { number: bigint; hash: Hex } | null;
  /** Head at which no request was open: mined ones need not be read again for it. */
  quietHead: Hex | null;
  /** Account as read last. */
  account: AccountView | null;
  /** Last cycle, where requests that arrive after it may be sent in its view of the chain. */
  cycle: Cycle | null;
  /** Time at which the wallet's key last failed to sign, Unix ms; null since it signed. */
  keyFailedMs: number | null;
  /** Requests that are skipped, and the end of that, Unix ms. */
  deferred: Map<string, number>;
  /** Keys with signed requests, in the order of their next turn. */
  roundRobin: string[];
}

/** Returns the state of a driver that has just taken the lease. */
export function newCycleState(): CycleState {
  return {
    observedMs: 0,
    aheadMs: null,
    gap: null,
    hasCheckedPending: false,
    knownNonce: null,
    suspicions: new Map(),
    unexplained: new Set(),
    anchor: null,
    quietHead: null,
    account: null,
    cycle: null,
    keyFailedMs: null,
    deferred: new Map(),
    roundRobin: [],
  };
}

/** Returns true where the database lost nonces that this driver had assigned. */
export const isBehind = ({ knownNonce }: CycleState, nextNonce: bigint): boolean =>
  knownNonce !== null && nextNonce < knownNonce;

/** A wallet's account at a node. */
export interface AccountView {
  /** Node that provides this view of the chain. */
  readonly node: Node;
  /** Unix ms. */
  readonly readMs: number;
  /** Number of the wallet's mined transactions at the node's head. */
  readonly accountNonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  /** Users who have delegated to the wallet, as far as they were read (delegations.ts). */
  readonly delegated: Set<string>;
  /**
   * Returns the fees that the node suggests at its head, read once (askFees).
   * @throws NodeUnreachable
   */
  readonly fetchFees: () => Promise<Fees>;
}

const ACCOUNT_CALLS = [
  ["eth_getTransactionCount", transactionCount],
  ["eth_getBalance", quantity],
] as const;

/** Reads the nonce and the balance of a wallet in one request. @throws NodeUnreachable, NodeRefused */
export async function readAccount(deps: SenderDeps, { signer }: Wallet, node: Node): Promise<AccountView> {
  const readMs = deps.now();
  const answers = await node.askMany(
    ACCOUNT_CALLS.map(([method]) => ({ method, params: [signer.address, "latest"] })),
  );
  const [accountNonce = 0n, balance = 0n] = ACCOUNT_CALLS.map(([method, shape], index) =>
    node.read(method, answers[index], shape),
  );
  let fees: Promise<Fees> | null = null;
  const fetchFees = (): Promise<Fees> => {
    fees ??= askFees(deps, node).catch((error: unknown) => {
      fees = null;
      throw error;
    });
    return fees;
  };
  return { node, readMs, accountNonce, balance, delegated: new Set(), fetchFees };
}

/**
 * One wallet cycle, with the data that its steps share. Steps update `row` and `inFlight` with what they write; no other worker
 * writes these rows while the lease is held, and a write after it is lost fails (underLease).
 */
export interface Cycle extends Omit<AccountView, "readMs"> {
  readonly deps: SenderDeps;
  readonly wallet: Wallet;
  readonly state: CycleState;
  row: WalletRow;
  /** Requests that have a nonce and are not mined, by nonce. */
  inFlight: InFlight[];
  /** False where only new arrivals are sent, in the view of an earlier cycle. */
  readonly isFull: boolean;
}

/** Returns the fees that a node suggests now, within the caps. A node that lacks the method gets no further request for them. */
async function askFees({ config }: SenderDeps, node: Node): Promise<Fees> {
  const suggested = await node.ask("eth_maxPriorityFeePerGas", [], quantity).catch((error: unknown) => {
    if (error instanceof NodeRefused) return config.minPriorityFee;
    throw error;
  });
  return capFees(feesFor(node.head.baseFee, tipWithin(suggested, config)), config.maxFeePerGasCap);
}

type Stoppable = Pick<Cycle, "deps" | "wallet" | "row">;

/** Keeps the queue and stops sending. The wallet resumes by itself once it has funds again. */
export function pause(cycle: Stoppable, reason: string): Promise<void> {
  return stop(cycle, "paused", reason);
}

/** Stops a wallet until an operator intervenes. */
export function halt(cycle: Stoppable, reason: string): Promise<void> {
  return stop(cycle, "halted", reason);
}

async function stop(cycle: Stoppable, state: "paused" | "halted", reason: string): Promise<void> {
  const { deps, wallet } = cycle;
  try {
    await deps.store.setWalletState(wallet, state, reason);
  } catch (error) {
    if (error instanceof LeaseLost) return;
    throw error;
  }
  cycle.row = { ...cycle.row, state, stateReason: reason };
  const fields = { chainId: wallet.nodes.chainId, wallet: wallet.signer.address, reason };
  deps.alarm(state === "halted" ? "wallet-halted" : "wallet-paused", fields);
}
