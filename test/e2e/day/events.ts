import { type Contract, concat, keccak256, type LogDescription, toBeHex } from "ethers";
import { cashier, chain, ledger, provider } from "./context.ts";

/**
 * Derives the costs of positions and the amounts of operations from the contracts' events, with arithmetic of the test's own.
 * Amounts are base units.
 */
interface Event {
  name: string;
  args: LogDescription["args"];
  txHash: string;
}

/** Events by contract and block hash, so that each block is read once. */
const known = new Map<string, Promise<Event[]>>();

async function eventsOf(contract: Contract, block: number): Promise<Event[]> {
  const address = await contract.getAddress();
  const key = `${address} ${(await provider.getBlock(block))?.hash}`;
  const events = known.get(key) ?? readEvents(contract, address, block);
  known.set(key, events);
  return events;
}

async function readEvents(contract: Contract, address: string, toBlock: number): Promise<Event[]> {
  const logs = await provider.getLogs({ address, fromBlock: 0, toBlock });
  return logs.flatMap((log) => {
    const event = contract.interface.parseLog(log);
    return event ? [{ name: event.name, args: event.args, txHash: log.transactionHash }] : [];
  });
}

const ONE = 10n ** 18n;

/** A fill as the API tells it, and what it moved besides. */
export interface Fill {
  orderId: string;
  quantity: bigint;
  price: bigint;
  fee: bigint;
  txHash: string;
  /** mUSD before the fee. */
  notional: bigint;
}

/** The cost of one user's holding of one stock. */
export interface Cost {
  /** Bought and not sold. */
  shares: bigint;
  /** mUSD paid for them. */
  paid: bigint;
  gained: bigint;
}

export interface Trades {
  /** Fills by order, oldest first. */
  fills: Map<string, Fill[]>;
  costOf(user: string, stock: string): Cost;
}

const keyOf = (user: string, stock: string) => `${user} ${stock}`.toLowerCase();

/** Returns all trades of all users up to a block. */
export async function tradesUpTo(block: number): Promise<Trades> {
  const fills = new Map<string, Fill[]>();
  const costs = new Map<string, Cost>();
  const locks = new Map<string, bigint>();
  const costOf = (user: string, stock: string) =>
    costs.get(keyOf(user, stock)) ?? { shares: 0n, paid: 0n, gained: 0n };
  for (const { name, args, txHash } of await eventsOf(ledger, block)) {
    if (/OrderPlaced$/.test(name)) locks.set(args.orderId, args.lockedAmount);
    if (name !== "MarketOrderSettled" && name !== "LimitOrderFilled") continue;
    const { orderId, user, stockToken, stockDelta, price } = args;
    const fee: bigint = args.mintFee + args.protocolFee;
    const isBuy = stockDelta > 0n;
    const quantity: bigint = isBuy ? stockDelta : -stockDelta;
    const left = (locks.get(orderId) ?? 0n) - fee;
    const notional = isBuy ? smaller(up(quantity * price, ONE), left) : (quantity * price) / ONE;
    if (isBuy) locks.set(orderId, left - notional);
    fills.set(orderId, [...(fills.get(orderId) ?? []), { orderId, quantity, price, fee, txHash, notional }]);
    const before = costOf(user, stockToken);
    const after = isBuy ? bought(before, quantity, notional + fee) : sold(before, quantity, notional - fee);
    costs.set(keyOf(user, stockToken), after);
  }
  return { fills, costOf };
}

const up = (amount: bigint, unit: bigint) => (amount + unit - 1n) / unit;

function smaller(first: bigint, second: bigint): bigint {
  if (first < second) return first;
  return second;
}

const bought = ({ shares, paid, gained }: Cost, quantity: bigint, cost: bigint): Cost => ({
  shares: shares + quantity,
  paid: paid + cost,
  gained,
});

/** Sells at the average cost. Shares that were not bought here are sold last, without a gain. */
function sold({ shares, paid, gained }: Cost, quantity: bigint, proceeds: bigint): Cost {
  const known = smaller(quantity, shares);
  if (known === 0n) return { shares, paid, gained };
  const cost = (paid * known) / shares;
  return {
    shares: shares - known,
    paid: paid - cost,
    gained: gained + (proceeds * known) / quantity - cost,
  };
}

export type Kind = "cash/deposits" | "cash/withdrawals" | "stock/deposits" | "stock/withdrawals";

/** An operation as the API tells it, save names and times. */
export interface Operation {
  operationId: string;
  userAddress: string;
  tokenAddress: string;
  status: string;
  isInstant: boolean | null;
  amount: bigint;
  creditAmount: bigint | null;
  feeAmount: bigint | null;
  createTxHash: string;
  settleTxHash: string | null;
}

/** Returns the operations of some transactions up to a block, by kind. Cash tokens are worth 1 mUSD here. */
export async function operationsUpTo(
  block: number,
  txHashes: ReadonlySet<string>,
): Promise<Map<Kind, Operation[]>> {
  const found = new Map<Kind, Operation[]>();
  const add = (kind: Kind, operation: Operation) => found.set(kind, [...(found.get(kind) ?? []), operation]);
  const cash = await eventsOf(cashier, block);
  const ends = new Map(cash.filter(({ name }) => /Settled$/.test(name)).map((end) => [end.args.opId, end]));
  for (const begin of cash.filter(({ txHash }) => txHashes.has(txHash))) {
    if (!/^Instant|Requested$/.test(begin.name)) continue;
    const isDeposit = /Deposit/.test(begin.name);
    const end = begin.name.startsWith("Instant") ? begin : ends.get(begin.args.opId);
    add(isDeposit ? "cash/deposits" : "cash/withdrawals", cashOperation(begin, end, isDeposit));
  }
  const ordinals = new Map<string, number>();
  for (const { name, args, txHash } of await eventsOf(ledger, block)) {
    if (name !== "StockDeposited" && name !== "StockWithdrawn") continue;
    const ordinal = ordinals.get(txHash) ?? 0;
    ordinals.set(txHash, ordinal + 1);
    if (!txHashes.has(txHash)) continue;
    const id = concat([toBeHex(chain.chainId, 32), txHash, toBeHex(ordinal, 32)]);
    add(name === "StockDeposited" ? "stock/deposits" : "stock/withdrawals", {
      operationId: keccak256(id),
      userAddress: args.user,
      tokenAddress: args.stockToken,
      status: "completed",
      isInstant: null,
      createTxHash: txHash,
      settleTxHash: txHash,
      amount: args.amount,
      creditAmount: args.amount,
      feeAmount: 0n,
    });
  }
  return found;
}

function cashOperation(begin: Event, end: Event | undefined, isDeposit: boolean): Operation {
  const { opId, user, token, amount, amountWad } = begin.args;
  const asked: bigint = isDeposit ? amount : amountWad;
  const credited: bigint | null = end ? (isDeposit ? end.args.creditWad : end.args.amount) : null;
  const decimals = chain.cashTokens.find(({ address }) => address === token)?.decimals ?? 18;
  const unit = 10n ** BigInt(18 - decimals);
  const worth = isDeposit ? asked * unit : asked / unit;
  return {
    operationId: opId,
    userAddress: user,
    tokenAddress: token,
    createTxHash: begin.txHash,
    status: end ? "completed" : "processing",
    isInstant: begin === end,
    amount: asked,
    creditAmount: credited,
    feeAmount: credited === null ? null : worth - credited,
    settleTxHash: end?.txHash ?? null,
  };
}
