import { beforeEach } from "@jest/globals";
import type pg from "pg";
import type { Hex } from "viem";
import type { Deps } from "../../src/context/deps.ts";
import { createEventWriter } from "../../src/events/writer/write.ts";
import { hex } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import type { Onchain, Row, Tabled } from "../support/db/onchain.ts";
import { CHAIN_ID } from "../support/db/random-chain.ts";
import { PRODUCT } from "../support/http/features.ts";
import { useLog } from "./log-fixture.ts";

const WAD = 10n ** 18n;

/** The transaction of the first order. */
export const TX = hex(32, 0x1000);

/** Returns an open order in a transaction of its own. */
export const orderOf = (n: number, block: bigint): Row<"stockOrder"> => ({
  chainId: CHAIN_ID,
  productType: PRODUCT,
  orderId: hex(32, 0xabc000 + n),
  txHash: hex(32, 0x1000 + n),
  blockNumber: block,
  updatedBlock: block,
  createdAt: 1_799_000_000n,
  updatedAt: 1_799_000_100n,
  userAddress: hex(20, 0xa1),
  stockAddress: hex(20, 0x571),
  side: "Buy",
  orderType: "Limit",
  status: "open",
  quantity: WAD,
  price: WAD,
});

/** Returns the first order, open since block 11 and filled in a later one. */
export const filledOrder = (block: bigint): Row<"stockOrder"> => ({
  ...orderOf(0, 11n),
  status: "filled" as const,
  filledQuantity: WAD,
  updatedBlock: block,
});

/** A deposit in a token that has no name. */
export const depositOf = (
  n: number,
  block: bigint,
  tokenAddress = hex(20, 0x571),
): Row<"stockOperation"> => ({
  chainId: CHAIN_ID,
  productType: PRODUCT,
  opId: hex(32, 0xb000 + n),
  kind: "stock-deposit",
  txHash: hex(32, 0x1000 + n),
  userAddress: hex(20, 0xa1),
  tokenAddress,
  amount: WAD,
  blockNumber: block,
  createdAt: 1_799_000_000n,
});

export const EMPTY: Tabled = {
  stockOrder: [],
  cashOperation: [],
  stockOperation: [],
  attributionSuffix: [],
  eventBlock: [],
};

const blockOf = (number: bigint) => ({ number, timestamp: 1_799_000_000n + number });

/** Returns a function that makes the index what is given, as of a block. */
export const publisher =
  (onchain: Onchain) =>
  (latest: bigint, tables: Tabled, safe = 10n): Promise<void> =>
    onchain.replace(CHAIN_ID, { ...EMPTY, ...tables }, blockOf(latest), blockOf(safe));

/** Starts a log for all tests of a file, as useLog, and begins each with an index at block 10 that has nothing. */
export async function useRows() {
  const log = await useLog();
  const { features, onchain, deps, callers, readEvents } = log;
  const { pool } = features.deps;
  const publish = publisher(onchain);
  const caller = present(callers[0], "a caller");
  beforeEach(async () => {
    await pool.query(`UPDATE onchain._ponder_meta SET value = '{"is_ready": 1}'`);
    await publish(10n, {});
  });
  return {
    ...log,
    pool,
    publish,
    caller,
    other: present(callers[1], "another caller"),
    types: async (who = caller) => (await readEvents(who, { limit: "100" })).rows.map(({ type }) => type),
    /** Returns the rows of orders. */
    rows: async () => {
      const text =
        "SELECT order_id, status, event_id, unreported FROM app.key_order ORDER BY log_index, order_id";
      return (await pool.query(text)).rows;
    },
    /** Returns how far the rows are. */
    chain: async () => (await pool.query("SELECT filled, filled_to, build_id FROM app.event_chain")).rows[0],
    versions: () => readVersions(pool),
    /** Returns which keys' versions an action moves. */
    async moved(action: () => Promise<unknown>): Promise<string[]> {
      const before = await readVersions(pool);
      await action();
      const after = await readVersions(pool);
      return callers.flatMap(({ keyId }, n) => (before.get(keyId) === after.get(keyId) ? [] : [`key ${n}`]));
    },
    createNamedLater: () => createNamedLater(deps),
  };
}

async function readVersions(pool: pg.Pool): Promise<Map<string, unknown>> {
  const { rows } = await pool.query(
    `SELECT k.key_id, coalesce((SELECT h.version FROM app.event_head h WHERE h.key_id = k.key_id), 0)
       + coalesce((SELECT sum(c.change) FROM app.key_change c WHERE c.key_id = k.key_id), 0) AS version
     FROM app.api_key k`,
  );
  return new Map(rows.map(({ key_id, version }) => [key_id, version]));
}

/** Creates a projector whose nodes name no token before `name()`. */
function createNamedLater(deps: Deps) {
  let isNamed = false;
  const metadata = async (tokens: readonly Hex[]) => {
    if (!isNamed) throw new Error("no node answers");
    return new Map(tokens.map((token) => [token, { symbol: "S0", name: "S0", decimals: 18 }]));
  };
  const known = present(deps.chains.get(CHAIN_ID), "the chain");
  const chains = new Map([[CHAIN_ID, { ...known, tokens: { metadata } }]]);
  const run = createEventWriter({ ...deps, chains }, { verifyMs: 0, tokenWaitMs: 10 });
  return {
    name: () => {
      isNamed = true;
    },
    run: () => run(CHAIN_ID),
    async runAll(): Promise<void> {
      for (let runs = 1; !(await run(CHAIN_ID)).complete; runs++)
        if (runs > 10) throw new Error("the writer has events left after 10 runs");
    },
  };
}
