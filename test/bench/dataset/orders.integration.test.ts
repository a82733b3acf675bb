import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { createApiKey } from "../../support/db/builders/keys.ts";
import { createOnchain, indexOnchain } from "../../support/db/onchain.ts";
import { openPool } from "../../support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../../support/db/postgres.ts";
import { loadOrders } from "./load.ts";
import { type Head, orderOf } from "./orders.ts";
import { keySizes, lostClaims, pickOrders } from "./sizes.ts";

const HEAD: Head = { number: 1_500_060, timestamp: 1_795_000_000 };
const TOKENS = Array.from({ length: 8 }, (_, index) => `0x${String(index).repeat(40)}`);
/** A block before the last changes of each larger key. */
const SAFE: Head = { number: HEAD.number - 3_000, timestamp: HEAD.timestamp - 45_000 };
const blockOf = ({ number, timestamp }: Head) => ({ number: BigInt(number), timestamp: BigInt(timestamp) });
const SCOPE = { chainId: 31337, productType: "Sandbox" };

describe("the bench's data set", () => {
  let database: TestDatabase;
  let client: pg.Client;
  const keys = [2_000, 1_000, 100, 1].map((orders) => ({ keyId: "", orders }));

  beforeAll(async () => {
    database = await createDatabase();
    const pool = openPool({ connectionString: database.url, max: 1 });
    const onchain = await createOnchain(pool);
    await onchain.setBlock(SCOPE.chainId, blockOf(HEAD), blockOf(SAFE));
    for (const key of keys) key.keyId = (await createApiKey(pool)).keyId;
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await loadOrders([client], { scope: SCOPE, head: HEAD, stockTokens: TOKENS, keys, lostClaims: 2 });
    await indexOnchain(pool);
    await pool.end();
  });

  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  it("has in its tables the orders that its formula computes", async () => {
    const { rows } = await client.query(
      `SELECT o.order_id, o.tx_hash, o.user_address, o.stock_address, o.side, o.order_type, o.updated_at::int,
         (extract(epoch FROM c.created_at) * 1000)::bigint::text AS mapped_ms, o.status, o.filled_quantity > 0 AS filled
       FROM app.transaction_claim c JOIN onchain.stock_order o ON o.tx_hash = c.tx_hash
       ORDER BY c.created_at DESC`,
    );
    // The earliest claim to an order is its owner's.
    const byId = new Map(rows.map((row) => [row.order_id, row]));
    const expected = keys.flatMap(({ orders }, index) =>
      Array.from({ length: orders }, (_, i) => orderOf({ index, orders }, i, HEAD, TOKENS)),
    );
    expect(byId.size).toBe(expected.length);
    for (const order of expected) {
      const row = byId.get(order.orderId);
      expect(row).toMatchObject({
        tx_hash: order.txHash,
        user_address: order.userAddress,
        stock_address: order.stockAddress,
        side: order.side,
        order_type: order.type,
        mapped_ms: String(order.mappedMs),
        updated_at: order.updatedAt,
      });
      expect(CHAIN[order.status]).toContain(`${row.status}${row.filled ? ", filled" : ""}`);
    }
  });

  it("has a fiftieth of the orders open, and claims that another key won", async () => {
    const { rows } = await client.query(
      `SELECT (SELECT count(*)::int FROM onchain.stock_order WHERE status IN ('open', 'canceling')) AS open,
         (SELECT count(*)::int FROM app.transaction_claim c JOIN onchain.stock_order o USING (tx_hash)) -
           (SELECT count(*)::int FROM onchain.stock_order) AS lost,
         (SELECT bool_and(fill_count = (SELECT count(*) FROM onchain.order_fill f WHERE f.order_id = o.order_id))
           FROM onchain.stock_order o) AS fills,
         (SELECT count(*)::int FROM pg_indexes WHERE tablename = 'transaction_claim') > 6 AS indexed`,
    );
    expect(rows[0]).toEqual({ open: 62, lost: 2, fills: true, indexed: true });
  });

  it("has the sizes that the documents name", () => {
    const sizes = keySizes(1_000_000);
    expect(sizes).toHaveLength(20);
    expect([sizes.at(0), sizes.at(-1)]).toEqual([1_000_000, 1]);
    expect(lostClaims(1_000_000)).toBe(1_000);
    const picked = pickOrders(sizes);
    expect(new Set(picked.map(({ key, i }) => `${key}:${i}`)).size).toBe(200);
    expect(new Set(picked.map(({ key }) => key)).size).toBe(20);
  });
});

/** The status on the chain behind each status of the API, and whether any of the order is filled. */
const CHAIN: Record<ReturnType<typeof orderOf>["status"], string[]> = {
  New: ["open", "canceling"],
  "Partial filled": ["open, filled"],
  Pending: ["open"],
  Filled: ["filled, filled"],
  Canceled: ["canceled"],
  Rejected: ["rejected"],
  Expired: ["expired"],
};
