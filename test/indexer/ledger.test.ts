import { describe, expect, it } from "@jest/globals";
import { solidityPackedKeccak256 } from "ethers";
import fc from "fast-check";
import {
  applyFill,
  buyPosition,
  closeOrder,
  type OrderState,
  sellPosition,
} from "../../indexer/src/ledger.ts";
import { stockOperationId } from "../../src/contracts/stock-operation-id.ts";

const WAD = 10n ** 18n;

const order = (state: Partial<OrderState>): OrderState => ({
  side: "Buy",
  orderType: "Limit",
  status: "open",
  lockedRemaining: 0n,
  filledQuantity: 0n,
  filledNotional: 0n,
  fee: 0n,
  fillCount: 0,
  ...state,
});

const fill = (quantity: bigint, price: bigint, fee: bigint, completes = false) => ({
  quantity,
  price,
  fee,
  completes,
});

describe("a fill of a buy", () => {
  it("in part, takes its cost out of the lock and releases nothing", () => {
    const before = order({ lockedRemaining: 1010n * WAD });
    const after = applyFill(before, fill(4n * WAD, 100n * WAD, WAD));
    expect(after.notional).toBe(400n * WAD);
    expect(after.unlocked).toBe(401n * WAD);
    expect(after.order).toMatchObject({
      status: "open",
      lockedRemaining: 609n * WAD,
      fee: WAD,
      fillCount: 1,
    });
  });

  it("the last one, frees the whole lock however little it costs", () => {
    const before = order({
      lockedRemaining: 609n * WAD,
      filledQuantity: 4n * WAD,
      filledNotional: 400n * WAD,
    });
    const after = applyFill(before, fill(6n * WAD, 90n * WAD, WAD, true));
    expect(after.unlocked).toBe(609n * WAD);
    expect(after.order).toMatchObject({
      status: "filled",
      lockedRemaining: 0n,
      filledQuantity: 10n * WAD,
      filledNotional: 940n * WAD,
    });
  });

  it("rounds its notional up, but the last one costs no more than the lock still has", () => {
    // One and a half tokens at a price of one wad each lock two; every half rounds up to one.
    const half = (lockedRemaining: bigint, completes: boolean) =>
      applyFill(order({ lockedRemaining }), fill(WAD / 2n, 1n, 0n, completes));
    expect(half(2n, false)).toMatchObject({ notional: 1n, unlocked: 1n });
    expect(half(1n, false)).toMatchObject({ notional: 1n, unlocked: 1n });
    expect(half(0n, true)).toMatchObject({ notional: 0n, unlocked: 0n });
  });

  it("leaves a requested cancel under way, unless nothing is left to cancel", () => {
    const before = order({ status: "canceling", lockedRemaining: 100n * WAD });
    expect(applyFill(before, fill(WAD, 10n * WAD, 0n)).order.status).toBe("canceling");
    expect(applyFill(before, fill(WAD, 10n * WAD, 0n, true)).order.status).toBe("filled");
  });
});

describe("a fill of a sell", () => {
  it("takes the quantity out of the lock and rounds the proceeds down", () => {
    const before = order({ side: "Sell", lockedRemaining: 3n * WAD });
    const after = applyFill(before, fill(WAD, 3n, 1n));
    expect(after.unlocked).toBe(WAD);
    expect(after.order).toMatchObject({ lockedRemaining: 2n * WAD, filledNotional: 3n, fee: 1n });
    expect(applyFill(before, fill(WAD / 2n, 3n, 0n)).notional).toBe(1n);
  });
});

describe("an end without a fill", () => {
  it.each(["canceled", "rejected", "expired"] as const)(
    "%s frees the lock and keeps what was filled",
    (status) => {
      const before = order({
        lockedRemaining: 7n,
        filledQuantity: 3n,
        filledNotional: 5n,
        fee: 1n,
        fillCount: 1,
      });
      expect(closeOrder(before, status)).toEqual({
        unlocked: 7n,
        order: { ...before, status, lockedRemaining: 0n },
      });
    },
  );
});

const empty = { tradedQuantity: 0n, costBasis: 0n, realizedPnl: 0n };

describe("a position", () => {
  it("gains what a sell brings above the average cost", () => {
    const bought = buyPosition(buyPosition(empty, 2n * WAD, 200n * WAD), 2n * WAD, 240n * WAD);
    const sold = sellPosition(bought, WAD, 150n * WAD);
    expect(sold).toEqual({ tradedQuantity: 3n * WAD, costBasis: 330n * WAD, realizedPnl: 40n * WAD });
  });

  it("knows no cost of what was deposited: only the part that was bought gains or loses", () => {
    const bought = buyPosition(empty, WAD, 100n * WAD);
    // Four are sold for 600: the bought one for 150 of them.
    expect(sellPosition(bought, 4n * WAD, 600n * WAD)).toEqual({
      tradedQuantity: 0n,
      costBasis: 0n,
      realizedPnl: 50n * WAD,
    });
    expect(sellPosition(empty, WAD, 100n * WAD)).toEqual(empty);
  });

  it("loses no wad: sold out, all that was paid is booked against all that came in", () => {
    const trade = fc.record({ quantity: fc.bigInt(1n, 10n ** 24n), wad: fc.bigInt(0n, 10n ** 24n) });
    fc.assert(
      fc.property(fc.array(trade, { minLength: 1 }), fc.array(trade), (buys, sells) => {
        let position = buys.reduce((held, { quantity, wad }) => buyPosition(held, quantity, wad), empty);
        let income = 0n;
        for (const { quantity, wad } of sells) {
          if (quantity >= position.tradedQuantity) break;
          position = sellPosition(position, quantity, wad);
          income += wad;
          expect(position.costBasis).toBeGreaterThanOrEqual(0n);
        }
        const end = sellPosition(position, position.tradedQuantity, 0n);
        const paid = buys.reduce((sum, { wad }) => sum + wad, 0n);
        expect(end).toEqual({ tradedQuantity: 0n, costBasis: 0n, realizedPnl: income - paid });
      }),
    );
  });
});

describe("the id of a stock operation", () => {
  it("is keccak256(abi.encode(chainId, txHash, ordinal))", () => {
    const txHash = `0x${"ab".repeat(32)}` as const;
    const byEthers = solidityPackedKeccak256(["uint256", "bytes32", "uint256"], [31337, txHash, 1]);
    expect(stockOperationId(31337, txHash, 1)).toBe(byEthers);
    expect(stockOperationId(31337, txHash, 0)).not.toBe(stockOperationId(31337, txHash, 1));
    expect(stockOperationId(31338, txHash, 1)).not.toBe(stockOperationId(31337, txHash, 1));
  });
});
