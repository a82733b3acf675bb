import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { listCorporateActions } from "../../src/market/corporate-action.ts";
import type { CorporateAction } from "../../src/market-data/provider.ts";
import { expectRefusal } from "../support/assert/errors.ts";
import { CONTRACTS, hex } from "../support/assert/sample.ts";
import { createOnchain, type Onchain } from "../support/db/onchain.ts";
import { type Features, PRODUCT, startFeatures } from "../support/http/features.ts";

// Corporate actions joined with multipliers in a real PostgreSQL. No chain is reachable, and none is needed.

const WAD = 10n ** 18n;
const scope = { chainId: 31337, productType: PRODUCT };
const otherProduct = { chainId: 31337, productType: "Second" };
const otherChain = { chainId: 31338, productType: PRODUCT };
const NOON = Date.parse("2026-11-18T17:00:00Z");

let features: Features;
let onchain: Onchain;

beforeAll(async () => {
  const rpcUrls = ["http://127.0.0.1:1"];
  features = await startFeatures([
    { deployment: { chainId: 31337, ...CONTRACTS }, rpcUrls, products: [PRODUCT, "Second"] },
    { deployment: { chainId: 31338, ...CONTRACTS }, rpcUrls },
  ]);
  onchain = await createOnchain(features.deps.pool);
});

afterAll(() => features?.close());

beforeEach(async () => {
  await onchain.clear();
  features.clock.nowMs = NOON;
  features.market.down = false;
  features.market.actions = [action("AAPL", "2026-11-18"), action("MSFT", "2026-11-18")];
  for (const { chainId } of [scope, otherChain]) {
    await onchain.setBlock(chainId, { number: 50n, timestamp: 1_795_000_000n });
  }
  for (const [index, where] of [scope, otherProduct, otherChain].entries()) {
    await onchain.insert("stockToken", {
      ...where,
      tokenAddress: hex(20, 0x50 + index),
      symbol: "AAPL",
      multiplier: WAD,
    });
  }
});

function action(symbol: string, exDate: string): CorporateAction {
  return {
    actionId: `${symbol}-${exDate}`,
    symbol,
    type: "split",
    subType: "forward-split",
    declarationDate: null,
    exDate,
    recordDate: null,
    payableDate: null,
    cash: null,
    oldRate: "1",
    newRate: "4",
  };
}

async function changed(
  where: { chainId: number; productType: string },
  token: number,
  oldMultiplier: bigint,
) {
  await onchain.insert("multiplierChange", {
    ...where,
    tokenAddress: hex(20, token),
    blockNumber: 40n,
    oldMultiplier,
    newMultiplier: oldMultiplier * 4n,
    timestamp: BigInt(NOON / 1000),
  });
}

const told = async (where = scope, args: Record<string, unknown> = {}) => {
  const { data } = await listCorporateActions(features.deps, where, args);
  return data.map(({ actionId, status, multiplierBefore, multiplierAfter }) => [
    actionId,
    status,
    multiplierBefore,
    multiplierAfter,
  ]);
};

describe("corporate actions of a scope", () => {
  it("are those of its listed stocks, at the block they were read at", async () => {
    const { block, data } = await listCorporateActions(features.deps, scope, {});
    expect(block).toEqual({ number: 50n, timestamp: 1_795_000_000n });
    expect(data.map(({ symbol }) => symbol)).toEqual(["AAPL"]);
  });

  it("know what this scope's token became, and nothing of another chain's or product's", async () => {
    await changed(scope, 0x50, WAD);
    await changed(otherChain, 0x52, 3n * WAD);
    expect(await told(scope)).toEqual([["AAPL-2026-11-18", "COMPLETE", "1", "4"]]);
    expect(await told(otherChain)).toEqual([["AAPL-2026-11-18", "COMPLETE", "3", "12"]]);
    expect(await told(otherProduct)).toEqual([["AAPL-2026-11-18", "IN_PROGRESS", null, null]]);
  });

  it("give a change to the action that fits it, also where that one lies outside the days asked for", async () => {
    features.market.actions = [action("AAPL", "2026-11-17"), action("AAPL", "2026-11-18")];
    await changed(scope, 0x50, WAD);
    const earlier = await told(scope, { from: "2026-11-17", to: "2026-11-17" });
    expect(earlier).toEqual([["AAPL-2026-11-17", "COMPLETE", null, null]]);
  });

  it("are all that are known up to the last date that a caller can write", async () => {
    expect(await told(scope, { to: "9999-12-31" })).toHaveLength(1);
  });

  it("are none for a stock without any, and fail with the market data or before the first block", async () => {
    features.market.actions = [];
    expect(await told()).toEqual([]);
    features.market.down = true;
    await expectRefusal(listCorporateActions(features.deps, scope, {}), "MARKET_DATA_UNAVAILABLE");
    features.market.down = false;
    await features.deps.pool.query("DELETE FROM onchain._ponder_checkpoint");
    await expectRefusal(listCorporateActions(features.deps, scope, {}), "INDEXER_BEHIND");
  });
});
