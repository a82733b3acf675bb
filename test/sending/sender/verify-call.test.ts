import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import {
  concat,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  toFunctionSelector,
  toHex,
} from "viem";
import { oneClickRouterAbi, stockRouterAbi } from "../../../src/contracts/abi/index.ts";
import { encodeOperation } from "../../../src/operations/prepare.ts";
import { encodeCancel } from "../../../src/orders/cancel.ts";
import { encodeOrder } from "../../../src/orders/encode.ts";
import { encodeOrderWithDeposit } from "../../../src/orders/encode-with-deposit.ts";
import type { OrderTerms } from "../../../src/orders/input.ts";
import { multiplyWadUp } from "../../../src/protocol/decimal.ts";
import { SEND_OPERATIONS, type SendOperation } from "../../../src/protocol/enums.ts";
import { OPERATIONS, type OperationKind } from "../../../src/protocol/operations.ts";
import { UNDELEGATE_GAS } from "../../../src/sending/delegation/undelegation.ts";
import { CallRefused } from "../../../src/sending/sender/router-call.ts";
import { type CallRules, verifyCall } from "../../../src/sending/sender/verify-call.ts";
import { TRAILER_BYTES } from "../../../src/sending/trailer.ts";

const address = (digit: string): Hex => `0x${digit.repeat(40)}`;
const [WALLET, USER, ROUTER, STOCK_ROUTER] = [address("a"), address("b"), address("c"), address("d")];
const OTHER = address("e");
const RULES: CallRules = { routers: new Map([["Sandbox", ROUTER]]), gasLimitMax: 10_000_000n };

type Request = Parameters<typeof verifyCall>[0];

const abi = oneClickRouterAbi;
const executeFor = (routerCall: Hex, user = USER): Hex =>
  encodeFunctionData({ abi, functionName: "executeFor", args: [user, routerCall] });
const undelegateFor = (user = USER): Hex =>
  encodeFunctionData({ abi, functionName: "undelegateFor", args: [user] });

const request = (operation: SendOperation, data: Hex, more: Partial<Request> = {}): Request => ({
  operation,
  productType: "Sandbox",
  user: USER,
  wallet: WALLET,
  to: ROUTER,
  data,
  gasLimit: 300_000n,
  deadline: null,
  notional: null,
  ...more,
});

const bytes = (length: number): fc.Arbitrary<Hex> =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((value) => toHex(value));
const token = bytes(20);
const amountBelow = (bits: number) => fc.bigInt({ min: 1n, max: 2n ** BigInt(bits) - 1n });
const int96 = amountBelow(95);
const uint96 = amountBelow(96);
const deadline = fc.integer({ min: 1, max: 2 ** 32 - 1 });

const buys: fc.Arbitrary<OrderTerms> = fc.oneof(
  int96.map((notional) => ({ type: "Market", side: "Buy", notional }) as const),
  fc.record({
    type: fc.constant("Limit" as const),
    side: fc.constant("Buy" as const),
    quantity: int96,
    price: uint96,
  }),
);
const sales: fc.Arbitrary<OrderTerms> = fc.oneof(
  int96.map((quantity) => ({ type: "Market", side: "Sell", quantity }) as const),
  fc.record({
    type: fc.constant("Limit" as const),
    side: fc.constant("Sell" as const),
    quantity: int96,
    price: uint96,
  }),
);
const notionalOf = (terms: OrderTerms): bigint | null => {
  if (terms.side === "Sell") return null;
  return terms.type === "Market" ? terms.notional : multiplyWadUp(terms.quantity, terms.price);
};

const operations = (kind: OperationKind, amounts: fc.Arbitrary<bigint>): fc.Arbitrary<Request> =>
  fc
    .tuple(token, amounts)
    .map(([moved, amount]) =>
      request(OPERATIONS[kind].path, executeFor(encodeOperation(kind, STOCK_ROUTER, moved, amount).callData)),
    );

/** Calls of every endpoint. */
const built: Record<SendOperation, fc.Arbitrary<Request>> = {
  "orders/send": fc.record({ stockAddress: token, deadline, terms: fc.oneof(buys, sales) }).map((order) => {
    const { callData } = encodeOrder({ router: STOCK_ROUTER, ...order });
    const row = { deadline: BigInt(order.deadline), notional: notionalOf(order.terms) };
    return request("orders/send", executeFor(callData), row);
  }),
  "orders/with-deposit/send": fc
    .record({ stockAddress: token, deadline, terms: fc.oneof(buys, sales), token, amount: uint96 })
    .map(({ token: paid, amount, ...order }) => {
      const { callData } = encodeOrderWithDeposit(
        { router: STOCK_ROUTER, ...order },
        { token: paid, amount },
      );
      const row = { deadline: BigInt(order.deadline), notional: notionalOf(order.terms) };
      return request("orders/with-deposit/send", executeFor(callData), row);
    }),
  "orders/cancel": bytes(32).map((orderId) =>
    request("orders/cancel", executeFor(encodeCancel(STOCK_ROUTER, orderId).callData)),
  ),
  "cash/deposits": operations("deposit", uint96),
  "cash/withdrawals": operations("withdraw", uint96),
  "stock/deposits": operations("stock-deposit", amountBelow(256)),
  "stock/withdrawals": operations("stock-withdraw", amountBelow(256)),
  "1ct/enable": fc
    .tuple(amountBelow(64), deadline, fc.integer({ min: 0, max: 300 }).chain(bytes))
    .map(([nonce, until, signature]) =>
      request(
        "1ct/enable",
        encodeFunctionData({
          abi,
          functionName: "delegateBySig",
          args: [USER, WALLET, nonce, until, signature],
        }),
        { deadline: BigInt(until) },
      ),
    ),
  "1ct/disable": fc.constant(request("1ct/disable", undelegateFor(), { gasLimit: UNDELEGATE_GAS })),
};
/** Returns calls with the trailer that names the request, and without, as 0.1.0 wrote them. */
const withTrailer = (operation: SendOperation): fc.Arbitrary<Request> =>
  fc
    .tuple(built[operation], fc.option(bytes(TRAILER_BYTES - 1)))
    .map(([given, fields]) =>
      fields === null || operation.startsWith("1ct/")
        ? given
        : { ...given, data: concat([given.data, "0x01", fields]) },
    );
const anyBuilt = fc.oneof(...SEND_OPERATIONS.map(withTrailer));

const verify = (given: Request) => verifyCall(given, WALLET, RULES);
const isRefused = (given: Request): boolean => {
  try {
    verify(given);
    return false;
  } catch (error) {
    if (error instanceof CallRefused) return true;
    throw error;
  }
};
const flipped = (data: Hex, at: number, mask: number): Hex => {
  const copy = Buffer.from(data.slice(2), "hex");
  copy[at] = (copy[at] ?? 0) ^ mask;
  return `0x${copy.toString("hex")}`;
};

describe("a call that an endpoint builds", () => {
  it.each(SEND_OPERATIONS)("passes: %s", (operation) => {
    fc.assert(fc.property(withTrailer(operation), (given) => expect(verify(given)).toMatchObject(given)));
  });

  it("is refused under any other operation", () => {
    fc.assert(
      fc.property(anyBuilt, fc.constantFrom(...SEND_OPERATIONS), (given, operation) => {
        expect(isRefused({ ...given, operation })).toBe(operation !== given.operation);
      }),
    );
  });

  it("is refused with one bit of it altered, or is the same operation of the same row on another token, amount, order or signature", () => {
    const bit = fc.record({ place: fc.nat(), mask: fc.integer({ min: 1, max: 255 }) });
    fc.assert(
      fc.property(anyBuilt, bit, (given, { place, mask }) => {
        const data = flipped(given.data, place % (given.data.length / 2 - 1), mask);
        const altered = { ...given, data };
        if (isRefused(altered)) return;
        const { action } = verify(altered);
        const was = verify(given).action;
        expect(action.kind).toBe(was.kind);
        if (action.kind === "order" && was.kind === "order") expect(action.side).toBe(was.side);
        // Everything that names the user, the wallet, the function or the length is unchanged.
        expect(data.slice(0, 74)).toBe(given.data.slice(0, 74));
      }),
      { numRuns: 2_000 },
    );
  });

  it("is refused with bytes behind it, or without its last ones", () => {
    fc.assert(
      fc.property(
        anyBuilt,
        fc.integer({ min: 1, max: 64 }),
        fc.integer({ min: 0, max: 255 }),
        (given, count, byte) => {
          const longer = concat([given.data, toHex(new Uint8Array(count).fill(byte))]);
          const shorter: Hex = `0x${given.data.slice(2, -2 * count)}`;
          const taken = [longer, shorter].filter((data) => !isRefused({ ...given, data }));
          expect(taken).toEqual([]);
        },
      ),
    );
  });

  it.each<[string, Partial<Request>]>([
    ["another target", { to: OTHER }],
    ["the StockRouter as its target", { to: STOCK_ROUTER }],
    ["another user", { user: OTHER }],
    ["another wallet", { wallet: OTHER }],
    ["a product that is not in the deployments file", { productType: "Other" }],
    ["a gas limit above the deployment's", { gasLimit: 10_000_001n }],
    ["another deadline", { deadline: 1n }],
  ])("is refused with %s in its row", (_what, change) => {
    fc.assert(
      fc.property(anyBuilt, (given) => {
        // An undelegation has no deadline to change.
        if ("deadline" in change && given.operation === "1ct/disable") return;
        if (change.deadline === given.deadline) return;
        expect({ given, change, isRefused: isRefused({ ...given, ...change }) }).toEqual({
          given,
          change,
          isRefused: true,
        });
      }),
    );
  });

  it("is refused where its row counts a buy as less than it costs", () => {
    const order = { router: STOCK_ROUTER, stockAddress: OTHER, deadline: 9 } as const;
    const { callData } = encodeOrder({ ...order, terms: { type: "Market", side: "Buy", notional: 1_000n } });
    const row = (notional: bigint | null) =>
      request("orders/send", executeFor(callData), { deadline: 9n, notional });
    const taken = [null, 0n, 999n, 1_000n, 1_001n].filter((notional) => !isRefused(row(notional)));
    expect(taken).toEqual([1_000n]);
  });
});

const filled = (length: number): Hex => `0x${"ab".repeat(length)}`;

describe("is refused:", () => {
  const deposit = encodeOperation("deposit", STOCK_ROUTER, OTHER, 5n).callData;
  const inRouter = (
    functionName: "placeMarketOrder" | "depositAndMarketBuy" | "depositStockAndMarketSell",
    args: never,
  ): Hex => executeFor(encodeFunctionData({ abi: stockRouterAbi, functionName, args }));
  const limit = (tif: number): Hex =>
    executeFor(
      encodeFunctionData({
        abi: stockRouterAbi,
        functionName: "placeLimitOrder",
        args: [OTHER, 1n, 1n, tif, 9],
      }),
    );
  /** `executeFor` with the offset of its bytes 32 higher than necessary. */
  const roundabout: Hex = concat([
    toFunctionSelector("executeFor(address,bytes)"),
    encodeAbiParameters([{ type: "address" }, { type: "uint256" }, { type: "uint256" }], [USER, 96n, 0n]),
    `0x${encodeAbiParameters([{ type: "bytes" }], [deposit]).slice(66)}`,
  ]);

  it("of which one means the same as what is signed", () => {
    expect(decodeFunctionData({ abi, data: roundabout })).toEqual(
      decodeFunctionData({ abi, data: executeFor(deposit) }),
    );
    expect(isRefused(request("cash/deposits", executeFor(deposit)))).toBe(false);
  });

  it.each<[string, SendOperation, Hex]>([
    ["no call", "cash/deposits", "0x"],
    ["bytes that are no call", "cash/deposits", `0x${"5a".repeat(100)}`],
    [
      "approve on a token",
      "cash/deposits",
      encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [OTHER, 2n ** 256n - 1n] }),
    ],
    [
      "approve within executeFor",
      "cash/deposits",
      executeFor(encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [OTHER, 1n] })),
    ],
    ["nothing within executeFor", "cash/deposits", executeFor("0x")],
    ["bytes behind the call within executeFor", "cash/deposits", executeFor(concat([deposit, "0x00"]))],
    ["executeFor within executeFor", "cash/deposits", executeFor(executeFor(deposit))],
    ["a trailer of another version", "cash/deposits", concat([executeFor(deposit), "0x02", filled(64)])],
    ["a trailer that is one byte longer", "cash/deposits", concat([executeFor(deposit), "0x01", filled(65)])],
    ["two trailers", "cash/deposits", concat([executeFor(deposit), "0x01", filled(64), "0x01", filled(64)])],
    ["a trailer within executeFor", "cash/deposits", executeFor(concat([deposit, "0x01", filled(64)]))],
    ["a trailer behind an undelegation", "1ct/disable", concat([undelegateFor(), "0x01", filled(64)])],
    ["bytes that are encoded in a roundabout way", "cash/deposits", roundabout],
    ["a call for another user", "cash/deposits", executeFor(deposit, OTHER)],
    ["an undelegation of another user", "1ct/disable", undelegateFor(OTHER)],
    [
      "undelegate() of the wallet itself",
      "1ct/disable",
      encodeFunctionData({ abi, functionName: "undelegate" }),
    ],
    [
      "a view of the router",
      "1ct/disable",
      encodeFunctionData({ abi, functionName: "nonceOf", args: [USER] }),
    ],
    [
      "a view of the StockRouter",
      "cash/deposits",
      executeFor(encodeFunctionData({ abi: stockRouterAbi, functionName: "cashier" })),
    ],
    [
      "an amount of zero",
      "cash/deposits",
      executeFor(encodeOperation("deposit", STOCK_ROUTER, OTHER, 0n).callData),
    ],
    ["an order of zero", "orders/send", inRouter("placeMarketOrder", [OTHER, 0n, 9] as never)],
    ["another time in force", "orders/send", limit(1)],
    [
      "a combined buy of a negative amount",
      "orders/with-deposit/send",
      inRouter("depositAndMarketBuy", [OTHER, 1n, OTHER, -1n, 9] as never),
    ],
    [
      "a combined sale of a positive amount",
      "orders/with-deposit/send",
      inRouter("depositStockAndMarketSell", [OTHER, 1n, 1n, 9] as never),
    ],
    [
      "a delegation to another wallet",
      "1ct/enable",
      encodeFunctionData({ abi, functionName: "delegateBySig", args: [USER, OTHER, 0n, 9, "0x"] }),
    ],
  ])("%s", (_what, operation, data) => {
    const deadline = operation.startsWith("orders/") || operation === "1ct/enable" ? 9n : null;
    expect(() => verify(request(operation, data, { deadline }))).toThrow(CallRefused);
  });
});
