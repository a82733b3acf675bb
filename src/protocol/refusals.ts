import { ERROR_CATALOGUE, type ErrCode } from "./errors.ts";

/**
 * Which of the catalogue's refusals each endpoint may answer, by the GraphQL field behind it, beside those that any
 * request may meet (EVERYWHERE). The OpenAPI document tells partners; the tests refuse an answer that is not listed.
 */

/** What every endpoint may answer: a malformed request, what is refused before it is known, our own faults. */
export const EVERYWHERE: readonly ErrCode[] = (Object.keys(ERROR_CATALOGUE) as ErrCode[]).filter(
  (errCode) => errCode === "VALIDATION_FAILED" || ERROR_CATALOGUE[errCode].status !== 400,
);

const SYMBOL = ["SYMBOL_NOT_FOUND"] as const;
const AMOUNT = ["TOO_MANY_DECIMALS", "TOKEN_NOT_SUPPORTED", "TOKEN_PAUSED", "BELOW_MINIMUM"] as const;
const ORDER_INPUT = [
  "NOTIONAL_REQUIRED",
  "QUANTITY_REQUIRED",
  "PRICE_REQUIRED",
  "TIME_IN_FORCE_REQUIRED",
  "TIME_IN_FORCE_NOT_SUPPORTED",
  "DEADLINE_EXPIRED",
  ...AMOUNT,
] as const;
const CANCEL = ["ORDER_NOT_FOUND", "ORDER_NOT_CANCELABLE", "MARKET_ORDER_NOT_CANCELABLE"] as const;
const SEND = [
  "USER_NOT_BOUND",
  "DELEGATION_NOT_ENABLED",
  "IDEMPOTENCY_KEY_REUSED",
  "POLICY_REFUSED",
  "CHAIN_REVERT",
] as const;
const PAID = ["ALLOWANCE_INSUFFICIENT", "BALANCE_INSUFFICIENT"] as const;
const ORDER_SEND = [...ORDER_INPUT, ...SEND, ...PAID, "CLIENT_ORDER_ID_REUSED"] as const;
const MOVEMENT_SEND = [...AMOUNT, ...SEND, ...PAID] as const;
const RECORD = ["TX_WRONG_KIND", "TX_REVERTED", "TX_OWNED_BY_ANOTHER_KEY"] as const;
const OPERATION = ["OPERATION_NOT_FOUND"] as const;

export const REFUSALS: Readonly<Record<string, readonly ErrCode[]>> = {
  config: [],
  symbols: [],
  price: SYMBOL,
  priceHistory: SYMBOL,
  underlyingPrice: SYMBOL,
  corporateActions: [],
  balance: [],
  positions: [],
  orders: [],
  order: ["ORDER_NOT_FOUND"],
  orderByTransaction: ["TRANSACTION_NOT_FOUND"],
  orderCalldata: ORDER_INPUT,
  orderSend: ORDER_SEND,
  orderWithDepositCalldata: [...ORDER_INPUT, "DEPOSIT_NOT_INSTANT"],
  orderWithDepositSend: [...ORDER_SEND, "DEPOSIT_NOT_INSTANT"],
  orderCancelCalldata: CANCEL,
  orderCancelSend: [...CANCEL, ...SEND],
  recordOrderTransaction: RECORD,
  cashDeposits: [],
  cashDeposit: OPERATION,
  cashWithdrawals: [],
  cashWithdrawal: OPERATION,
  cashDepositCalldata: AMOUNT,
  cashDepositSend: MOVEMENT_SEND,
  recordCashDepositTransaction: RECORD,
  cashWithdrawalCalldata: AMOUNT,
  cashWithdrawalSend: MOVEMENT_SEND,
  recordCashWithdrawalTransaction: RECORD,
  stockDeposits: [],
  stockDeposit: OPERATION,
  stockWithdrawals: [],
  stockWithdrawal: OPERATION,
  stockDepositCalldata: AMOUNT,
  stockDepositSend: MOVEMENT_SEND,
  recordStockDepositTransaction: RECORD,
  stockWithdrawalCalldata: AMOUNT,
  stockWithdrawalSend: MOVEMENT_SEND,
  recordStockWithdrawalTransaction: RECORD,
  delegation: ["USER_NOT_BOUND"],
  delegationPrepare: ["USER_NOT_BOUND", "DEADLINE_EXPIRED"],
  delegationEnable: [
    "USER_NOT_BOUND",
    "DEADLINE_EXPIRED",
    "DELEGATION_NONCE_USED",
    "SIGNER_MISMATCH",
    "DELEGATION_NOT_ENABLED",
    "POLICY_REFUSED",
    "CHAIN_REVERT",
    "OUT_OF_GAS",
  ],
  delegationDisable: ["USER_NOT_BOUND"],
};
