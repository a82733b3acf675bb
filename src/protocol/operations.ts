/**
 * Describes the operations that move cash and stock between wallet and exchange, by kind. Endpoints, calldata, sends, lists,
 * events, and how a transaction is recognized follow from it. Amounts are read in src/operations/amounts.ts.
 */
export const OPERATIONS = {
  deposit: {
    asset: "cash",
    isDeposit: true,
    /** Path of its list; with it begin the others, and policies and the log of events name the operation by it. */
    path: "cash/deposits",
    /** Field of the schema that shows one; with it begin the others, but that of its record. */
    field: "cashDeposit",
    recordField: "recordCashDepositTransaction",
    /** Function of the StockRouter, which takes the token and an amount. */
    routerFunction: "deposit",
    /** Events, of the Cashier or of Stock, that a receipt shows it by. */
    events: ["DepositRequested", "InstantDeposit"],
  },
  withdraw: {
    asset: "cash",
    isDeposit: false,
    path: "cash/withdrawals",
    field: "cashWithdrawal",
    recordField: "recordCashWithdrawalTransaction",
    routerFunction: "withdraw",
    events: ["WithdrawalRequested", "InstantWithdrawal"],
  },
  "stock-deposit": {
    asset: "stock",
    isDeposit: true,
    path: "stock/deposits",
    field: "stockDeposit",
    recordField: "recordStockDepositTransaction",
    routerFunction: "depositStock",
    events: ["StockDeposited"],
  },
  "stock-withdraw": {
    asset: "stock",
    isDeposit: false,
    path: "stock/withdrawals",
    field: "stockWithdrawal",
    recordField: "recordStockWithdrawalTransaction",
    routerFunction: "withdrawStock",
    events: ["StockWithdrawn"],
  },
} as const;

type Operations = typeof OPERATIONS;
export type OperationKind = keyof Operations;
type Asset = Operations[OperationKind]["asset"];
/** The kinds of operation with an asset. */
export type KindOf<A extends Asset> = {
  [K in OperationKind]: Operations[K]["asset"] extends A ? K : never;
}[OperationKind];
type EventOf<A extends Asset> = Operations[KindOf<A>]["events"][number];
export type OperationFunction = Operations[OperationKind]["routerFunction"];

export const OPERATION_KINDS = Object.keys(OPERATIONS) as readonly OperationKind[];
export const OPERATION_PATHS = OPERATION_KINDS.map((kind) => OPERATIONS[kind].path);

/** Returns the kinds of operation with an asset. */
export const kindsOf = <A extends Asset>(asset: A): KindOf<A>[] =>
  OPERATION_KINDS.filter((kind): kind is KindOf<A> => OPERATIONS[kind].asset === asset);

/** Returns the kinds of operation with an asset, by their events. */
export const kindsByEvent = <A extends Asset>(asset: A): Record<EventOf<A>, KindOf<A>> =>
  Object.fromEntries(
    kindsOf(asset).flatMap((kind) => OPERATIONS[kind].events.map((event) => [event, kind])),
  ) as Record<EventOf<A>, KindOf<A>>;

/** Kinds of operation by the function of the StockRouter that makes them. */
export const KIND_BY_FUNCTION = Object.fromEntries(
  OPERATION_KINDS.map((kind) => [OPERATIONS[kind].routerFunction, kind]),
) as Record<OperationFunction, OperationKind>;
