import { type Hex, toFunctionSelector } from "viem";
import type { Batches, RpcAnswer, RpcCall } from "../../../src/chain/rpc.ts";
import type { Process, Scheduler } from "./scheduler.ts";

/** A signed transaction of one of the wallets. */
export interface ChainTransaction {
  bytes: Hex;
  hash: Hex;
  wallet: Hex;
  nonce: bigint;
  to: Hex;
  data: Hex;
  gas: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** Effect of a call of the OneClickRouter, by its bytes. */
export interface Effect {
  kind: "call" | "enable" | "disable";
  user: Hex;
  /** Unix seconds. */
  deadline: bigint | null;
  /** Nonce of the user that an enable spends. */
  userNonce: number;
  isReverting: boolean;
}

interface Delegation {
  delegatee: Hex | null;
  nonce: number;
}

/** State after a block. Replaced, never changed. */
export interface ChainState {
  nonces: ReadonlyMap<Hex, bigint>;
  balances: ReadonlyMap<Hex, bigint>;
  delegations: ReadonlyMap<Hex, Delegation>;
}

export interface Included {
  transaction: ChainTransaction;
  success: boolean;
  gasUsed: bigint;
}

export interface Block {
  number: bigint;
  hash: Hex;
  parent: Block | null;
  /** Unix seconds. */
  timestamp: bigint;
  baseFee: bigint;
  included: readonly Included[];
  state: ChainState;
}

/** Faults of a node, each until a time. */
export type NodeFault =
  | "down"
  /** Requests, or replies, are lost. */
  | "loses-requests"
  | "loses-replies"
  /** Its head stands still. */
  | "lags"
  /** It refuses bytes with an error that nobody knows. */
  | "refuses"
  | "pool-is-full"
  /** It takes bytes, and neither keeps them nor passes them on. */
  | "black-hole"
  | "garbage"
  | "wrong-chain"
  /** It serves heads, and refuses nonces and receipts. */
  | "heads-only"
  /** It answers receipts of another block, or of another transaction. */
  | "false-receipts"
  /** It follows a chain of its own. */
  | "forks";

export interface ChainOptions {
  chainId: number;
  confirmations: number;
  blockMs: number;
  nodes: number;
  /** Wei that a transaction costs beside its gas, on the chain that keeps its data: 0 where there is none. */
  dataFee: bigint;
  baseFee: bigint;
}

/** Sees what happens on the chain. */
export interface ChainObserver {
  /** Some bytes reached a node. */
  received(node: number, bytes: Hex): void;
  /** A block joined the chain. */
  added(block: Block): void;
  /** A reorg removed a block. */
  removed(block: Block): void;
}

const TIMEOUT_MS = 5_000;
const GAS_LIMIT = 30_000_000n;
const INTRINSIC_GAS = 21_000n;
/** Intrinsic gas of calls: less can never be mined. */
const CALL_GAS = 30_000n;
const BLOCK_TRANSACTIONS = 12;

const hex = (value: bigint): Hex => `0x${value.toString(16)}`;
const result = (value: unknown): RpcAnswer => ({ kind: "result", value });
const refusal = (message: string, data?: Hex, code = -32000): RpcAnswer => ({
  kind: "error",
  code,
  message,
  data,
});
const LOST: RpcAnswer = { kind: "unreachable", reason: "simulated" };

/** A node: its own view of the chain, its own pool, and its own faults. */
export class SimulatedNode {
  readonly pool = new Map<string, ChainTransaction>();
  private readonly faults = new Map<NodeFault, number>();
  head: Block;
  readonly index: number;
  readonly url: string;
  private readonly scheduler: Scheduler;

  constructor(scheduler: Scheduler, index: number, head: Block) {
    this.scheduler = scheduler;
    this.index = index;
    this.head = head;
    this.url = `http://node-${index + 1}.invalid/`;
  }

  suffer(fault: NodeFault, untilMs: number): void {
    this.faults.set(fault, untilMs);
  }

  has(fault: NodeFault): boolean {
    return (this.faults.get(fault) ?? 0) > this.scheduler.nowMs;
  }

  recover(): void {
    this.faults.clear();
  }
}

/** A chain with its nodes. Blocks are a tree, of which one branch is the chain. */
export class SimulatedChain {
  readonly nodes: SimulatedNode[];
  /** The chain: its blocks by number. */
  readonly blocks: Block[];
  readonly effects = new Map<Hex, Effect>();
  /** Everything that was ever signed, by its bytes. */
  readonly signed = new Map<Hex, ChainTransaction>();
  private readonly funded = new Map<Block, { wallet: Hex; wei: bigint }>();
  private readonly including = new Map<string, Block[]>();
  /** Multiplies base fees, until a time. */
  spike = { factor: 1n, untilMs: 0 };
  /** No block includes anything until then. */
  stalledUntilMs = 0;
  private count = 0;
  private readonly scheduler: Scheduler;
  readonly options: ChainOptions;
  private readonly observer: ChainObserver;

  constructor(scheduler: Scheduler, options: ChainOptions, state: ChainState, observer: ChainObserver) {
    this.scheduler = scheduler;
    this.options = options;
    this.observer = observer;
    const genesis = this.block(null, [], state);
    this.blocks = [genesis];
    this.nodes = Array.from(
      { length: options.nodes },
      (_, index) => new SimulatedNode(scheduler, index, genesis),
    );
    this.plan();
  }

  get head(): Block {
    return this.blocks.at(-1) as Block;
  }

  /** Adds wei to a wallet. A reorg does not take it back. */
  fund(wallet: Hex, wei: bigint): void {
    const { head } = this;
    const balances = new Map(head.state.balances);
    balances.set(wallet, (balances.get(wallet) ?? 0n) + wei);
    this.extend([], { ...head.state, balances });
    this.funded.set(this.head, { wallet, wei });
  }

  /** Mines a transaction that somebody else signed with a wallet's key. */
  useElsewhere(wallet: Hex): void {
    const nonces = new Map(this.head.state.nonces);
    nonces.set(wallet, (nonces.get(wallet) ?? 0n) + 1n);
    this.extend([], { ...this.head.state, nonces });
  }

  /** Replaces the newest blocks. Some of their transactions return to pools, and may end in another way. */
  reorg(depth: number): void {
    const removed = this.blocks.splice(Math.max(this.blocks.length - depth, 1));
    const { random } = this.scheduler;
    for (const block of removed.toReversed()) this.observer.removed(block);
    for (const { transaction } of removed.flatMap(({ included }) => included))
      for (const node of this.nodes) if (random.chance(0.5)) node.pool.set(keyOf(transaction), transaction);
    for (const { wallet, wei } of removed.flatMap((block) => this.funded.get(block) ?? []))
      this.fund(wallet, wei);
    for (let index = 0; index <= removed.length; index++)
      this.extend(random.chance(0.5) ? this.minable(this.head, this.pools()) : []);
  }

  /** All pools lose everything. */
  dropPools(): void {
    for (const node of this.nodes) node.pool.clear();
  }

  /** Returns how a process asks the nodes. What it asks arrives also where it dies meanwhile. */
  batchesFor(process: Process): Batches {
    const ask = (url: string, calls: readonly RpcCall[]): Promise<RpcAnswer[]> =>
      new Promise((resolve) => {
        const node = this.nodes.find((one) => one.url === url);
        if (!node || process.isDead) return;
        const { random } = this.scheduler;
        const lose = (): void => {
          this.scheduler.after(TIMEOUT_MS, process, () => resolve(calls.map(() => LOST)));
        };
        if (node.has("down")) {
          this.scheduler.after(1, process, () => resolve(calls.map(() => LOST)));
          return;
        }
        if (node.has("loses-requests") && random.chance(0.4)) return lose();
        this.scheduler.after(2 + random.below(30), null, () => {
          const isLost = node.has("loses-replies") && random.chance(0.4);
          // A connection that breaks early leaves the end of a batch undone.
          const done = isLost ? calls.slice(0, random.below(calls.length + 1)) : calls;
          const answers = done.map((call) => this.answer(node, call));
          if (isLost) return lose();
          this.scheduler.after(2 + random.below(30), process, () => resolve(answers));
        });
      });
    return { ask, askInOrder: ask };
  }

  /** Returns true where a block is on the chain. */
  isCanonical = (block: Block): boolean => this.blocks[Number(block.number)] === block;

  /** Returns where the chain has a transaction, or null. */
  find(hash: string): { block: Block; included: Included } | null {
    return this.findFrom(this.head, hash);
  }

  /** Returns all blocks that have a transaction, on the chain or not. */
  inclusions(hash: string): { block: Block; included: Included }[] {
    return (this.including.get(hash as Hex) ?? []).flatMap((block) =>
      block.included.flatMap((included) => (included.transaction.hash === hash ? [{ block, included }] : [])),
    );
  }

  private findFrom(head: Block, hash: string): { block: Block; included: Included } | null {
    for (const block of this.including.get(hash) ?? []) {
      if (this.ancestor(head, block.number) !== block) continue;
      const included = block.included.find(({ transaction }) => transaction.hash === hash);
      if (included) return { block, included };
    }
    return null;
  }

  private ancestor(head: Block, number: bigint): Block | null {
    if (number > head.number || number < 0n) return null;
    let block: Block | null = head;
    while (block && block.number > number && !this.isCanonical(block)) block = block.parent;
    if (block === null || block.number === number) return block;
    return this.blocks[Number(number)] ?? null;
  }

  private block(parent: Block | null, included: readonly Included[], state: ChainState): Block {
    const { random, nowMs } = this.scheduler;
    const { baseFee } = this.options;
    const factor = this.spike.untilMs > nowMs ? this.spike.factor : 1n;
    const id = (++this.count).toString(16);
    const block: Block = {
      number: parent ? parent.number + 1n : 0n,
      hash: `0x${id.padStart(64, "0")}`,
      parent,
      timestamp: BigInt(Math.floor(nowMs / 1000)),
      baseFee: (baseFee * factor * BigInt(80 + random.below(50))) / 100n,
      included,
      state,
    };
    for (const { transaction } of included) {
      const blocks = this.including.get(transaction.hash) ?? [];
      this.including.set(transaction.hash, [...blocks, block]);
    }
    return block;
  }

  private plan(): void {
    const { random } = this.scheduler;
    const pauseMs = this.options.blockMs * (0.5 + random.below(100) / 100);
    this.scheduler.after(pauseMs, null, () => {
      const isStalled = this.stalledUntilMs > this.scheduler.nowMs || random.chance(0.1);
      this.extend(isStalled ? [] : this.minable(this.head, this.pools()));
      for (const node of this.nodes.filter((one) => one.has("forks"))) this.forkOn(node);
      this.plan();
    });
  }

  private extend(transactions: readonly ChainTransaction[], before: ChainState = this.head.state): void {
    const block = this.execute(this.head, transactions, before);
    this.blocks.push(block);
    this.observer.added(block);
    for (const node of this.nodes)
      this.scheduler.after(this.scheduler.random.below(800), null, () => this.follow(node));
  }

  private follow(node: SimulatedNode): void {
    if (node.has("lags") || node.has("forks") || node.has("down")) return;
    node.head = this.head;
    prune(node);
  }

  private forkOn(node: SimulatedNode): void {
    const included = this.minable(node.head, [node]);
    node.head = this.execute(node.head, included, node.head.state);
    prune(node);
  }

  private pools(): SimulatedNode[] {
    return this.nodes.filter((node) => !node.has("down") && !node.has("forks") && !node.has("black-hole"));
  }

  /** Returns the transactions that the next block may include, in their order. */
  private minable(head: Block, nodes: readonly SimulatedNode[]): ChainTransaction[] {
    const best = new Map<string, ChainTransaction>();
    for (const node of nodes)
      for (const [key, transaction] of node.pool) {
        const known = best.get(key);
        if (!known || known.maxPriorityFeePerGas < transaction.maxPriorityFeePerGas)
          best.set(key, transaction);
      }
    const nonces = new Map(head.state.nonces);
    const chosen: ChainTransaction[] = [];
    for (const transaction of [...best.values()].sort((a, b) => Number(a.nonce - b.nonce))) {
      if (chosen.length >= BLOCK_TRANSACTIONS) break;
      const { wallet, nonce, maxFeePerGas } = transaction;
      if ((nonces.get(wallet) ?? 0n) !== nonce || maxFeePerGas < head.baseFee) continue;
      nonces.set(wallet, nonce + 1n);
      chosen.push(transaction);
    }
    return chosen;
  }

  private execute(parent: Block, transactions: readonly ChainTransaction[], before: ChainState): Block {
    if (transactions.length === 0) return this.block(parent, [], before);
    const { dataFee } = this.options;
    const nonces = new Map(before.nonces);
    const balances = new Map(before.balances);
    const delegations = new Map(before.delegations);
    const included: Included[] = [];
    const timestamp = BigInt(Math.floor(this.scheduler.nowMs / 1000));
    const stopped = new Set<Hex>();
    for (const transaction of transactions) {
      const { wallet, nonce, gas, maxFeePerGas, maxPriorityFeePerGas, data } = transaction;
      const balance = balances.get(wallet) ?? 0n;
      if (stopped.has(wallet) || balance < gas * maxFeePerGas + dataFee) {
        stopped.add(wallet);
        continue;
      }
      const revert = data === "0x" ? null : this.run(data, wallet, { delegations, timestamp });
      const effect = this.effects.get(data);
      const success = revert === null;
      const gasUsed = data === "0x" ? INTRINSIC_GAS : (gas * 7n) / 10n;
      const tip = parent.baseFee + maxPriorityFeePerGas;
      const price = tip < maxFeePerGas ? tip : maxFeePerGas;
      balances.set(wallet, balance - gasUsed * price - dataFee);
      nonces.set(wallet, nonce + 1n);
      if (success && effect && effect.kind !== "call") {
        const delegation = delegations.get(effect.user) ?? { delegatee: null, nonce: 0 };
        delegations.set(effect.user, {
          delegatee: effect.kind === "enable" ? wallet : null,
          nonce: delegation.nonce + 1,
        });
      }
      included.push({ transaction, success, gasUsed });
    }
    return this.block(parent, included, { nonces, balances, delegations });
  }

  /** Runs a call. @returns the data of its revert, or null */
  private run(
    data: Hex,
    wallet: Hex,
    { delegations, timestamp }: { delegations: ReadonlyMap<Hex, Delegation>; timestamp: bigint },
  ): Hex | null {
    const effect = this.effects.get(data);
    if (!effect) return null;
    const delegation = delegations.get(effect.user);
    const isDelegated = delegation?.delegatee === wallet;
    if (effect.isReverting) return "0x";
    if (effect.deadline !== null && timestamp > effect.deadline) return "0x";
    if (effect.kind === "enable") return effect.userNonce === (delegation?.nonce ?? 0) ? null : "0x";
    if (isDelegated) return null;
    return effect.kind === "disable" ? NOT_DELEGATEE : "0x";
  }

  private answer(node: SimulatedNode, { method, params }: RpcCall): RpcAnswer {
    if (node.has("garbage")) return result({ strange: true });
    if (node.has("heads-only") && HEADS_ONLY.has(method)) return refusal("the method is not available");
    if (node.has("wrong-chain")) return onAnotherChain(method, this.presentBlock(node.head));
    const [first, second] = params as [never, never];
    switch (method) {
      case "eth_chainId":
        return result(hex(BigInt(this.options.chainId)));
      case "eth_getBlockByNumber":
        return result(
          this.presentBlock(first === "latest" ? node.head : this.ancestor(node.head, BigInt(first))),
        );
      case "eth_getTransactionCount":
        return result(hex(second === "pending" ? pendingNonce(node, first) : nonceAt(node.head, first)));
      case "eth_getBalance":
        return result(hex(node.head.state.balances.get(first) ?? 0n));
      case "eth_maxPriorityFeePerGas":
        return result(hex(this.options.baseFee));
      case "eth_estimateGas":
        return result(hex(INTRINSIC_GAS));
      case "eth_getTransactionReceipt":
        return result(this.presentReceipt(node, first));
      case "eth_getTransactionByHash":
        return result(isKnown(node, first) || this.findFrom(node.head, first) ? { hash: first } : null);
      case "eth_sendRawTransaction":
        return this.take(node, first);
      case "eth_call":
        return this.call(node, first, second);
      default:
        return refusal(`no method ${method}`);
    }
  }

  private presentBlock(block: Block | null) {
    return (
      block && {
        number: hex(block.number),
        hash: block.hash,
        timestamp: hex(block.timestamp),
        baseFeePerGas: hex(block.baseFee),
        gasLimit: hex(GAS_LIMIT),
      }
    );
  }

  private presentReceipt(node: SimulatedNode, hash: Hex) {
    const found = this.findFrom(node.head, hash);
    if (node.has("false-receipts")) {
      const { random } = this.scheduler;
      const others = [...this.including.keys()].filter(
        (other) => other !== hash && this.findFrom(node.head, other),
      );
      // Another transaction's receipt, as a cache answers it; or one of a block that nobody has.
      if (others.length > 0 && random.chance(0.5)) {
        const other = random.of(others);
        const included = this.findFrom(node.head, other);
        return included && presentReceipt(other, included);
      }
      return {
        transactionHash: hash,
        blockNumber: hex(node.head.number),
        blockHash: `0x${"f".repeat(64)}`,
        status: "0x0",
        gasUsed: "0x5208",
      };
    }
    return found && presentReceipt(hash, found);
  }

  private call(node: SimulatedNode, call: { from: Hex; to: Hex; data: Hex }, at: string): RpcAnswer {
    const block = at === "latest" ? node.head : this.ancestor(node.head, BigInt(at));
    if (!block) return refusal("header not found");
    if (call.data.startsWith(DELEGATEE_OF)) {
      const user: Hex = `0x${call.data.slice(-40)}`;
      const delegatee = block.state.delegations.get(user)?.delegatee ?? `0x${"0".repeat(40)}`;
      return result(`0x${delegatee.slice(2).padStart(64, "0")}`);
    }
    const view = { delegations: block.state.delegations, timestamp: block.timestamp };
    const revert = this.run(call.data, call.from, view);
    return revert === null ? result("0x") : refusal("execution reverted", revert, 3);
  }

  private take(node: SimulatedNode, bytes: Hex): RpcAnswer {
    this.observer.received(node.index, bytes);
    const transaction = this.signed.get(bytes);
    if (!transaction) return refusal("rlp: garbage");
    if (node.has("refuses")) return refusal("the moon is too bright");
    if (node.has("pool-is-full")) return refusal("txpool is full");
    if (node.has("black-hole")) return result(transaction.hash);
    const refused = this.admit(node, transaction);
    if (refused) return refusal(refused);
    this.scheduler.tell(
      () => `node ${node.index + 1} takes nonce ${transaction.nonce} of ${transaction.wallet.slice(0, 6)}`,
    );
    this.gossip(node, transaction);
    return result(transaction.hash);
  }

  private gossip(from: SimulatedNode, transaction: ChainTransaction): void {
    const { random } = this.scheduler;
    for (const node of this.nodes) {
      if (node === from || random.chance(0.1)) continue;
      this.scheduler.after(random.below(400), null, () => {
        if (!node.has("down") && !node.has("black-hole") && !node.has("forks")) this.admit(node, transaction);
      });
    }
  }

  /** Adds a transaction to a node's pool. @returns the refusal, or null */
  private admit(node: SimulatedNode, transaction: ChainTransaction): string | null {
    const { wallet, nonce, gas, maxFeePerGas, maxPriorityFeePerGas, hash, data } = transaction;
    const { state } = node.head;
    const known = node.pool.get(keyOf(transaction));
    if (known?.hash === hash) return "already known";
    if (nonce < (state.nonces.get(wallet) ?? 0n)) return "nonce too low";
    if (gas < (data === "0x" ? INTRINSIC_GAS : CALL_GAS)) return "intrinsic gas too low";
    const isRaised = (now: bigint, then: bigint): boolean => now * 100n >= then * 110n;
    if (
      known &&
      !(
        isRaised(maxFeePerGas, known.maxFeePerGas) &&
        isRaised(maxPriorityFeePerGas, known.maxPriorityFeePerGas)
      )
    )
      return "replacement transaction underpriced";
    let queued = 0n;
    for (const other of node.pool.values())
      if (other.wallet === wallet && other.nonce !== nonce) queued += this.costOf(other);
    if ((state.balances.get(wallet) ?? 0n) < queued + this.costOf(transaction))
      return "insufficient funds for gas * price + value";
    node.pool.set(keyOf(transaction), transaction);
    return null;
  }

  private costOf({ gas, maxFeePerGas }: ChainTransaction): bigint {
    return gas * maxFeePerGas + this.options.dataFee;
  }
}

/** Answers as a node of another chain, whose wallets were never used. */
function onAnotherChain(method: string, block: unknown): RpcAnswer {
  switch (method) {
    case "eth_chainId":
      return result("0x1");
    case "eth_getBlockByNumber":
      return result(block);
    case "eth_getTransactionReceipt":
    case "eth_getTransactionByHash":
      return result(null);
    case "eth_sendRawTransaction":
      return refusal("invalid chain id for signer");
    default:
      return result("0x0");
  }
}

function presentReceipt(hash: string, { block, included }: { block: Block; included: Included }) {
  return {
    transactionHash: hash,
    blockNumber: hex(block.number),
    blockHash: block.hash,
    status: included.success ? "0x1" : "0x0",
    gasUsed: hex(included.gasUsed),
  };
}

/** Selectors of delegateeOf(address), and of the error NotDelegatee(). */
const DELEGATEE_OF = toFunctionSelector("delegateeOf(address)");
const NOT_DELEGATEE = toFunctionSelector("NotDelegatee()");

const keyOf = ({ wallet, nonce }: ChainTransaction): string => `${wallet}/${nonce}`;
const nonceAt = ({ state }: Block, wallet: Hex): bigint => state.nonces.get(wallet) ?? 0n;

function pendingNonce({ head, pool }: SimulatedNode, wallet: Hex): bigint {
  let nonce = nonceAt(head, wallet);
  while (pool.has(`${wallet}/${nonce}`)) nonce += 1n;
  return nonce;
}

function isKnown({ pool }: SimulatedNode, hash: Hex): boolean {
  for (const transaction of pool.values()) if (transaction.hash === hash) return true;
  return false;
}

/** Takes out of a node's pool what its head has mined. */
function prune({ head, pool }: SimulatedNode): void {
  for (const [key, { wallet, nonce }] of pool) if (nonce < nonceAt(head, wallet)) pool.delete(key);
}

const HEADS_ONLY: ReadonlySet<string> = new Set([
  "eth_getTransactionCount",
  "eth_getTransactionReceipt",
  "eth_call",
]);
