import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import { sql } from "../../../src/db/sql.ts";
import { present } from "../../../test/support/assert/until.ts";
import { createWallet } from "../../../test/support/db/builders/sends.ts";
import { createOnchain, type Onchain } from "../../../test/support/db/onchain.ts";
import { openPool } from "../../../test/support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../../../test/support/db/postgres.ts";
import { type Check, runCheck } from "../src/reconcile/check.ts";
import { TryAgain } from "../src/reconcile/try-again.ts";

// Reading and comparing rows of any kind.

let database: TestDatabase;
let pool: pg.Pool;
let onchain: Onchain;
beforeAll(async () => {
  database = await createDatabase();
  pool = openPool({ connectionString: database.url, max: 2 });
  onchain = await createOnchain(pool);
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

/** Returns a check of all wallets that reports the result of each read of them. */
function walletsCheck(look: (addresses: string[], times: number) => string[]): Check<{ address: string }> {
  let times = 0;
  return {
    kind: "wallet",
    source: {
      table: "app.delegatee_wallet",
      key: [["address", "text"]],
      where: sql`t.chain_id = 4242`,
      columns: sql`t.address`,
      row: z.object({ address: z.string() }),
    },
    compare: async ({ rows }) => {
      times += 1;
      // No snapshot is held while nodes are asked.
      const { rows: open } = await pool.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND backend_xmin IS NOT NULL AND pid <> pg_backend_pid()",
      );
      expect(open).toEqual([]);
      const wrong = look(
        rows.map(({ address }) => address),
        times,
      );
      const found = rows.flatMap(({ address }, index) => {
        const values = { field: "state", ours: "a", chain: "b", likelyCause: "c", whatToDo: "d" };
        const difference = { kind: "wallet", productType: null, object: address, ...values } as const;
        return wrong.includes(address) ? [{ index, difference }] : [];
      });
      return { rows: rows.length, unverified: 0, found };
    },
  };
}

async function looked(check: Check<{ address: string }>) {
  await onchain.setBlock(4242, { number: 1n, timestamp: 1n });
  const context = { pool: pool, chainId: 4242, pauseMs: 0 };
  const [seen, differences] = [[] as number[], [] as string[]];
  for await (const step of runCheck(context, check)) {
    seen.push(step.rows);
    differences.push(...step.differences.map(({ object }) => object));
  }
  return { seen, differences };
}

it("reads every row once, in pages, and reports only what differs at a second look too", async () => {
  const addresses = Array.from({ length: 401 }, (_, index) => `0x${String(index).padStart(40, "0")}` as Hex);
  for (const address of addresses) await createWallet(pool, address, { chainIds: [4242] });
  const [passing, lasting] = [present(addresses[3], "one"), present(addresses[400], "one")];
  const read: string[] = [];
  const check = walletsCheck((page, times) => {
    if (times <= 3) read.push(...page);
    else expect(page).toEqual([passing, lasting]);
    return times <= 3 ? [passing, lasting] : [lasting];
  });
  expect(await looked(check)).toEqual({ seen: [200, 200, 1, 0], differences: [lasting] });
  expect(read).toEqual(addresses);
});

it("reads a page again where the chain changed meanwhile", async () => {
  const check = walletsCheck((_page, times) => {
    if (times === 2) throw new TryAgain("a reorg replaced the block");
    return [];
  });
  expect(await looked(check)).toEqual({ seen: [200, 200, 1], differences: [] });
});
