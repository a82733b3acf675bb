import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { Caller } from "../../src/auth/caller.ts";
import { inTransaction } from "../../src/db/transaction.ts";
import { listEvents } from "../../src/events/list.ts";
import { createStatusReporter } from "../../src/events/status-changes.ts";
import { deleteHalt, insertHalt } from "../../src/sending/halt-store.ts";
import { CONTRACTS, hex } from "../support/assert/sample.ts";
import { until } from "../support/assert/until.ts";
import { type HeadNode, startHeadNode } from "../support/chain/head-node.ts";
import { createOnchain, type Onchain } from "../support/db/onchain.ts";
import { type Features, PRODUCT, startFeatures } from "../support/http/features.ts";

const CHAINS = [31337, 31338];
const OTHER = "Other";

let features: Features;
let onchain: Onchain;
let node: HeadNode;
let head: number;
let key: Caller;

beforeAll(async () => {
  node = await startHeadNode(() => head);
  features = await startFeatures(
    CHAINS.map((chainId) => ({
      deployment: { ...CONTRACTS, chainId },
      rpcUrls: [node.url],
      products: [PRODUCT, OTHER],
    })),
  );
  onchain = await createOnchain(features.deps.pool);
});
afterAll(async () => {
  node?.stop();
  await features?.close();
});
beforeEach(async () => {
  const { deps, market } = features;
  for (const table of ["status_report", "sending_halt"]) await deps.pool.query(`DELETE FROM app.${table}`);
  await deps.pool.query("UPDATE app.api_key SET active = false");
  await onchain.clear();
  head = 100;
  market.prices.set("AAPL", "180");
  market.down = false;
  for (const chainId of CHAINS) {
    await onchain.setBlock(chainId, { number: 100n, timestamp: BigInt(Math.floor(Date.now() / 1000)) });
    const listed = { chainId, tokenAddress: hex(20, 0x50), symbol: "AAPL", multiplier: 10n ** 18n };
    await onchain.insert("stockToken", { ...listed, productType: PRODUCT });
  }
  key = await features.makeCaller();
});

const startReporter = () => createStatusReporter(features.deps);
const setHalt = (chainId: number, isHalted: boolean) =>
  inTransaction(features.deps.pool, (tx) =>
    isHalted ? insertHalt(tx, { chainId, actor: "test", reason: null }) : deleteHalt(tx, chainId),
  );
/** Has what was observed last for so long, by the database's clock. */
const lasts = (seconds: number) =>
  features.deps.pool.query(
    "UPDATE app.status_report SET observed_since = observed_since - $1 * interval '1 second', reported_at = reported_at - $1 * interval '1 second'",
    [seconds],
  );
const eventsOf = async (caller: Caller) => (await listEvents(features.deps, caller, { limit: 100 })).rows;
const haltsOf = async (caller: Caller) =>
  (await eventsOf(caller)).map(({ data }) => (data as { sendingHalted: boolean }).sendingHalted);

describe("status.changed", () => {
  it("is an event of each key of the chain once a change has lasted, and again when it is over", async () => {
    const [other, revoked] = [await features.makeCaller({ chainId: 31338 }), await features.makeCaller()];
    await features.deps.pool.query("UPDATE app.api_key SET active = false WHERE key_id = $1", [
      revoked.keyId,
    ]);
    const report = startReporter();
    expect({ first: await report() }).toEqual({ first: 0 });
    await setHalt(31337, true);
    await report();
    await lasts(59);
    expect({ tooYoung: await report() }).toEqual({ tooYoung: 0 });
    await lasts(1);
    // One for each product of the chain.
    expect({ lasted: await report(), again: await report() }).toEqual({ lasted: 2, again: 0 });
    expect(await eventsOf(key)).toEqual([
      {
        eventId: expect.any(String),
        sequence: 1,
        type: "status.changed",
        resource: "status",
        createdAt: expect.any(Number),
        blockNumber: null,
        txHash: null,
        retracts: null,
        data: {
          chainId: 31337,
          health: "healthy",
          sendingHalted: true,
          marketDataHealth: "healthy",
          since: expect.any(Number),
        },
      },
    ]);
    await setHalt(31337, false);
    await report();
    await lasts(60);
    await report();
    expect(await haltsOf(key)).toEqual([true, false]);
    expect({ otherChain: await eventsOf(other), revoked: await eventsOf(revoked) }).toEqual({
      otherChain: [],
      revoked: [],
    });
  });

  it("tells of market data in the logs of the product alone", async () => {
    await features.deps.pool.query(
      "INSERT INTO app.api_key_scope (key_id, chain_id, product_type) VALUES ($1, 31337, $2)",
      [key.keyId, OTHER],
    );
    const report = startReporter();
    await report();
    features.market.down = true;
    await report();
    await lasts(60);
    await report();
    expect((await eventsOf(key)).map(({ data }) => data)).toMatchObject([
      { health: "healthy", marketDataHealth: "unavailable" },
    ]);
    // It has no quote at any time.
    expect(await eventsOf({ ...key, productType: OTHER })).toEqual([]);
  });

  it("tells that a chain is behind", async () => {
    const report = startReporter();
    await report();
    head = 101;
    for (const chainId of CHAINS)
      await onchain.setBlock(chainId, {
        number: 100n,
        timestamp: BigInt(Math.floor(Date.now() / 1000) - 600),
      });
    // The node is asked again once viem's copy of its newest block is over.
    await until("a chain that is seen behind", async () => {
      await report();
      const { rows } = await features.deps.pool.query(
        "SELECT FROM app.status_report WHERE observed->>'health' = 'behind'",
      );
      return rows.length === 4;
    });
    await lasts(60);
    await report();
    expect((await eventsOf(key)).map(({ data }) => data)).toMatchObject([{ health: "behind" }]);
  });

  it("is neither lost nor doubled where workers run at once, and one dies with the change", async () => {
    const workers = [startReporter(), startReporter(), startReporter()];
    const all = () => Promise.all(workers.map((report) => report()));
    await all();
    await setHalt(31337, true);
    await all();
    await lasts(60);
    const [first] = await Promise.all([all(), all()]);
    expect(first.length).toBe(3);
    expect(await haltsOf(key)).toEqual([true]);
    // Whoever observed is gone before the change is reported: another one sees it for as long again.
    await setHalt(31337, false);
    await all();
    await features.deps.pool.query(
      "UPDATE app.status_report SET observed_at = observed_at - interval '61 seconds', observed_by = gen_random_uuid()",
    );
    await lasts(3_700);
    await all();
    expect(await haltsOf(key)).toEqual([true]);
    await lasts(60);
    await all();
    expect(await haltsOf(key)).toEqual([true, false]);
  });

  it("is there with what is reported, or not at all", async () => {
    const report = startReporter();
    await report();
    await setHalt(31337, true);
    await report();
    await lasts(60);
    await features.deps.pool.query(
      "ALTER TABLE app.event_head ADD CONSTRAINT refused CHECK (sequence < 0) NOT VALID",
    );
    try {
      await expect(report()).rejects.toThrow();
    } finally {
      await features.deps.pool.query("ALTER TABLE app.event_head DROP CONSTRAINT refused");
    }
    expect(await eventsOf(key)).toEqual([]);
    await report();
    expect(await haltsOf(key)).toEqual([true]);
  });
});
