import { describe, expect, it } from "@jest/globals";
import { Interface } from "ethers";
import fc from "fast-check";
import { encodeOrder } from "../../src/orders/encode.ts";
import type { OrderTerms } from "../../src/orders/input.ts";
import { LONG } from "../support/assert/long.ts";

/** The interface as docs/contracts.md#stockrouter states it, decoded by a library that the server does not use. */
const router = new Interface([
  "function placeMarketOrder(address stockToken, int96 amount, uint32 deadline) returns (bytes32 orderId)",
  "function placeLimitOrder(address stockToken, int96 quantity, uint96 price, uint8 tif, uint32 deadline) returns (bytes32 orderId)",
]);

const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString("hex")}` as const);
const int96 = fc.bigInt({ min: 1n, max: 2n ** 95n - 1n });
const uint96 = fc.bigInt({ min: 1n, max: 2n ** 96n - 1n });
const deadline = fc.integer({ min: 0, max: 4_294_967_295 });
const side = fc.constantFrom("Buy" as const, "Sell" as const);

const terms: fc.Arbitrary<OrderTerms> = fc.oneof(
  fc.record({ type: fc.constant("Market" as const), side: fc.constant("Buy" as const), notional: int96 }),
  fc.record({ type: fc.constant("Market" as const), side: fc.constant("Sell" as const), quantity: int96 }),
  fc.record({ type: fc.constant("Limit" as const), side, quantity: int96, price: uint96 }),
);

/** Derives the expected router call from the order alone. */
function expected(order: OrderTerms, stock: string, until: number): { method: string; args: string[] } {
  const sign = order.side === "Buy" ? 1n : -1n;
  if (order.type === "Limit") {
    const { quantity, price } = order;
    return { method: "placeLimitOrder", args: [stock, `${sign * quantity}`, `${price}`, "0", `${until}`] };
  }
  const amount = order.side === "Buy" ? order.notional : order.quantity;
  return { method: "placeMarketOrder", args: [stock, `${sign * amount}`, `${until}`] };
}

describe("encodeOrder", () => {
  it("is read by ethers as exactly the order that was asked for", () => {
    fc.assert(
      fc.property(address, address, deadline, terms, (to, stock, until, order) => {
        const call = encodeOrder({ router: to, stockAddress: stock, deadline: until, terms: order });
        const read = router.parseTransaction({ data: call.callData });
        const want = expected(order, stock, until);
        expect(read?.name).toBe(want.method);
        expect(read?.args.map((value) => String(value).toLowerCase())).toEqual(want.args);
        expect(call).toMatchObject({ toAddress: to, value: "0", method: want.method });
        expect(Object.values(call.args).map((value) => value.toLowerCase())).toEqual(want.args);
        // The calldata has these arguments and nothing else.
        expect(router.encodeFunctionData(want.method, read?.args ?? [])).toBe(call.callData);
      }),
      { numRuns: LONG ? 300 : 100 },
    );
  });

  it("cannot be changed any more", () => {
    const call = encodeOrder({
      router: `0x${"11".repeat(20)}`,
      stockAddress: `0x${"22".repeat(20)}`,
      deadline: 1,
      terms: { type: "Market", side: "Buy", notional: 1n },
    });
    expect(() => Object.assign(call, { callData: "0x" })).toThrow(TypeError);
    expect(() => Object.assign(call.args, { amount: "2" })).toThrow(TypeError);
  });
});
