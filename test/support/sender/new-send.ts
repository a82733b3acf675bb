import { randomBytes } from "node:crypto";
import { encodeFunctionData, type Hex } from "viem";
import { oneClickRouterAbi, stockRouterAbi } from "../../../src/contracts/abi/index.ts";
import { multiplyWadUp } from "../../../src/protocol/decimal.ts";
import type { SendRow } from "../../../src/sending/outbox/rows.ts";
import type { NewSend } from "../../../src/sending/outbox/submit.ts";
import type { Appraised } from "../../../src/sending/sender/appraise.ts";
import type { Facts } from "../../../src/sending/sender/facts.ts";
import { type CallRules, verifyCall } from "../../../src/sending/sender/verify-call.ts";

/** The OneClickRouter of tests without contracts. Without code, a call to it always succeeds. */
export const NOWHERE: Hex = "0x00000000000000000000000000000000000beef1";
/** A token that calls of newSend name. */
export const STOCK_TOKEN: Hex = "0x0000000000000000000000000000000000057012";

/** Returns rules that allow calls where NOWHERE is the router of a product. */
export const rulesFor = (productType: string, router = NOWHERE): CallRules => ({
  routers: new Map([[productType, router]]),
  gasLimitMax: 10n ** 12n,
});

/** Deadlines are part of an order's call. */
const NEVER = 2n ** 32n - 1n;

/** Returns a call that no other call equals: by default a sale at the market, and a buy where a notional is given. */
export function newSend(wallet: Hex, user: Hex, more: Partial<NewSend> = {}): NewSend {
  const { operation = "orders/send", notional = null } = more;
  const isOrder = operation === "orders/send";
  const deadline = more.deadline ?? (isOrder || operation === "1ct/enable" ? NEVER : null);
  return {
    operation,
    wallet,
    user,
    to: NOWHERE,
    data: callOf(operation, { wallet, user, deadline: Number(deadline ?? 0), notional }),
    gasLimit: 100_000n,
    idempotencyKey: null,
    inputHash: "0",
    clientOrderId: null,
    operationType: "trade",
    operationKey: null,
    symbol: null,
    needsDelegation: true,
    queuedMax: 500,
    ...more,
    deadline,
    notional,
  };
}

interface CallTerms {
  wallet: Hex;
  user: Hex;
  deadline: number;
  notional: bigint | null;
}

const some = (bytes: number): bigint => BigInt(`0x${randomBytes(bytes).toString("hex")}`) + 1n;

function callOf(operation: NewSend["operation"], { wallet, user, deadline, notional }: CallTerms): Hex {
  const abi = oneClickRouterAbi;
  if (operation === "1ct/enable") {
    const args = [user, wallet, some(4), deadline, `0x${randomBytes(65).toString("hex")}`] as const;
    return encodeFunctionData({ abi, functionName: "delegateBySig", args });
  }
  if (operation === "1ct/disable")
    return encodeFunctionData({ abi, functionName: "undelegateFor", args: [user] });
  const args = [user, routerCallOf(operation, deadline, notional)] as const;
  return encodeFunctionData({ abi, functionName: "executeFor", args });
}

function routerCallOf(operation: NewSend["operation"], deadline: number, notional: bigint | null): Hex {
  const abi = stockRouterAbi;
  switch (operation) {
    case "orders/send": {
      const args = [STOCK_TOKEN, notional ?? -some(8), deadline] as const;
      return encodeFunctionData({ abi, functionName: "placeMarketOrder", args });
    }
    case "orders/cancel":
      return encodeFunctionData({
        abi,
        functionName: "cancelLimitOrder",
        args: [`0x${randomBytes(32).toString("hex")}`],
      });
    case "cash/deposits":
      return encodeFunctionData({ abi, functionName: "deposit", args: [STOCK_TOKEN, some(8)] });
    case "cash/withdrawals":
      return encodeFunctionData({ abi, functionName: "withdraw", args: [STOCK_TOKEN, some(8)] });
    case "stock/deposits":
      return encodeFunctionData({ abi, functionName: "depositStock", args: [STOCK_TOKEN, some(8)] });
    case "stock/withdrawals":
      return encodeFunctionData({ abi, functionName: "withdrawStock", args: [STOCK_TOKEN, some(8)] });
    default:
      throw new Error(`no call of ${operation} is made here`);
  }
}

/** Verifies a stored request as its worker does before it signs, where its key has no policy that asks for more. */
export const verified = (request: SendRow): Appraised => ({
  ...verifyCall(request, request.wallet, rulesFor(request.productType)),
  appraisal: null,
});

/** Facts about STOCK_TOKEN, a stock (AAPL) and a cash token with 18 decimals at once. */
export interface StubFacts extends Facts {
  /** mUSD wad per token; null: there is no quote now. */
  price: bigint | null;
  /** The fee of deposits and withdrawals. */
  feeBps: number;
}

export function stubFacts(): StubFacts {
  const address = STOCK_TOKEN;
  const facts: StubFacts = {
    price: 10n ** 18n,
    feeBps: 0,
    readTokens: async () => {
      const buffers = { withdrawBuffer: 0n, withdrawBufferCapacity: 0n };
      const terms = {
        minAmount: 0n,
        usdRate: 1_000_000n,
        depositPaused: false,
        withdrawPaused: false,
        ...buffers,
      };
      const fees = { depositFeeBps: facts.feeBps, withdrawFeeBps: facts.feeBps };
      const stock = { address, symbol: "AAPL", tradable: true, multiplier: 10n ** 18n };
      return {
        stock: new Map([[address, stock]]),
        cash: new Map([[address, { address, decimals: 18, ...terms, ...fees }]]),
      };
    },
    readOrderSymbols: async (_scope, orderIds) => new Map(orderIds.map((orderId) => [orderId, "AAPL"])),
    valueSale: async (_token, { quantity, limit }) => {
      if (facts.price === null) return { notional: null, unquoted: true };
      const price = limit !== null && limit > facts.price ? limit : facts.price;
      return { notional: multiplyWadUp(quantity, price), unquoted: false };
    },
  };
  return facts;
}
