import { decodeFunctionData, encodeFunctionData, type Hex } from "viem";
import { stockRouterAbi } from "../../contracts/abi/index.ts";
import { multiplyWadUp } from "../../protocol/decimal.ts";
import { type SendOperation, TIME_IN_FORCE } from "../../protocol/enums.ts";
import {
  KIND_BY_FUNCTION,
  OPERATION_KINDS,
  OPERATIONS,
  type OperationFunction,
  type OperationKind,
} from "../../protocol/operations.ts";

/** The call of the StockRouter within `executeFor`: the effect of a send for its user. */

/** Base units of a token; of a withdrawal, mUSD wad. */
export interface TokenAmount {
  token: Hex;
  amount: bigint;
}

/** An order, as its call places it; mUSD and stock are wad. */
export type SignedOrder = { kind: "order"; stockToken: Hex; paidIn: TokenAmount | null } & (
  | { side: "Buy" /** Maximum cost, without fees. */; notional: bigint }
  | { side: "Sell"; quantity: bigint /** Null: at the market. */; price: bigint | null }
);

/** A movement of cash or stock, as its call makes it. */
export interface SignedOperation extends TokenAmount {
  kind: OperationKind;
}

/** Effect of a call of the StockRouter. */
export type RouterAction = SignedOrder | SignedOperation | { kind: "cancel"; orderId: Hex };

/** Thrown for a call that its request does not allow. The message is for the operator. */
export class CallRefused extends Error {
  override readonly name = "CallRefused";
}

/** Functions by which an operation is sent. */
const FUNCTIONS: Partial<Record<SendOperation, readonly string[]>> = {
  "orders/send": ["placeMarketOrder", "placeLimitOrder"],
  "orders/with-deposit/send": [
    "depositAndMarketBuy",
    "depositAndLimitBuy",
    "depositStockAndMarketSell",
    "depositStockAndLimitSell",
  ],
  "orders/cancel": ["cancelLimitOrder"],
  ...Object.fromEntries(
    OPERATION_KINDS.map((kind) => [OPERATIONS[kind].path, [OPERATIONS[kind].routerFunction]]),
  ),
};

/**
 * Returns the effect of a call of the StockRouter, and its deadline in Unix seconds.
 * @throws CallRefused where it is no call of the operation
 */
export function readRouterCall(
  operation: SendOperation,
  data: Hex,
): { action: RouterAction; deadline: number | null } {
  const call = decode(data);
  if (!FUNCTIONS[operation]?.includes(call.functionName))
    throw new CallRefused(`${call.functionName} is no call of ${operation}`);
  if (isOperation(call)) return { action: readOperation(call), deadline: null };
  const { functionName, args } = call;
  switch (functionName) {
    case "placeMarketOrder": {
      const [stockToken, amount, deadline] = args;
      return { action: marketOrder(stockToken, amount, null), deadline };
    }
    case "placeLimitOrder": {
      const [stockToken, quantity, price, tif, deadline] = args;
      return { action: limitOrder(stockToken, { quantity, price, tif }, null), deadline };
    }
    case "depositAndMarketBuy": {
      const [token, amount, stockToken, notional, deadline] = args;
      return { action: requireSide("Buy", marketOrder(stockToken, notional, { token, amount })), deadline };
    }
    case "depositAndLimitBuy": {
      const [token, amount, stockToken, quantity, price, tif, deadline] = args;
      const order = limitOrder(stockToken, { quantity, price, tif }, { token, amount });
      return { action: requireSide("Buy", order), deadline };
    }
    case "depositStockAndMarketSell": {
      const [token, amount, quantity, deadline] = args;
      return { action: requireSide("Sell", marketOrder(token, quantity, { token, amount })), deadline };
    }
    case "depositStockAndLimitSell": {
      const [token, amount, quantity, price, tif, deadline] = args;
      const order = limitOrder(token, { quantity, price, tif }, { token, amount });
      return { action: requireSide("Sell", order), deadline };
    }
    case "cancelLimitOrder":
      return { action: { kind: "cancel", orderId: args[0] }, deadline: null };
    default:
      throw new CallRefused(`${functionName} is no call of ${operation}`);
  }
}

type DecodedCall = ReturnType<typeof decode>;
type OperationCall = Extract<DecodedCall, { functionName: OperationFunction }>;

const isOperation = (call: DecodedCall): call is OperationCall => call.functionName in KIND_BY_FUNCTION;

function readOperation({ functionName, args: [token, amount] }: OperationCall): SignedOperation {
  return { kind: KIND_BY_FUNCTION[functionName], token: lower(token), amount: requireAmount(amount) };
}

function decode(data: Hex) {
  const abi = stockRouterAbi;
  return decodeExactly(
    data,
    () => decodeFunctionData({ abi, data }),
    (decoded) => encodeFunctionData({ abi, ...decoded }),
  );
}

/**
 * Decodes a call, encodes it again and compares every byte.
 * @throws CallRefused
 */
export function decodeExactly<T>(data: Hex, decodeCall: () => T, encodeCall: (decoded: T) => Hex): T {
  let decoded: T;
  let encoded: Hex;
  try {
    decoded = decodeCall();
    encoded = encodeCall(decoded);
  } catch (cause) {
    throw new CallRefused("its call cannot be read", { cause });
  }
  if (data === encoded) return decoded;
  throw new CallRefused("its bytes are not the encoding of its call");
}

/** @param amount mUSD of a buy, minus the stock of a sale */
function marketOrder(stockToken: Hex, amount: bigint, paidIn: TokenAmount | null): SignedOrder {
  const order = { kind: "order", ...tokensOf(stockToken, paidIn) } as const;
  if (requireAmount(amount) > 0n) return { ...order, side: "Buy", notional: amount };
  return { ...order, side: "Sell", quantity: -amount, price: null };
}

/** @param terms the quantity of a sale is negative */
function limitOrder(
  stockToken: Hex,
  { quantity, price, tif }: { quantity: bigint; price: bigint; tif: number },
  paidIn: TokenAmount | null,
): SignedOrder {
  if (tif !== TIME_IN_FORCE.DAY) throw new CallRefused(`its time in force is ${tif}`);
  const order = { kind: "order", ...tokensOf(stockToken, paidIn) } as const;
  if (requireAmount(quantity) > 0n)
    return { ...order, side: "Buy", notional: multiplyWadUp(quantity, price) };
  return { ...order, side: "Sell", quantity: -quantity, price };
}

const tokensOf = (stockToken: Hex, paidIn: TokenAmount | null) => ({
  stockToken: lower(stockToken),
  paidIn: paidIn && { ...paidIn, token: lower(paidIn.token) },
});

function requireAmount(amount: bigint): bigint {
  if (amount === 0n) throw new CallRefused("its amount is zero");
  return amount;
}

/** Requires the side that a combined call is named after: the contract takes an amount of either sign. */
function requireSide(side: SignedOrder["side"], order: SignedOrder): SignedOrder {
  if (order.side !== side) throw new CallRefused(`its amount is that of a ${order.side}`);
  return order;
}

export const lower = (address: Hex): Hex => address.toLowerCase() as Hex;
