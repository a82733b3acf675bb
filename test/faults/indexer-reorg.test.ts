import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import { type Hex, parseEther } from "viem";
import { ROOT } from "../../src/config/root.ts";
import { decodeEvents, idOf } from "../contracts/bench.ts";
import { DAY, LATER, router, stock } from "../contracts/calls.ts";
import { LONG } from "../support/assert/long.ts";
import { present, until } from "../support/assert/until.ts";
import { headOf, mine, rawTransaction, reorg } from "../support/chain/anvil-client.ts";
import {
  differences,
  expireHeartbeat,
  freshIndex,
  type IndexedChain,
  indexedBlock,
  indexedUpTo,
  startIndexer,
  type TestIndexer,
  tablesOf,
} from "../support/chain/indexer.ts";
import { eventBlocks, type Product, send, startProduct } from "../support/chain/product.ts";
import { makeDatabases } from "../support/db/databases.ts";

// docs/faults.md, rows 54 and 85. Blocks that the indexer has followed are taken back under an open order that is partly
// filled, while another chain goes on. Afterwards the tables are those of an index made from scratch.

const SLOW_MS = 120_000;
const DEPTH = 5;
/** Ponder's: blocks behind the head that it takes for final when it starts. */
const FINALITY = 30n;

let products: Product[];
const databases = makeDatabases();
let database: { url: string; pool: pg.Pool };
let indexer: TestIndexer;
/** The head of the first chain when the indexer started. */
let startedAt: bigint;

beforeAll(async () => {
  products = await Promise.all([startProduct(), startProduct({ chainId: 31338 })]);
  // The set-up is final, whatever is rolled back later.
  await Promise.all(products.map(({ client }) => mine(client, 40)));
  startedAt = await headOf(chain(0).client);
  database = await databases.create();
  indexer = startIndexer(database.url, indexed());
  await settled();
}, 2 * SLOW_MS);

afterAll(async () => {
  await indexer?.kill();
  await Promise.all((products ?? []).map(({ stop }) => stop()));
  await databases.stop();
});

const chain = (index: number) => present(products[index], "a chain");
const indexedOf = ({ deployment, rpcUrl }: Product): IndexedChain => ({ deployment, rpcUrls: [rpcUrl] });
const indexed = (): IndexedChain[] => products.map(indexedOf);
const heads = async () =>
  new Map(
    await Promise.all(
      products.map(async ({ client, deployment }) => [deployment.chainId, await headOf(client)] as const),
    ),
  );

/** Waits until the indexer has followed both chains to their heads. */
async function settled(): Promise<void> {
  for (const [chainId, head] of await heads()) {
    await indexedUpTo(database.pool, indexer, chainId, head, SLOW_MS);
  }
}

async function fresh(): Promise<Record<string, unknown[]>> {
  return freshIndex(await databases.create(), indexed(), await heads(), SLOW_MS);
}

/** Returns the tables that an index of the first chain alone has. */
async function freshOfFirst(): Promise<Record<string, unknown[]>> {
  const { deployment, client } = chain(0);
  const head = new Map([[deployment.chainId, await headOf(client)]]);
  return freshIndex(await databases.create(), [indexedOf(chain(0))], head, SLOW_MS);
}

/** Returns the rows that are of one chain. */
const rowsOf = (tables: Record<string, unknown[]>, index: number) =>
  Object.fromEntries(
    Object.entries(tables).map(([table, rows]) => [
      table,
      rows.filter((row) => JSON.parse(String(row)).chain_id === chain(index).deployment.chainId),
    ]),
  );

/** Places an order in one block, and fills a fifth of it in the next. @returns the hashes of both transactions */
async function openOrder({
  client,
  deployment,
  users,
  settler,
}: Product): Promise<{ orderId: Hex; hashes: Hex[] }> {
  const user = present(users[0], "a user");
  const token = present(deployment.stockTokens[0], "a stock token").address;
  const data = router("placeLimitOrder", token, parseEther("5"), parseEther("100"), DAY, LATER);
  const placed = await send(client, user, deployment.stockRouter, data);
  const orderId = idOf(decodeEvents(placed.logs), "LimitOrderPlaced");
  const fill = stock("settleLimitOrders", [orderId], [parseEther("1")], [parseEther("99")]);
  const filled = await send(client, settler, deployment.stock, fill);
  return { orderId, hashes: [placed.transactionHash, filled.transactionHash] };
}

/** Expects the blocks of the index to be those of the first chain that have events, hash by hash. */
async function expectEventBlocks(): Promise<void> {
  const { rows } = await database.pool.query(
    "SELECT * FROM onchain.event_block WHERE chain_id = $1 ORDER BY number",
    [chain(0).deployment.chainId],
  );
  expect(rows.map((row) => JSON.stringify(row))).toEqual(await eventBlocks(chain(0)));
}

const orderRow = async (orderId: Hex) =>
  (await database.pool.query("SELECT * FROM onchain.stock_order WHERE order_id = $1", [orderId])).rows[0];

describe("a reorg of 5 blocks under an open order", () => {
  it(
    "that drops its transactions takes the order back, and nothing of the other chain",
    async () => {
      const { client, deployment, users } = chain(0);
      const { orderId } = await openOrder(chain(0));
      const other = await openOrder(chain(1));
      const user = present(users[0], "a user");
      await send(client, user, deployment.stockRouter, router("cancelLimitOrder", orderId));
      await mine(client, 2);
      await settled();
      expect(await orderRow(orderId)).toMatchObject({ status: "canceling", fill_count: 1 });
      await expectEventBlocks();

      await reorg(client, DEPTH);
      await mine(client, 1);
      await settled();
      expect(await orderRow(orderId)).toBeUndefined();
      await expectEventBlocks();
      expect(await orderRow(other.orderId)).toMatchObject({ status: "open", fill_count: 1 });
    },
    SLOW_MS,
  );

  it(
    "that mines its transactions again, later, moves the order there",
    async () => {
      const { client } = chain(0);
      const { orderId, hashes } = await openOrder(chain(0));
      await mine(client, 3);
      await settled();
      const before = await orderRow(orderId);
      const [placing = "0x", filling = "0x"] = await Promise.all(
        hashes.map((hash) => rawTransaction(client, hash)),
      );

      await reorg(client, DEPTH, [
        [placing, 2],
        [filling, 4],
      ]);
      await openOrder(chain(1));
      await mine(client, 1);
      await settled();
      const after = await orderRow(orderId);
      expect(BigInt(after.block_number)).toBe(BigInt(before.block_number) + 2n);
      expect(after).toMatchObject({ status: "open", fill_count: 1, tx_hash: before.tx_hash });
      await expectEventBlocks();
    },
    SLOW_MS,
  );
});

it(
  "a reorg of the last block replaces its hash where the new one has the same event, and removes it where that has none",
  async () => {
    const { client } = chain(0);
    const { hashes } = await openOrder(chain(0));
    await settled();
    const last = (await eventBlocks(chain(0))).at(-1);
    const filling = await rawTransaction(client, present(hashes[1], "a fill"));
    await reorg(client, 1, [[filling, 0]]);
    await mine(client, 1);
    await settled();
    const replaced = (await eventBlocks(chain(0))).at(-1);
    expect(replaced).not.toBe(last);
    expect(JSON.parse(`${replaced}`)).toEqual({ ...JSON.parse(`${last}`), hash: expect.any(String) });
    await expectEventBlocks();

    // The order's own block goes, too.
    await reorg(client, 3);
    await mine(client, 1);
    await settled();
    expect(await eventBlocks(chain(0))).not.toContain(replaced);
    await expectEventBlocks();
  },
  SLOW_MS,
);

it(
  "row 85: a chain's process that dies is started again, and the other chain's follows on; after this and all reorgs before, the tables are those of a fresh index",
  async () => {
    const started = () =>
      indexer.lines.filter(({ msg, chainId }) => msg === "Ponder has started" && chainId === 31337);
    process.kill(Number(present(started().at(-1), "a start").pid), "SIGKILL");
    await until("the process is started again", () => started().length === 2);
    await openOrder(chain(1));
    await indexedUpTo(database.pool, indexer, 31338, await headOf(chain(1).client), SLOW_MS);
    await expireHeartbeat(database.pool, indexer);
    await openOrder(chain(0));
    await settled();
    expect(differences(await tablesOf(database.pool), await fresh())).toEqual([]);
  },
  SLOW_MS,
);

if (LONG)
  it(
    "row 85: a chain's process that hangs is ended after a minute and started again, and the other chain's follows on",
    async () => {
      const started = () =>
        indexer.lines.filter(({ msg, chainId }) => msg === "Ponder has started" && chainId === 31337);
      const before = started().length;
      process.kill(Number(present(started().at(-1), "a start").pid), "SIGSTOP");
      for (const { client } of products) await mine(client, 1);
      await indexedUpTo(database.pool, indexer, 31338, await headOf(chain(1).client), SLOW_MS);
      await until("it is started again", () => started().length > before, SLOW_MS);
      expect(indexer.lines).toContainEqual(
        expect.objectContaining({ chainId: 31337, msg: "Ponder hangs: ending it" }),
      );
      await expireHeartbeat(database.pool, indexer);
      await settled();
    },
    2 * SLOW_MS,
  );

describe("a reorg behind what was final", () => {
  const [LOST, OTHER] = [31337, 31338];
  const fatalLines = () => indexer.lines.filter(({ level }) => level === "fatal");
  const missing = async () => (await (await fetch(`${await indexer.url()}/readyz`)).json()).missing;

  it(
    "stops the chain's index loudly and keeps it from starting on what it has, while the other chain goes on",
    async () => {
      const { client } = chain(0);
      const depth = (await headOf(client)) - (startedAt - FINALITY) + 2n;
      await reorg(client, Number(depth));
      await until("the chain is given up", () => fatalLines().length > 0);
      await until("it has no checkpoint", async () => (await indexedBlock(database.pool, LOST)) === null);
      const { orderId } = await openOrder(chain(1));
      await indexedUpTo(database.pool, indexer, OTHER, await headOf(chain(1).client), SLOW_MS);
      expect(await orderRow(orderId)).toMatchObject({ status: "open", fill_count: 1 });
      // Tried again, and refused, without a word.
      await until("the next attempts", () => indexer.lines.filter(({ code }) => code === 1).length > 2);
      expect(fatalLines()).toEqual([
        expect.objectContaining({
          chainId: LOST,
          msg: expect.stringMatching(
            /took back blocks that were final.* put the schema onchain_31337_\w+ aside/,
          ),
        }),
      ]);
      expect(await missing()).toEqual([`index of chain ${LOST}`]);

      await indexer.kill();
      await expireHeartbeat(database.pool, indexer);
      indexer = startIndexer(database.url, indexed());
      await until("the start is refused", () => fatalLines().length > 0);
      await until("the other chain is ready", async () => (await missing()).length === 1);
      expect(fatalLines()).toEqual([
        expect.objectContaining({ chainId: LOST, reason: expect.stringMatching(/put the schema \w+ aside/) }),
      ]);
    },
    SLOW_MS,
  );

  it(
    "is over when the run book's statements have run: the chain is indexed anew, and nothing of the other moves",
    async () => {
      const before = await tablesOf(database.pool);
      const schema = present(indexer.schemas.get(LOST), "a schema");
      const runBook = readFileSync(`${ROOT}docs/operations/runbooks/indexer-deep-reorg.md`, "utf8");
      const statements = present(/```sql\n(.*?)```/s.exec(runBook)?.[1], "statements");
      await database.pool.query(
        statements.replaceAll("onchain_<id>_<build>", schema).replaceAll("<id>", `${LOST}`),
      );
      await settled();
      await until("all is ready", async () => (await missing()) === undefined);
      await database.pool.query(`DROP SCHEMA ${schema}_aside CASCADE`);

      const after = await tablesOf(database.pool);
      // Orphaned rows are gone.
      expect(rowsOf(before, 0).stock_order).toHaveLength(2);
      expect(rowsOf(after, 0).stock_order).toEqual([]);
      expect(rowsOf(after, 1).stock_order).toHaveLength(4);
      expect(differences(rowsOf(after, 1), rowsOf(before, 1))).toEqual([]);
      expect(differences(rowsOf(after, 0), rowsOf(await freshOfFirst(), 0))).toEqual([]);
    },
    SLOW_MS,
  );
});
