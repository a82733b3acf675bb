import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { Caller } from "../../src/auth/caller.ts";
import type { Deps } from "../../src/context/deps.ts";
import { decodeEventCursor } from "../../src/context/input/event-cursor.ts";
import { listOrders as listDashboardOrders } from "../../src/dashboard/claims.ts";
import { expectRefusal } from "../support/assert/errors.ts";
import { CONTRACTS, hex } from "../support/assert/sample.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { empty } from "../support/db/empty.ts";
import { createOnchain, type Onchain } from "../support/db/onchain.ts";
import { mostRowsRead, recordStatements } from "../support/db/plans.ts";
import { keyStateOf, PROJECTED, project, projectChanges } from "../support/db/projected.ts";
import { type Features, PRODUCT, startFeatures } from "../support/http/features.ts";
import { listOperations, listOrders } from "../support/http/verbs.ts";

// A list, its total, its block, its version and its position in the log are of one state (docs/projection.md#reads).

const CHAIN_ID = 31337;
const OTHER_CHAIN = 31338;
const SECOND = "Second";

let features: Features;
let onchain: Onchain;
let mine: Caller;
let minted = 0;

beforeAll(async () => {
  features = await startFeatures(
    [CHAIN_ID, OTHER_CHAIN].map((chainId) => ({
      deployment: { chainId, ...CONTRACTS },
      products: [PRODUCT, SECOND],
      rpcUrls: ["http://127.0.0.1:1"],
    })),
  );
  onchain = await createOnchain(features.deps.pool);
  mine = await features.makeCaller();
});
afterAll(() => features?.close());
beforeEach(async () => {
  await empty(features.deps.pool, "app.transaction_claim", ...PROJECTED);
  await onchain.clear();
  await onchain.setBlock(CHAIN_ID, { number: 50n, timestamp: 1_800_000_000n });
  await project(features.deps);
});

const claim = (caller: Caller = mine) =>
  createClaim(features.deps.pool, caller, { txHash: hex(32, 0x1000 + minted++) });
const stateNow = () => keyStateOf(features.deps.pool, mine);

type Read = (...args: unknown[]) => Promise<unknown>;

/** Returns the pool with another `query`. */
const withQuery = (wrap: (query: Read) => Read): Deps["pool"] =>
  new Proxy(features.deps.pool, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      return name === "query" && typeof member === "function" ? wrap(member.bind(target)) : member;
    },
  });

/** Returns deps whose reads of a page, or whose other statements, are each followed by some work before they are answered. */
function followed(after: "page" | "head", work: () => Promise<unknown>): Deps {
  const { deps } = features;
  const follow =
    <A extends unknown[], T>(read: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      const answer = await read(...args);
      await work();
      return answer;
    };
  if (after === "head") return { ...deps, pool: withQuery(follow) };
  const shownOrder = new Proxy(deps.prisma.shownOrder, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      return name === "findMany" && typeof member === "function"
        ? follow((...args: unknown[]) => Reflect.apply(member, target, args))
        : member;
    },
  });
  const prisma = new Proxy(deps.prisma, {
    get: (target, name) => (name === "shownOrder" ? shownOrder : Reflect.get(target, name)),
  });
  return { ...deps, prisma };
}

/** Returns work that claims a transaction the first time. */
function once(): () => Promise<unknown> {
  let begun: Promise<unknown> | undefined;
  return () => {
    begun ??= claim();
    return begun;
  };
}

describe("a list without filters", () => {
  it("is of the version, block and position in the log that its key has", async () => {
    await claim();
    await projectChanges(features.deps, [CHAIN_ID]);
    const { block, version, eventCursor, data } = await listOrders(features.deps, mine, {});
    const state = await stateNow();
    expect({ block, version, total: data.total }).toEqual({
      block: { number: 50n },
      version: state.version,
      total: 1,
    });
    expect(state.sequence).toBe(1n);
    expect(decodeEventCursor(mine, eventCursor ?? "", "cursor")).toBe(1n);
  });

  it.each(["page", "head"] as const)(
    "has rows and total of one state, where a claim comes after its %s was read",
    async (read) => {
      for (let rows = 0; rows < 2; rows++) {
        const before = await stateNow();
        const work = once();
        let isRead = false;
        const deps = followed(read, work);
        // Holds the other read back until the claim is there.
        const other = async () => {
          while (!isRead) await new Promise((resolve) => setImmediate(resolve));
        };
        const work2 = async () => {
          await work();
          isRead = true;
        };
        const held =
          read === "page"
            ? {
                ...followed("page", work2),
                pool: withQuery((query) => async (...args) => {
                  await other();
                  return query(...args);
                }),
              }
            : { ...deps, pool: followed("head", work2).pool };
        const { data, version } = await listOrders(held, mine, {});
        const after = await stateNow();
        expect(after.version).not.toBe(before.version);
        const total = version === before.version ? rows : rows + 1;
        expect([before.version, after.version]).toContain(version);
        expect({ total: data.total, rowsCount: data.rows.length }).toEqual({ total, rowsCount: total });
      }
    },
  );

  it("has a version also behind the last row, and where there is none", async () => {
    const { version: none } = await listOrders(features.deps, mine, {});
    expect(none).toBe((await stateNow()).version);
    for (let n = 0; n < 3; n++) await claim();
    const first = await listOrders(features.deps, mine, { limit: "2" });
    await features.deps.pool.query(
      "DELETE FROM app.key_order WHERE ctid = (SELECT min(ctid) FROM app.key_order)",
    );
    await features.deps.pool.query("DELETE FROM app.key_order WHERE tx_hash = $1", [
      hex(32, 0x1000 + minted - 3),
    ]);
    const cursor = first.data.nextCursor;
    const behind = await listOrders(features.deps, mine, { cursor });
    expect({ rows: behind.data.rows, version: behind.version }).toEqual({
      rows: [],
      version: (await stateNow()).version,
    });
    const beyond = await listOrders(features.deps, mine, { page: "9" });
    expect({ rows: beyond.data.rows, version: beyond.version }).toEqual({
      rows: [],
      version: (await stateNow()).version,
    });
  });

  it("of all keys has a block, and no version nor position in a log", async () => {
    await claim();
    const viewer = { chainId: CHAIN_ID, productType: PRODUCT, keyId: null };
    expect(await listOrders(features.deps, viewer, {})).toMatchObject({
      block: { number: 50n },
      version: null,
      eventCursor: null,
      data: { total: 1 },
    });
  });
});

it("a list by a hash has no version: the attempts of a send are no part of what a key sees", async () => {
  await claim();
  const { data, version } = await listOrders(features.deps, mine, { txHash: hex(32, 0x1000 + minted - 1) });
  expect({ total: data.total, version }).toEqual({ total: 1, version: null });
});

it("a list is refused until the rows of its chain are complete", async () => {
  const { pool } = features.deps;
  await claim();
  await pool.query("UPDATE app.event_chain SET filled = false");
  const viewer = { chainId: CHAIN_ID, productType: PRODUCT, keyId: null };
  for (const query of [{}, { status: "Init" }, { page: "2" }, { txHash: hex(32, 1) }])
    for (const who of [mine, viewer]) {
      await expectRefusal(listOrders(features.deps, who, query), "INDEXER_BEHIND");
      const { status: _status, ...common } = { status: "", ...query };
      await expectRefusal(listOperations(features.deps, who, "deposit", common), "INDEXER_BEHIND");
    }
  await expectRefusal(listDashboardOrders(features.deps, {}), "INDEXER_BEHIND");
  await pool.query("UPDATE app.event_chain SET filled = true");
  expect((await listOrders(features.deps, mine, {})).data.total).toBe(1);
});

it("a dashboard's list has the chains whose rows are complete, with their blocks, and one product where it asks for one", async () => {
  const second = await features.makeCaller({ productType: SECOND });
  const elsewhere = await features.makeCaller({ chainId: OTHER_CHAIN });
  for (const caller of [mine, second, elsewhere]) await claim(caller);
  const scopesOf = async (args: object) => {
    const { edges, indexedBlocks, totalCount } = await listDashboardOrders(features.deps, { ...args });
    const scopes = edges.map(({ node: { order } }) => [order.mapping.chainId, order.mapping.productType]);
    expect(await totalCount()).toBe(scopes.length);
    return {
      scopes: scopes.map(String).sort(),
      blocks: indexedBlocks.map(({ chainId, number }) => [chainId, number]),
    };
  };
  const first = [CHAIN_ID, 50n];
  expect(await scopesOf({})).toEqual({
    scopes: [`${CHAIN_ID},Sandbox`, `${CHAIN_ID},Second`],
    blocks: [first],
  });
  expect(await scopesOf({ productType: SECOND })).toEqual({
    scopes: [`${CHAIN_ID},Second`],
    blocks: [first],
  });
  await expectRefusal(listDashboardOrders(features.deps, { chainId: String(OTHER_CHAIN) }), "INDEXER_BEHIND");
  await onchain.setBlock(OTHER_CHAIN, { number: 7n, timestamp: 1n });
  await projectChanges(features.deps, [OTHER_CHAIN]);
  const both = await scopesOf({});
  expect(both.scopes).toHaveLength(3);
  expect(both.blocks).toEqual([first, [OTHER_CHAIN, 7n]]);
});

it("a page far behind reads names and positions of the rows before it, and no more than the page of the others", async () => {
  const { deps } = features;
  await deps.pool.query(
    `INSERT INTO app.transaction_claim (key_id, chain_id, product_type, operation_type, tx_hash, source, state)
     SELECT $1::uuid, $2::int, $3::text, 'trade', '0x' || lpad(to_hex(i), 64, '0'), 'recorded', 'pending'
     FROM generate_series(1, 3000) i`,
    [mine.keyId, CHAIN_ID, PRODUCT],
  );
  await deps.pool.query("VACUUM ANALYZE");
  const recorded = recordStatements(deps);
  const { data } = await listOrders(recorded.deps, mine, { page: "200", limit: "10" });
  expect(data.rows).toHaveLength(10);
  expect(recorded.statements).toHaveLength(1);
  // The rows passed over, the page, and those that are counted.
  expect(await mostRowsRead(deps.pool, recorded.statements)).toBeLessThan(2_010 + 3_000 + 100);
});
