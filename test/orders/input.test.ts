import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { parseInput, requireFuture } from "../../src/context/input/fields.ts";
import { parseBody } from "../../src/http/arguments.ts";
import { checkOrder, orderIdShape, orderListShape, orderShape, txHashShape } from "../../src/orders/input.ts";
import { ApiError } from "../../src/protocol/errors.ts";
import { refusal } from "../support/assert/errors.ts";
import { LONG } from "../support/assert/long.ts";

const NOW_MS = 1_800_000_000_500;
const STOCK = `0x${"aB".repeat(20)}`;
const WAD = 10n ** 18n;
const LATER = "1800000060";

const marketBuy = { stockAddress: STOCK, side: "Buy", type: "Market", notional: "100", deadline: LATER };
const marketSell = { stockAddress: STOCK, side: "Sell", type: "Market", quantity: "2", deadline: LATER };
const limit = {
  symbol: "aapl",
  side: "Buy",
  type: "Limit",
  quantity: "1.5",
  price: "180.25",
  timeInForce: "DAY",
  deadline: LATER,
};
type Args = Record<string, unknown>;

function parseOrder(args: Args, nowMs: number, requireMore?: Parameters<typeof checkOrder>[1]) {
  const input = checkOrder(parseInput(orderShape, args), requireMore);
  requireFuture(input.deadline, nowMs);
  return input;
}

describe("what is taken", () => {
  it.each<[string, Args, object]>([
    ["a market buy", marketBuy, { terms: { type: "Market", side: "Buy", notional: 100n * WAD } }],
    ["a market sell", marketSell, { terms: { type: "Market", side: "Sell", quantity: 2n * WAD } }],
    [
      "a limit buy",
      limit,
      {
        terms: { type: "Limit", side: "Buy", quantity: (3n * WAD) / 2n, price: (721n * WAD) / 4n },
        symbol: "aapl",
      },
    ],
    ["a limit sell", { ...limit, side: "Sell" }, { terms: { type: "Limit", side: "Sell" } }],
    ["an address in any case, as lower case", marketBuy, { stockAddress: STOCK.toLowerCase() }],
    ["timeInForce DAY on a market order", { ...marketBuy, timeInForce: "DAY" }, { deadline: 1_800_000_060 }],
    ["a deadline as a number", { ...marketBuy, deadline: 1_800_000_060 }, { deadline: 1_800_000_060 }],
    ["an amount as a number", { ...marketBuy, notional: 100 }, { terms: { notional: 100n * WAD } }],
    ["an amount with a leading point", { ...marketBuy, notional: ".5" }, { terms: { notional: WAD / 2n } }],
    [
      "an address with its prefix in upper case",
      { ...marketBuy, stockAddress: STOCK.toUpperCase() },
      { stockAddress: STOCK.toLowerCase() },
    ],
    [
      "18 fraction digits",
      { ...marketBuy, notional: "1.000000000000000001" },
      { terms: { notional: WAD + 1n } },
    ],
    ["null as not given", { ...marketBuy, price: null, quantity: null, symbol: null }, { symbol: undefined }],
    [
      "the last second that the chain can name",
      { ...marketBuy, deadline: "4294967295" },
      { deadline: 4294967295 },
    ],
    ["the next second", { ...marketBuy, deadline: "1800000001" }, { deadline: 1_800_000_001 }],
    ["a wallet", { ...marketBuy, userAddress: STOCK }, { userAddress: STOCK.toLowerCase() }],
    ["a clientOrderId", { ...marketBuy, clientOrderId: "a_B-9" }, { clientOrderId: "a_B-9" }],
    [
      "the largest int96",
      { ...marketBuy, notional: "39614081257.132168796771975167" },
      { terms: { notional: 2n ** 95n - 1n } },
    ],
  ])("%s", (_what, args, expected) => {
    expect(parseOrder(args, NOW_MS)).toMatchObject(expected);
  });
});

describe("an amount as a body has it, a string or a number", () => {
  const asSent = (amount: string) =>
    parseOrder({ ...marketBuy, ...parseBody(Buffer.from(`{"notional":${amount}}`)) }, NOW_MS).terms;

  it.each([
    ["1.10", (11n * WAD) / 10n],
    ['"1.10"', (11n * WAD) / 10n],
    ["0.000000000000000001", 1n],
    ["12345678901.123456789012345678", 12_345_678_901_123_456_789_012_345_678n],
    ['".5"', WAD / 2n],
  ])("%s is read to its last digit", (amount, notional) => {
    expect(asSent(amount)).toEqual({ type: "Market", side: "Buy", notional });
  });

  it.each(["1e2", '"1e2"', "1E2", "1e0", '"1e0"', "100e-2", "-1", '"-1"', '"1."', '"."', '""'])(
    "%s is refused, and the error names the field",
    (amount) => {
      expect(refusal(() => asSent(amount))).toEqual({ errCode: "VALIDATION_FAILED", param: "notional" });
    },
  );
});

describe("what is refused", () => {
  const without = (args: Args, ...names: string[]) =>
    Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)));

  it.each<[string, Args, string, string]>([
    ["a malformed address", { ...marketBuy, stockAddress: "0x12" }, "VALIDATION_FAILED", "stockAddress"],
    [
      "an address that is no string",
      { ...marketBuy, stockAddress: true },
      "VALIDATION_FAILED",
      "stockAddress",
    ],
    ["a zero byte in a symbol", { ...limit, symbol: "AA\0PL" }, "VALIDATION_FAILED", "symbol"],
    ["an empty symbol list", { ...limit, symbol: ["AAPL"] }, "VALIDATION_FAILED", "symbol"],
    ["a side in another case", { ...marketBuy, side: "buy" }, "VALIDATION_FAILED", "side"],
    ["a missing side", without(marketBuy, "side"), "VALIDATION_FAILED", "side"],
    ["a type that is none", { ...marketBuy, type: "Stop" }, "VALIDATION_FAILED", "type"],
    ["a missing type", without(marketBuy, "type"), "VALIDATION_FAILED", "type"],
    ["no token", without(marketBuy, "stockAddress"), "VALIDATION_FAILED", "stockAddress"],
    ["a market buy without notional", without(marketBuy, "notional"), "NOTIONAL_REQUIRED", "notional"],
    [
      "a market buy by quantity",
      { ...without(marketBuy, "notional"), quantity: "1" },
      "NOTIONAL_REQUIRED",
      "notional",
    ],
    ["a market sell without quantity", without(marketSell, "quantity"), "QUANTITY_REQUIRED", "quantity"],
    [
      "a market sell by notional",
      { ...without(marketSell, "quantity"), notional: "1" },
      "QUANTITY_REQUIRED",
      "quantity",
    ],
    ["a limit order without quantity", without(limit, "quantity"), "QUANTITY_REQUIRED", "quantity"],
    ["a limit order without price", without(limit, "price"), "PRICE_REQUIRED", "price"],
    [
      "a limit order without timeInForce",
      without(limit, "timeInForce"),
      "TIME_IN_FORCE_REQUIRED",
      "timeInForce",
    ],
    ["a missing deadline", without(marketBuy, "deadline"), "VALIDATION_FAILED", "deadline"],
    ["a price on a market order", { ...marketBuy, price: "1" }, "VALIDATION_FAILED", "price"],
    ["a quantity on a market buy", { ...marketBuy, quantity: "1" }, "VALIDATION_FAILED", "quantity"],
    ["a notional on a market sell", { ...marketSell, notional: "1" }, "VALIDATION_FAILED", "notional"],
    ["a notional on a limit order", { ...limit, notional: "1" }, "VALIDATION_FAILED", "notional"],
    ["GTC on a limit order", { ...limit, timeInForce: "GTC" }, "TIME_IN_FORCE_NOT_SUPPORTED", "timeInForce"],
    ["DAY in another case", { ...limit, timeInForce: "day" }, "TIME_IN_FORCE_NOT_SUPPORTED", "timeInForce"],
    [
      "IOC on a market order",
      { ...marketBuy, timeInForce: "IOC" },
      "TIME_IN_FORCE_NOT_SUPPORTED",
      "timeInForce",
    ],
    ["a negative amount", { ...marketBuy, notional: "-1" }, "VALIDATION_FAILED", "notional"],
    ["an amount of nothing", { ...marketBuy, notional: "0.0" }, "VALIDATION_FAILED", "notional"],
    ["an amount that is a word", { ...marketSell, quantity: "all" }, "VALIDATION_FAILED", "quantity"],
    ["an amount that is a boolean", { ...marketSell, quantity: true }, "VALIDATION_FAILED", "quantity"],
    [
      "19 fraction digits",
      { ...marketBuy, notional: "1.0000000000000000001" },
      "TOO_MANY_DECIMALS",
      "notional",
    ],
    [
      "19 fraction digits of quantity",
      { ...limit, quantity: "1.0000000000000000000" },
      "TOO_MANY_DECIMALS",
      "quantity",
    ],
    [
      "19 fraction digits of price",
      { ...limit, price: ".0000000000000000001" },
      "TOO_MANY_DECIMALS",
      "price",
    ],
    ["an exponent", { ...marketBuy, notional: "1e2" }, "VALIDATION_FAILED", "notional"],
    ["an exponent of 0", { ...limit, price: "2E0" }, "VALIDATION_FAILED", "price"],
    ["an exponent of a float", { ...limit, quantity: 1e-7 }, "VALIDATION_FAILED", "quantity"],
    [
      "more than int96",
      { ...marketBuy, notional: "39614081257.132168796771975168" },
      "VALIDATION_FAILED",
      "notional",
    ],
    [
      "a quantity above int96",
      { ...limit, quantity: "39614081257.132168796771975168" },
      "VALIDATION_FAILED",
      "quantity",
    ],
    [
      "a price above uint96",
      { ...limit, price: "79228162514.264337593543950336" },
      "VALIDATION_FAILED",
      "price",
    ],
    [
      "a deadline in milliseconds",
      { ...marketBuy, deadline: "1800000060000" },
      "VALIDATION_FAILED",
      "deadline",
    ],
    ["a deadline above uint32", { ...marketBuy, deadline: "4294967296" }, "VALIDATION_FAILED", "deadline"],
    ["a fraction of a second", { ...marketBuy, deadline: "1800000060.5" }, "VALIDATION_FAILED", "deadline"],
    ["a date", { ...marketBuy, deadline: "2030-01-01" }, "VALIDATION_FAILED", "deadline"],
    ["the present second", { ...marketBuy, deadline: "1800000000" }, "DEADLINE_EXPIRED", "deadline"],
    ["a deadline of 0", { ...marketBuy, deadline: "0" }, "DEADLINE_EXPIRED", "deadline"],
    ["a malformed wallet", { ...marketBuy, userAddress: "me" }, "VALIDATION_FAILED", "userAddress"],
    [
      "a clientOrderId with a blank",
      { ...marketBuy, clientOrderId: "a b" },
      "VALIDATION_FAILED",
      "clientOrderId",
    ],
    ["an empty clientOrderId", { ...marketBuy, clientOrderId: "" }, "VALIDATION_FAILED", "clientOrderId"],
    ["65 characters", { ...marketBuy, clientOrderId: "a".repeat(65) }, "VALIDATION_FAILED", "clientOrderId"],
  ])("%s", (_what, args, errCode, param) => {
    expect(refusal(() => parseOrder(args, NOW_MS))).toEqual({ errCode, param });
  });

  it("says of an expired deadline exactly what docs/api.md#errors says", () => {
    expect(() => parseOrder({ ...marketBuy, deadline: "1" }, NOW_MS)).toThrow("deadline expired");
  });

  // docs/api.md#order-of-checks: shape, required fields, timeInForce, decimals and range, deadline.
  it.each<[string, Args, string]>([
    ["shape before required", { ...without(limit, "price"), userAddress: "me" }, "userAddress"],
    ["required before timeInForce", { ...without(limit, "price"), timeInForce: "GTC" }, "price"],
    [
      "timeInForce before decimals",
      { ...limit, timeInForce: "GTC", quantity: ".0000000000000000001" },
      "timeInForce",
    ],
    [
      "decimals before the deadline",
      { ...limit, quantity: ".0000000000000000001", deadline: "1" },
      "quantity",
    ],
    [
      "range before the deadline",
      { ...limit, price: "79228162514.264337593543950336", deadline: "1" },
      "price",
    ],
  ])("checks %s", (_what, args, param) => {
    expect(refusal(() => parseOrder(args, NOW_MS)).param).toBe(param);
  });

  it("never fails in another way than by an ApiError that names a field", () => {
    const value = fc.oneof(
      fc.string(),
      fc.boolean(),
      fc.constant(null),
      fc.double().map(String),
      fc.bigInt().map(String),
      fc.object(),
      fc.array(fc.string()),
      fc.constantFrom("Buy", "Sell", "Market", "Limit", "DAY", "GTC", STOCK, LATER, "1", "1.5"),
    );
    const args = fc.dictionary(
      fc.constantFrom(...Object.keys({ ...limit, ...marketBuy }), "userAddress", "clientOrderId"),
      value,
    );
    fc.assert(
      fc.property(args, (given) => {
        try {
          parseOrder(given, NOW_MS);
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
          expect(error).toMatchObject({ param: expect.any(String) });
        }
      }),
      { numRuns: LONG ? 1000 : 200 },
    );
  });
});

describe("ids", () => {
  const parseOrderId = (args: Args) => parseInput(orderIdShape, args).orderId;
  const parseTxHash = (args: Args) => parseInput(txHashShape, args).txHash;
  const id = `0x${"Ab".repeat(32)}`;
  it("are taken in any case", () => {
    expect(parseOrderId({ orderId: id })).toBe(id.toLowerCase());
    expect(parseTxHash({ txHash: id })).toBe(id.toLowerCase());
    expect(parseOrderId({ orderId: id.toUpperCase() })).toBe(id.toLowerCase());
    expect(parseTxHash({ txHash: id.toUpperCase() })).toBe(id.toLowerCase());
  });

  it.each(["", "0x", "0x12", id.slice(2), `${id}0`, 5, {}])("%j is none", (value) => {
    expect(refusal(() => parseOrderId({ orderId: value }))).toEqual({
      errCode: "VALIDATION_FAILED",
      param: "orderId",
    });
    expect(refusal(() => parseTxHash({ txHash: value }))).toEqual({
      errCode: "VALIDATION_FAILED",
      param: "txHash",
    });
  });
});

describe("list filters", () => {
  const parseOrderList = (args: Args) => parseInput(orderListShape, args);
  it("have the defaults of docs/api.md#lists", () => {
    expect(parseOrderList({})).toMatchObject({ page: 1, limit: 10 });
  });

  it.each<[Args, object]>([
    [{ limit: "0" }, { limit: 10 }],
    [{ limit: "-3" }, { limit: 10 }],
    [{ limit: "100" }, { limit: 100 }],
    [{ limit: "101" }, { limit: 100 }],
    [{ limit: "99999999999999999999" }, { limit: 100 }],
    [{ page: "7" }, { page: 7 }],
    [{ status: "Partial filled", side: "Sell", type: "Limit" }, { status: "Partial filled" }],
  ])("%j", (args, expected) => {
    expect(parseOrderList(args)).toMatchObject(expected);
  });

  it.each<[Args, string]>([
    [{ page: "0" }, "page"],
    [{ page: "-1" }, "page"],
    [{ page: "1.5" }, "page"],
    [{ page: "one" }, "page"],
    [{ limit: "ten" }, "limit"],
    [{ limit: "1e1" }, "limit"],
    [{ status: "open" }, "status"],
    [{ status: "filled" }, "status"],
    [{ onChainStatus: "Open" }, "onChainStatus"],
    [{ onChainStatus: "New" }, "onChainStatus"],
    [{ side: "BUY" }, "side"],
    [{ type: "limit" }, "type"],
    [{ stockAddress: "0x1" }, "stockAddress"],
    [{ userAddress: "0x1" }, "userAddress"],
    [{ txHash: "0x1" }, "txHash"],
    [{ from: "yesterday" }, "from"],
    [{ to: "1.5" }, "to"],
    [{ updatedAfter: "1800000000000" }, "updatedAfter"],
  ])("%j is refused", (args, param) => {
    expect(refusal(() => parseOrderList(args))).toEqual({ errCode: "VALIDATION_FAILED", param });
  });
});

it("asks for what else a request must have after what an order must have, and before anything is judged", () => {
  const parse = (args: Args) =>
    refusal(() =>
      parseOrder(args, NOW_MS, (side) => {
        throw new ApiError("VALIDATION_FAILED", { param: `more for a ${side}` });
      }),
    );
  const more = { errCode: "VALIDATION_FAILED", param: "more for a Buy" };
  expect(parse({ ...limit, timeInForce: "GTC" })).toEqual(more);
  expect(parse({ ...limit, deadline: "1" })).toEqual(more);
  expect(parse({ ...limit, price: "0" })).toEqual(more);
  expect(parse({ ...limit, price: null })).toEqual({ errCode: "PRICE_REQUIRED", param: "price" });
});
