import { describe, expect, it } from "@jest/globals";
import type { Hex } from "viem";
import { signAttribution } from "../../../src/claims/attribution/suffix.ts";
import { createAttributionWatch } from "../../../src/claims/attribution/watch.ts";
import type { Deps } from "../../../src/context/deps.ts";
import { attributionRun } from "../../support/chain/attribution.ts";

const KEYS = [{ id: "one", key: new Uint8Array(32).fill(1) }];
const ROUTER: Hex = "0x1111111111111111111111111111111111111111";
const USER: Hex = "0x00000000000000000000000000000000000a11ce";
const CALL: Hex = "0x12345678";
const SUFFIX = signAttribution(
  KEYS,
  { chainId: 31337, router: ROUTER, callData: CALL },
  { apiKey: "ak", user: null },
);

interface Suffix {
  block: number;
  index: number;
  isClaimed?: boolean;
  /** By default, it is any product's. */
  productType?: string;
}

const hashOf = ({ block, index }: Suffix) =>
  `0x${[block, index].map((part) => part.toString(16).padStart(8, "0")).join("")}`;
const checkpoint = (block: number) =>
  `${"1".repeat(10)}${"0".repeat(16)}${String(block).padStart(16, "0")}${"0".repeat(33)}`;

/** Fakes an index and the tables of attributions for the statements of the watch. */
function database(suffixes: Suffix[], safe = 0) {
  const state = {
    suffixes,
    safe,
    /** Thrown where the checkpoint is read. */
    failure: null as Error | null,
    hasBlocks: true,
    cursor: null as { block: string; index: number; txHash: string } | null,
    attributed: [] as unknown[],
    pages: 0,
  };
  const rowsFor = (text: string, values: readonly unknown[]): unknown[] => {
    if (text.includes("_ponder_checkpoint")) {
      if (state.failure) throw state.failure;
      const [, , txHash, block, index] = values;
      const holds =
        txHash === undefined ||
        state.suffixes.some(
          (each) => hashOf(each) === txHash && String(each.block) === block && each.index === index,
        );
      return state.hasBlocks ? [{ safe_checkpoint: checkpoint(state.safe), holds }] : [];
    }
    if (text.includes("onchain.attribution_suffix p")) {
      state.pages += 1;
      const [, , block, index, limit] = values.map(Number);
      const isBehind = (each: Suffix) =>
        each.block > Number(block) || (each.block === Number(block) && each.index > Number(index));
      return state.suffixes
        .filter((each) => each.productType === undefined || each.productType === values[1])
        .filter(isBehind)
        .slice(0, limit)
        .map((each) => ({
          tx_hash: hashOf(each),
          block: String(each.block),
          index: each.index,
          from: USER,
          call_data: each.isClaimed ? null : CALL,
          suffix: each.isClaimed ? null : SUFFIX,
        }));
    }
    state.attributed.push(values.find((value) => /^0x[0-9a-f]{16}$/.test(String(value))));
    return [{ key_id: "k" }];
  };
  const query = async (asked: string | { text: string; values: unknown[] }, values: unknown[] = []) => ({
    rows: typeof asked === "string" ? rowsFor(asked, values) : rowsFor(asked.text, asked.values),
  });
  const attributionPlace = {
    findUnique: async () => {
      const { cursor } = state;
      if (!cursor) return null;
      return { blockNumber: BigInt(cursor.block), transactionIndex: cursor.index, txHash: cursor.txHash };
    },
    upsert: async ({ create }: { create: CursorRow }) => {
      const { blockNumber, transactionIndex, txHash } = create;
      state.cursor = { block: String(blockNumber), index: transactionIndex, txHash };
    },
  };
  return { state, stores: { pool: { query }, prisma: { attributionPlace } } as unknown as Stores };
}

interface CursorRow {
  blockNumber: bigint;
  transactionIndex: number;
  txHash: string;
}
type Stores = Pick<Deps, "pool" | "prisma">;

const product = (productType: string) => ({
  productType,
  startBlock: 0,
  contracts: { stockRouter: ROUTER },
});
const depsOf = (stores: Stores, products = [product("Sandbox")]) =>
  ({
    ...stores,
    attributionKeys: KEYS,
    deployments: { chains: [{ chainId: 31337, products }] },
  }) as unknown as Deps;
const watching = (...given: Parameters<typeof depsOf>) => attributionRun(depsOf(...given));
/** Returns runs that answer whether suffixes are left, too. */
const consuming = (...given: Parameters<typeof depsOf>) => {
  const run = createAttributionWatch(depsOf(...given));
  return () => run(31337);
};

/** Returns `length` suffixes, one a block from 1 on. */
const chainOf = (length: number, isClaimed = false): Suffix[] =>
  Array.from({ length }, (_, index) => ({ block: index + 1, index: 0, isClaimed }));

describe("the attribution watch", () => {
  it("reads nothing before the indexer has a block, or its views", async () => {
    const { state, stores } = database(chainOf(1));
    const run = watching(stores);
    state.hasBlocks = false;
    expect(await run()).toBe(0);
    state.hasBlocks = true;
    state.failure = Object.assign(new Error('relation "onchain._ponder_checkpoint" does not exist'), {
      code: "42P01",
    });
    expect(await run()).toBe(0);
    expect(state.pages).toBe(0);
  });

  it("fails where the database does", async () => {
    const { state, stores } = database(chainOf(1));
    const run = watching(stores);
    state.failure = Object.assign(new Error("gone"), { code: "ECONNRESET" });
    await expect(run()).rejects.toMatchObject({ errCode: "DATABASE_UNAVAILABLE" });
    state.failure = new Error("a mistake");
    await expect(run()).rejects.toThrow("a mistake");
  });

  it("reads what is final once, in the order of the chain, and the rest on every run", async () => {
    const { state, stores } = database(
      [
        { block: 1, index: 0 },
        { block: 1, index: 1 },
        { block: 2, index: 0 },
      ],
      1,
    );
    const run = watching(stores);
    expect(await run()).toBe(3);
    expect(state.attributed).toEqual([
      hashOf({ block: 1, index: 0 }),
      hashOf({ block: 1, index: 1 }),
      hashOf({ block: 2, index: 0 }),
    ]);
    expect(state.cursor).toEqual({ block: "1", index: 1, txHash: hashOf({ block: 1, index: 1 }) });
    expect(await run()).toBe(1);
    state.safe = 2;
    expect(await run()).toBe(1);
    expect(await run()).toBe(0);
    expect(state.cursor).toMatchObject({ txHash: hashOf({ block: 2, index: 0 }) });
  });

  it("starts where another worker has stopped", async () => {
    const { state, stores } = database(chainOf(3), 2);
    await watching(stores)();
    state.attributed = [];
    expect(await watching(stores)()).toBe(1);
    expect(state.attributed).toEqual([hashOf({ block: 3, index: 0 })]);
  });

  it("starts over where the chain before its cursor is another one", async () => {
    const { state, stores } = database(chainOf(2), 2);
    const run = watching(stores);
    await run();
    state.suffixes = [
      { block: 1, index: 0 },
      { block: 2, index: 1 },
    ];
    expect(await run()).toBe(2);
  });

  it("counts no suffix that is claimed already, and does not read it again once it is final", async () => {
    const { state, stores } = database(chainOf(2, true), 2);
    const run = watching(stores);
    expect(await run()).toBe(0);
    expect(state.attributed).toEqual([]);
    expect(state.cursor).toMatchObject({ txHash: hashOf({ block: 2, index: 0 }) });
  });

  it.each([
    [999, 1],
    [1_000, 2],
    [1_001, 2],
    [2_500, 3],
  ])("reads %i suffixes in %i pages of a thousand", async (length, pages) => {
    const { state, stores } = database(chainOf(length, true), 0);
    await watching(stores)();
    expect(state.pages).toBe(pages);
  });

  it("stops after 20 pages of what is final, and reads what is new all the same", async () => {
    const old = chainOf(20_500, true);
    const { state, stores } = database([...old, { block: 20_600, index: 0 }], 20_500);
    const run = watching(stores);
    expect(await run()).toBe(1);
    expect(state.pages).toBe(21);
    expect(state.cursor).toMatchObject({ block: "20000" });
    expect(state.attributed).toEqual([hashOf({ block: 20_600, index: 0 })]);
    expect(await run()).toBe(1);
    expect(state.cursor).toMatchObject({ block: "20500" });
  });

  it("reads all that is not final in one run, however many pages it is", async () => {
    const { state, stores } = database([...chainOf(20_500, true), { block: 20_600, index: 0 }], 100);
    expect(await watching(stores)()).toBe(1);
    expect(state.pages).toBe(21);
    expect(state.attributed).toEqual([hashOf({ block: 20_600, index: 0 })]);
    expect(state.cursor).toMatchObject({ block: "100" });
  });

  it("is complete where no suffix is left, as before the indexer has a block", async () => {
    const { state, stores } = database(chainOf(1), 1);
    const run = consuming(stores);
    state.hasBlocks = false;
    expect(await run()).toEqual({ seen: 0, complete: true });
    state.hasBlocks = true;
    expect(await run()).toEqual({ seen: 1, complete: true });
  });

  it("is not complete while a product has final suffixes left, whatever the others have", async () => {
    const long = chainOf(20_500, true).map((each) => ({ ...each, productType: "Long" }));
    const { stores } = database([...long, { block: 20_600, index: 0, productType: "Long" }], 20_500);
    const run = consuming(stores, [product("Sandbox"), product("Long")]);
    expect(await run()).toEqual({ seen: 1, complete: false });
    expect(await run()).toEqual({ seen: 1, complete: true });
  });

  it("reads every product, and adds up what it read", async () => {
    const { stores } = database(chainOf(2));
    expect(await watching(stores, [product("Sandbox"), product("Other")])()).toBe(4);
  });
});
