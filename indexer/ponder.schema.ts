// onchain.*: rebuilt from events alone. Every row is keyed by (chainId, productType): one indexer serves several
// chains and products, and nothing of one may leak into another. Amounts are base units (wad: 18 decimals),
// times are Unix seconds of the block, addresses and hashes are lower case.
import { index, onchainTable, type PgColumnsBuilders, primaryKey } from "ponder";
import {
  ACTIVITY_KINDS,
  CHAIN_OPERATION_STATUSES,
  CHAIN_ORDER_STATUSES,
  ORDER_TYPES,
  SIDES,
} from "../src/protocol/enums.ts";
import type { KindOf } from "../src/protocol/operations.ts";

/**
 * Orders, from placing to their end. `status` is the contract's; API statuses derive from it
 * (docs/api.md#order-states).
 */
export const stockOrder = onchainTable(
  "stock_order",
  (t) => ({
    chainId: t.integer().notNull(),
    productType: t.text().notNull(),
    orderId: t.hex().notNull(),
    txHash: t.hex().notNull(),
    logIndex: t.integer().notNull(),
    blockNumber: t.bigint().notNull(),
    createdAt: t.bigint().notNull(),
    userAddress: t.hex().notNull(),
    stockAddress: t.hex().notNull(),
    side: t.text({ enum: SIDES }).notNull(),
    orderType: t.text({ enum: ORDER_TYPES }).notNull(),
    /** mUSD wad; market buys only. */
    notional: t.bigint(),
    /** Stock wad, positive on both sides; null on market buys. */
    quantity: t.bigint(),
    /** mUSD wad per token; limit orders only. */
    price: t.bigint(),
    timeInForce: t.integer(),
    deadline: t.bigint().notNull(),
    /** Amount that placing locked, and the part of it that is still locked: mUSD wad on a buy, stock wad on a sell. */
    lockedAmount: t.bigint().notNull(),
    lockedRemaining: t.bigint().notNull(),
    status: t.text({ enum: CHAIN_ORDER_STATUSES }).notNull(),
    filledQuantity: t.bigint().notNull(),
    filledNotional: t.bigint().notNull(),
    /** mUSD wad, mint and protocol fee together, over all fills. */
    fee: t.bigint().notNull(),
    /** Rows of order_fill. */
    fillCount: t.integer().notNull(),
    cancelTxHash: t.hex(),
    settleTxHash: t.hex(),
    settledAt: t.bigint(),
    /** The contract's reason code of a rejection. */
    rejectReason: t.integer(),
    /** The deposit of a combined call: a cash operation's id, or null. */
    depositOpId: t.hex(),
    updatedAt: t.bigint().notNull(),
    updatedBlock: t.bigint().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.chainId, table.productType, table.orderId] }),
    byTx: index().on(table.chainId, table.txHash),
    byUser: index().on(table.chainId, table.productType, table.userAddress),
    byUpdate: index().on(table.chainId, table.updatedBlock),
  }),
);

/** One row per MarketOrderSettled or LimitOrderFilled event. */
export const orderFill = onchainTable(
  "order_fill",
  (t) => ({
    chainId: t.integer().notNull(),
    productType: t.text().notNull(),
    orderId: t.hex().notNull(),
    /** Counts from 0 within the order. */
    ordinal: t.integer().notNull(),
    quantity: t.bigint().notNull(),
    price: t.bigint().notNull(),
    /** Amount that the user paid or received before fees, mUSD wad. */
    notional: t.bigint().notNull(),
    fee: t.bigint().notNull(),
    txHash: t.hex().notNull(),
    timestamp: t.bigint().notNull(),
    blockNumber: t.bigint().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.chainId, table.productType, table.orderId, table.ordinal] }),
  }),
);

/** Cash deposits and withdrawals, instant or queued (docs/api.md#cash-and-stock-movement). */
export const cashOperation = onchainTable(
  "cash_operation",
  (t) => ({
    chainId: t.integer().notNull(),
    productType: t.text().notNull(),
    /** The on-chain operation id; not `operationId`, which Ponder keeps for its own rollback tables. */
    opId: t.hex().notNull(),
    kind: t.text().$type<KindOf<"cash">>().notNull(),
    userAddress: t.hex().notNull(),
    tokenAddress: t.hex().notNull(),
    /** Token base units: sent in by a deposit; paid out by a withdrawal, null until it is. */
    tokenAmount: t.bigint(),
    /** mUSD wad: credited by a deposit, null until it is; deducted by a withdrawal. */
    wadAmount: t.bigint(),
    /**
     * mUSD per token, 6 decimals, as the Cashier had it when the operation completed; null until then. What an operation
     * cost follows from it: the token's rate of today would rewrite history.
     */
    usdRate: t.bigint(),
    isInstant: t.boolean().notNull(),
    status: t.text({ enum: CHAIN_OPERATION_STATUSES }).notNull(),
    /** The order this deposit pays for, in a combined call. */
    orderId: t.hex(),
    rejectReason: t.integer(),
    txHash: t.hex().notNull(),
    logIndex: t.integer().notNull(),
    blockNumber: t.bigint().notNull(),
    createdAt: t.bigint().notNull(),
    settleTxHash: t.hex(),
    settledAt: t.bigint(),
    updatedAt: t.bigint().notNull(),
    updatedBlock: t.bigint().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.chainId, table.productType, table.opId] }),
    byTx: index().on(table.chainId, table.txHash),
    byUser: index().on(table.chainId, table.productType, table.userAddress),
    byOrder: index().on(table.chainId, table.productType, table.orderId),
    byUpdate: index().on(table.chainId, table.updatedBlock),
  }),
);

/**
 * Stock deposits and withdrawals. Their events carry no id, so opId is
 * keccak256(abi.encode(chainId, txHash, ordinal)), ordinal counting the Stock contract's
 * deposit and withdraw events within the transaction from 0 (docs/contracts.md#ids).
 */
export const stockOperation = onchainTable(
  "stock_operation",
  (t) => ({
    chainId: t.integer().notNull(),
    productType: t.text().notNull(),
    opId: t.hex().notNull(),
    kind: t.text().$type<KindOf<"stock">>().notNull(),
    userAddress: t.hex().notNull(),
    tokenAddress: t.hex().notNull(),
    amount: t.bigint().notNull(),
    /** The order this deposit pays for, in a combined call. */
    orderId: t.hex(),
    txHash: t.hex().notNull(),
    ordinal: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    blockNumber: t.bigint().notNull(),
    createdAt: t.bigint().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.chainId, table.productType, table.opId] }),
    byTx: index().on(table.chainId, table.txHash),
    byUser: index().on(table.chainId, table.productType, table.userAddress),
    byOrder: index().on(table.chainId, table.productType, table.orderId),
    byBlock: index().on(table.chainId, table.blockNumber),
  }),
);

/**
 * Columns of a balance: the half of an activity that waits for its other half (indexer/src/activity.ts), as activity has it. All are
 * null where none waits; `open_cause_id` also where the half is the ledger's, whose kind is `other`.
 */
const openActivity = (t: PgColumnsBuilders) => ({
  openKind: t.text({ enum: ACTIVITY_KINDS }),
  openCauseId: t.hex(),
  openDelta: t.bigint(),
  openLocked: t.bigint(),
  openTxHash: t.hex(),
  openLogIndex: t.integer(),
  openBlockNumber: t.bigint(),
  openTimestamp: t.bigint(),
});

/** The mUSD ledger of a user, wad. */
export const cashBalance = onchainTable(
  "cash_balance",
  (t) => ({
    chainId: t.integer().notNull(),
    productType: t.text().notNull(),
    userAddress: t.hex().notNull(),
    available: t.bigint().notNull(),
    locked: t.bigint().notNull(),
    ...openActivity(t),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.chainId, table.productType, table.userAddress] }),
  }),
);

/** The exchange ledger of a user in one stock token, and the cost of what was bought here. */
export const stockBalance = onchainTable(
  "stock_balance",
  (t) => ({
    chainId: t.integer().notNull(),
    productType: t.text().notNull(),
    userAddress: t.hex().notNull(),
    stockAddress: t.hex().notNull(),
    available: t.bigint().notNull(),
    locked: t.bigint().notNull(),
    ...openActivity(t),
    /** Bought by orders here and not sold since: the part of the holding whose cost is known. */
    tradedQuantity: t.bigint().notNull(),
    /** mUSD wad paid for tradedQuantity, fees included (average cost method). */
    costBasis: t.bigint().notNull(),
    /** mUSD wad gained by sells against the average cost, fees deducted. */
    realizedPnl: t.bigint().notNull(),
  }),
  (table) => ({
    pk: primaryKey({
      columns: [table.chainId, table.productType, table.userAddress, table.stockAddress],
    }),
  }),
);

/**
 * Every change of a user's ledger, and what caused it. The deltas of an asset sum to what is available of it, the locked
 * deltas to what orders lock, together with the half that the balance keeps. The primary key is the order of a user's list of an
 * asset.
 */
export const activity = onchainTable(
  "activity",
  (t) => ({
    chainId: t.integer().notNull(),
    productType: t.text().notNull(),
    userAddress: t.hex().notNull(),
    timestamp: t.bigint().notNull(),
    blockNumber: t.bigint().notNull(),
    logIndex: t.integer().notNull(),
    /** `mUSD`, or the address of a stock token. */
    asset: t.text().notNull(),
    txHash: t.hex().notNull(),
    kind: t.text({ enum: ACTIVITY_KINDS }).notNull(),
    /** The order or the operation, by the kind; null of `other`. */
    causeId: t.hex(),
    /** Wad: of what is available, and of what is locked. */
    delta: t.bigint().notNull(),
    lockedDelta: t.bigint().notNull(),
    balanceAfter: t.bigint().notNull(),
  }),
  (table) => ({
    pk: primaryKey({
      columns: [
        table.chainId,
        table.productType,
        table.userAddress,
        table.asset,
        table.timestamp,
        table.blockNumber,
        table.logIndex,
      ],
    }),
  }),
);

export const stockToken = onchainTable(
  "stock_token",
  (t) => ({
    chainId: t.integer().notNull(),
    productType: t.text().notNull(),
    tokenAddress: t.hex().notNull(),
    symbol: t.text().notNull(),
    tradable: t.boolean().notNull(),
    /** Wad; one token is worth multiplier times the underlying's price. */
    multiplier: t.bigint().notNull(),
    listedAt: t.bigint().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.chainId, table.productType, table.tokenAddress] }),
  }),
);

/** Every MultiplierUpdated event of a listed stock token (splits and dividends). */
export const multiplierChange = onchainTable(
  "multiplier_change",
  (t) => ({
    chainId: t.integer().notNull(),
    productType: t.text().notNull(),
    tokenAddress: t.hex().notNull(),
    blockNumber: t.bigint().notNull(),
    logIndex: t.integer().notNull(),
    oldMultiplier: t.bigint().notNull(),
    newMultiplier: t.bigint().notNull(),
    txHash: t.hex().notNull(),
    timestamp: t.bigint().notNull(),
  }),
  (table) => ({
    pk: primaryKey({
      columns: [table.chainId, table.productType, table.tokenAddress, table.blockNumber, table.logIndex],
    }),
    byBlock: index().on(table.chainId, table.blockNumber),
  }),
);

/**
 * Holdings of users on the exchange of a token whose multiplier changed, wad: a split or dividend, as its holders saw it. The key
 * is in the order of that of activity, among which its rows are shown.
 */
export const distribution = onchainTable(
  "distribution",
  (t) => ({
    chainId: t.integer().notNull(),
    productType: t.text().notNull(),
    userAddress: t.hex().notNull(),
    tokenAddress: t.hex().notNull(),
    timestamp: t.bigint().notNull(),
    blockNumber: t.bigint().notNull(),
    logIndex: t.integer().notNull(),
    txHash: t.hex().notNull(),
    oldMultiplier: t.bigint().notNull(),
    newMultiplier: t.bigint().notNull(),
    available: t.bigint().notNull(),
    locked: t.bigint().notNull(),
  }),
  (table) => ({
    pk: primaryKey({
      columns: [
        table.chainId,
        table.productType,
        table.userAddress,
        table.tokenAddress,
        table.timestamp,
        table.blockNumber,
        table.logIndex,
      ],
    }),
  }),
);

/** A cash token's limits, rate and buffer in the Cashier (docs/contracts.md#cashier). */
export const cashToken = onchainTable(
  "cash_token",
  (t) => ({
    chainId: t.integer().notNull(),
    productType: t.text().notNull(),
    tokenAddress: t.hex().notNull(),
    supported: t.boolean().notNull(),
    decimals: t.integer().notNull(),
    /** Whole tokens, 6 decimals. */
    minAmount: t.bigint().notNull(),
    /** mUSD per token, 6 decimals. */
    usdRate: t.bigint().notNull(),
    depositPaused: t.boolean().notNull(),
    withdrawPaused: t.boolean().notNull(),
    /** Token base units. */
    withdrawBuffer: t.bigint().notNull(),
    withdrawBufferCapacity: t.bigint().notNull(),
    depositFeeBps: t.integer().notNull(),
    withdrawFeeBps: t.integer().notNull(),
    listedAt: t.bigint().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.chainId, table.productType, table.tokenAddress] }),
  }),
);

export const cashierState = onchainTable(
  "cashier_state",
  (t) => ({
    chainId: t.integer().notNull(),
    productType: t.text().notNull(),
    creditBuffer: t.bigint().notNull(),
    creditBufferCapacity: t.bigint().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.productType] }) }),
);

export const feeConfig = onchainTable(
  "fee_config",
  (t) => ({
    chainId: t.integer().notNull(),
    productType: t.text().notNull(),
    buyFeeBps: t.integer().notNull(),
    sellFeeBps: t.integer().notNull(),
    minFeeWad: t.bigint().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.productType] }) }),
);

/** The last word of the OneClickRouter about a user; `delegatee` is null once undelegated, `nonce` the next to sign. */
export const delegation = onchainTable(
  "delegation",
  (t) => ({
    chainId: t.integer().notNull(),
    productType: t.text().notNull(),
    userAddress: t.hex().notNull(),
    delegatee: t.hex(),
    nonce: t.bigint().notNull(),
    txHash: t.hex().notNull(),
    updatedAt: t.bigint().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.chainId, table.productType, table.userAddress] }),
  }),
);

/**
 * Holds each block with an event that the handlers read. A reorg reverts it with the rows, so readers find the last block
 * that they share with the index, also where no other row is left of what changed.
 */
export const eventBlock = onchainTable(
  "event_block",
  (t) => ({
    chainId: t.integer().notNull(),
    number: t.bigint().notNull(),
    hash: t.hex().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.number] }) }),
);

/** Raw ERC-8021 suffixes of transactions sent straight to the router; the worker verifies them. */
export const attributionSuffix = onchainTable(
  "attribution_suffix",
  (t) => ({
    chainId: t.integer().notNull(),
    productType: t.text().notNull(),
    txHash: t.hex().notNull(),
    fromAddress: t.hex().notNull(),
    /** Calldata without the suffix, which the suffix's own code covers. */
    callData: t.hex().notNull(),
    suffix: t.hex().notNull(),
    blockNumber: t.bigint().notNull(),
    transactionIndex: t.integer().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.chainId, table.productType, table.txHash] }),
    byBlock: index().on(table.chainId, table.productType, table.blockNumber),
  }),
);
