import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { concat, type Hex, keccak256, type LocalAccount, parseEther, type TransactionReceipt } from "viem";
import type { Caller } from "../../../src/auth/caller.ts";
import { signAttribution } from "../../../src/claims/attribution/suffix.ts";
import { effectsOf } from "../../../src/claims/effects.ts";
import { recordTransaction } from "../../../src/claims/record.ts";
import type { Deps } from "../../../src/context/deps.ts";
import { splitSuffix } from "../../../src/contracts/attribution-suffix.ts";
import { LATER, router } from "../../contracts/calls.ts";
import { expectRefusal } from "../../support/assert/errors.ts";
import { LONG } from "../../support/assert/long.ts";
import { hex } from "../../support/assert/sample.ts";
import { present } from "../../support/assert/until.ts";
import { attributionRun } from "../../support/chain/attribution.ts";
import { type Product, send, startProduct } from "../../support/chain/product.ts";
import { createAttributions, createClaim, createClaims } from "../../support/db/builders/claims.ts";
import { empty } from "../../support/db/empty.ts";
import { createOnchain, indexOnchain, type Onchain, type Row } from "../../support/db/onchain.ts";
import { mostRowsRead, recordStatements } from "../../support/db/plans.ts";
import { PROJECTED, projected } from "../../support/db/projected.ts";
import { seedTerms } from "../../support/db/seed.ts";
import { type Features, lower, PRODUCT, startFeatures } from "../../support/http/features.ts";
import { getOrderByTransaction, listOrders, orderCalldata } from "../../support/http/verbs.ts";

// Suffixes on a real chain and in a real PostgreSQL: what the worker makes of what the indexer keeps, and what ownership
// makes of that.

let product: Product;
let features: Features;
let onchain: Onchain;
let mine: Caller;
let other: Caller;
let ann: LocalAccount;
let bob: LocalAccount;
let aapl: Hex;

beforeAll(async () => {
  product = await startProduct();
  features = await startFeatures([
    { deployment: product.deployment, rpcUrls: [product.rpcUrl], products: [PRODUCT] },
  ]);
  onchain = await createOnchain(features.deps.pool);
  [mine, other] = await Promise.all([features.makeCaller(), features.makeCaller()]);
  ann = present(product.users[0], "a user");
  bob = present(product.users[1], "a user");
  aapl = present(product.deployment.stockTokens[0], "a stock").address;
});

afterAll(async () => {
  await features?.close();
  await product?.stop();
});

beforeEach(async () => {
  await empty(
    features.deps.pool,
    "app.transaction_claim",
    "app.transaction_attribution",
    "app.invalid_attribution",
    "app.attribution_place",
    ...PROJECTED,
  );
  await onchain.clear();
  await seedTerms(onchain, product);
  await setSafe(1n);
});

const deps = (): Deps => features.deps;
const watch = (using = deps()) => attributionRun(using)();
const submit = (from: LocalAccount, data: Hex) =>
  send(product.client, from, product.deployment.stockRouter, data);
const record = (caller: Caller, txHash: Hex) => recordTransaction(deps(), caller, "trade", { txHash });
const byTx = (caller: Caller, txHash: Hex) => projected(getOrderByTransaction)(deps(), caller, { txHash });
const rowsOf = async (caller: Caller) => (await projected(listOrders)(deps(), caller, {})).data.rows;
const rpc = (method: string, params: unknown[] = []) =>
  product.client.transport.request({ method, params }) as Promise<unknown>;

/** Returns the API's calldata of a small market buy. */
async function calldata(caller: Caller, user: LocalAccount | null): Promise<Hex> {
  const args = { stockAddress: aapl, side: "Buy", type: "Market", notional: "10", deadline: LATER };
  const { data } = await orderCalldata(deps(), caller, { ...args, userAddress: user?.address });
  return data.callData;
}

/** Sets the last block that no reorg reverts. */
async function setSafe(block: bigint): Promise<void> {
  const checkpoint = `${"1".repeat(10)}${"0".repeat(16)}${String(block).padStart(16, "0")}${"0".repeat(33)}`;
  await deps().pool.query("UPDATE onchain._ponder_checkpoint SET safe_checkpoint = $1", [checkpoint]);
}

/** Inserts the rows that the indexer would write for the orders of a transaction and its suffix. */
async function index(receipt: TransactionReceipt): Promise<void> {
  const { transactionHash: txHash, blockNumber, transactionIndex } = receipt;
  const { input, from, to } = await product.client.getTransaction({ hash: txHash });
  const at = { chainId: 31337, productType: PRODUCT, txHash, blockNumber };
  const config = present(deps().deployments.chains[0]?.products[0], "the product");
  for (const { userAddress, orderId, logIndex } of effectsOf(receipt.logs, { ...config, chainId: 31337 })) {
    await onchain.insert("stockOrder", {
      ...at,
      logIndex,
      userAddress,
      orderId: orderId ?? "0x",
      side: "Buy",
      orderType: "Market",
      status: "open",
      stockAddress: aapl,
    });
  }
  const split = to && lower(to) === product.deployment.stockRouter ? splitSuffix(input) : null;
  if (split)
    await onchain.insert("attributionSuffix", { ...at, transactionIndex, fromAddress: from, ...split });
}

/** Removes the indexed rows of a transaction, like a reorg. */
async function unindex(txHash: Hex): Promise<void> {
  for (const table of ["stock_order", "attribution_suffix"]) {
    await deps().pool.query(`DELETE FROM onchain.${table} WHERE tx_hash = $1`, [txHash]);
  }
}

async function placed(from: LocalAccount, data: Hex): Promise<Hex> {
  const receipt = await submit(from, data);
  await index(receipt);
  return receipt.transactionHash;
}

async function claims(): Promise<
  { key_id: string; source: string; tx_hash: string; user_address: string }[]
> {
  const { rows } = await deps().pool.query(
    "SELECT key_id, source::text, tx_hash, user_address FROM app.transaction_claim ORDER BY created_at",
  );
  return rows;
}

async function expectNobodys(txHash: Hex): Promise<void> {
  expect((await claims()).filter(({ tx_hash }) => tx_hash === txHash)).toEqual([]);
  for (const caller of [mine, other]) await expectRefusal(byTx(caller, txHash), "TRANSACTION_NOT_FOUND");
}

describe("the router", () => {
  it("ignores what trails a call: the same order, the same locks", async () => {
    const bare = router("placeMarketOrder", aapl, parseEther("10"), LATER);
    const suffixed = await calldata(mine, ann);
    expect(suffixed.startsWith(bare)).toBe(true);
    const logs = async (data: Hex) =>
      (await submit(ann, data)).logs.map(({ address, data: body, topics }) => [address, topics[0], body]);
    expect(await logs(suffixed)).toEqual(await logs(bare));
  });
});

describe("a transaction with a suffix", () => {
  it.each([
    ["for the user who was named", () => ann],
    ["for whoever submits it, where nobody was named", () => null],
  ])("maps itself to the key, %s", async (_what, user) => {
    const txHash = await placed(ann, await calldata(mine, user()));
    await watch();
    expect(await claims()).toEqual([
      { key_id: mine.keyId, source: "attributed", tx_hash: txHash, user_address: lower(ann.address) },
    ]);
    const { data } = await byTx(mine, txHash);
    expect(data.mapping).toMatchObject({
      source: "attributed",
      mappingStatus: "indexed",
      userAddress: ann.address,
      txHash,
    });
    expect((await rowsOf(mine)).map(({ orderId }) => orderId)).toEqual([data.orderId]);
    await expectRefusal(byTx(other, txHash), "TRANSACTION_NOT_FOUND");
    expect(await rowsOf(other)).toEqual([]);
  });

  it("is claimed once, by however many workers at once, however often they look", async () => {
    const data = await Promise.all(Array.from({ length: 5 }, () => calldata(mine, ann)));
    for (const each of data) await placed(ann, each);
    await Promise.all(Array.from({ length: 4 }, () => watch()));
    const before = await claims();
    expect(before).toHaveLength(5);
    await watch();
    expect(await claims()).toEqual(before);
  });

  it("is looked at again until the indexer takes it back no more, and then not any more", async () => {
    const run = attributionRun(deps());
    const txHash = await placed(ann, await calldata(mine, bob));
    expect(await run()).toBe(1);
    expect(await run()).toBe(1);
    await setSafe(1_000_000n);
    expect(await run()).toBe(1);
    expect(await run()).toBe(0);
    await expectNobodys(txHash);
  });

  it("is found by a worker that starts after everything is verified", async () => {
    const txHash = await placed(ann, await calldata(mine, ann));
    await setSafe(1_000_000n);
    await watch();
    expect((await byTx(mine, txHash)).data.mapping.source).toBe("attributed");
  });

  it("is looked at again where another chain stands in the place of the one that was looked at", async () => {
    await placed(ann, await calldata(mine, ann));
    const last = await placed(ann, await calldata(mine, bob));
    await setSafe(1_000_000n);
    const run = attributionRun(deps());
    expect(await run()).toBe(2);
    await empty(deps().pool, "app.transaction_claim");
    expect(await run()).toBe(0);
    await deps().pool.query(
      "UPDATE onchain.attribution_suffix SET block_number = block_number + 1 WHERE tx_hash = $1",
      [last],
    );
    expect(await run()).toBe(2);
  });

  it("that is verified is left alone by the workers that come after", async () => {
    await placed(ann, await calldata(mine, bob));
    await setSafe(1_000_000n);
    expect(await watch()).toBe(1);
    expect(await watch()).toBe(0);
    await placed(ann, await calldata(mine, bob));
    expect(await watch()).toBe(1);
  });

  describe("among very many", () => {
    /** Rows that a statement of the worker reads at most. */
    const PAGE = 1_000;
    /** Inserts suffixes, ten a block, all of them claimed or none. */
    const crowd = async (count: number, claimed: boolean) => {
      const { pool } = deps();
      const suffixes = Array.from(
        { length: count },
        (_, index): Row<"attributionSuffix"> & { txHash: Hex } => ({
          chainId: 31337,
          productType: PRODUCT,
          txHash: hex(32, index),
          fromAddress: lower(ann.address),
          callData: "0x",
          suffix: "0x",
          blockNumber: BigInt(Math.floor(index / 10)),
          transactionIndex: index % 10,
        }),
      );
      await onchain.insert("attributionSuffix", ...suffixes);
      if (!claimed) return;
      const hashes = suffixes.map(({ txHash }) => txHash);
      await createClaims(
        pool,
        mine,
        hashes.map((txHash) => ({ txHash })),
        { source: "attributed" },
      );
      await createAttributions(pool, mine, ...hashes);
    };

    it("is found, however many pages are before it", async () => {
      await crowd(4_500, false);
      expect(await watch()).toBe(4_500);
    });

    it("costs each statement a page at most, keeps what is new waiting for nothing, and is not looked at by a new worker", async () => {
      const pages = LONG ? 21 : 7;
      await crowd(pages * PAGE, true);
      await indexOnchain(deps().pool);
      await setSafe(BigInt(pages * PAGE) / 10n);
      const receipt = await submit(ann, await calldata(mine, ann));
      await index({ ...receipt, blockNumber: 5_000n });
      const first = recordStatements(deps());
      await watch(first.deps);
      const { transactionHash: txHash } = receipt;
      const claimed = await deps().prisma.transactionClaim.findMany({ where: { txHash } });
      expect(claimed).toMatchObject([{ keyId: mine.keyId, source: "attributed" }]);
      expect(first.statements.length).toBeGreaterThanOrEqual(pages);
      // A page of suffixes, with the claim and the key of each.
      expect(await mostRowsRead(deps().pool, first.statements)).toBeLessThan(3_100);
      await setSafe(1_000_000n);
      for (let run = 0; run < 2; run++) await watch();
      const second = recordStatements(deps());
      await watch(second.deps);
      expect(second.statements.length).toBeLessThan(5);
      expect(await mostRowsRead(deps().pool, second.statements)).toBeLessThan(20);
    });
  });

  it("waits without an error while there is no index", async () => {
    await deps().pool.query("ALTER SCHEMA onchain RENAME TO elsewhere");
    try {
      expect(await watch()).toBe(0);
    } finally {
      await deps().pool.query("ALTER SCHEMA elsewhere RENAME TO onchain");
    }
  });

  it("still belongs to its key when that was revoked since", async () => {
    const key = await features.makeCaller();
    const txHash = await placed(ann, await calldata(key, ann));
    await deps().pool.query("UPDATE app.api_key SET active = false, revoked_at = now() WHERE key_id = $1", [
      key.keyId,
    ]);
    await watch();
    expect((await byTx(key, txHash)).data.mapping.source).toBe("attributed");
    await expectRefusal(record(mine, txHash), "TX_OWNED_BY_ANOTHER_KEY", "txHash");
  });
});

describe("a suffix that is not good maps nothing", () => {
  const bare = () => router("placeMarketOrder", aapl, parseEther("10"), LATER);
  const signed = (more: {
    chainId?: number;
    router?: Hex;
    callData?: Hex;
    keys?: Deps["attributionKeys"];
  }) => {
    const { keys = deps().attributionKeys, ...call } = more;
    const at = { chainId: 31337, router: product.deployment.stockRouter, callData: bare(), ...call };
    return signAttribution(keys, at, { apiKey: mine.apiKey, user: lower(ann.address) });
  };
  const elsewhere: Hex = "0x00000000000000000000000000000000000beef1";

  it.each<[string, () => Hex]>([
    [
      "forged: signed with another server's key",
      () => signed({ keys: [{ id: "x", key: Buffer.alloc(32, 9) }] }),
    ],
    ["of another chain", () => signed({ chainId: 31338 })],
    ["of another router", () => signed({ router: elsewhere })],
    [
      "of another call",
      () => signed({ callData: router("placeMarketOrder", aapl, parseEther("11"), LATER) }),
    ],
    [
      "of a key that does not exist",
      () =>
        signAttribution(
          deps().attributionKeys,
          { chainId: 31337, router: product.deployment.stockRouter, callData: bare() },
          { apiKey: "pk_nobody", user: null },
        ),
    ],
  ])("%s", async (_what, suffix) => {
    const txHash = await placed(ann, concat([bare(), suffix()]));
    expect(await watch()).toBe(1);
    await expectNobodys(txHash);
    // The good one, beside it, is taken: the test would see a watch that takes nothing.
    const good = await placed(ann, concat([bare(), signed({})]));
    await watch();
    expect((await byTx(mine, good)).data.mapping.source).toBe("attributed");
    // And /tx maps what the suffix did not.
    expect((await record(other, txHash)).data.source).toBe("recorded");
  });

  it("stripped: then /tx maps the transaction", async () => {
    const txHash = await placed(ann, present(splitSuffix(await calldata(mine, ann)), "a suffix").callData);
    expect(await watch()).toBe(0);
    await expectNobodys(txHash);
    expect((await record(mine, txHash)).data).toMatchObject({ source: "recorded", mappingStatus: "indexed" });
  });

  it("copied by another user, where the user was named", async () => {
    const data = await calldata(mine, ann);
    const copy = await placed(bob, data);
    const own = await placed(ann, data);
    await watch();
    await expectNobodys(copy);
    expect((await byTx(mine, own)).data.mapping.userAddress).toBe(ann.address);
    expect(await rowsOf(mine)).toHaveLength(1);
  });

  it("copied by another user, where the key is bound to one", async () => {
    const bound = await features.makeCaller({ userAddress: lower(ann.address) });
    const data = await calldata(bound, null);
    const copy = await placed(bob, data);
    const own = await placed(ann, data);
    await watch();
    await expectNobodys(copy);
    expect((await rowsOf(bound)).map(({ txHash }) => txHash)).toEqual([own]);
  });

  it("used a second time, by the same user: /tx maps that one", async () => {
    const data = await calldata(mine, ann);
    const [first, second] = [await placed(ann, data), await placed(ann, data)];
    await watch();
    expect((await rowsOf(mine)).map(({ txHash }) => txHash)).toEqual([first]);
    await expectNobodys(second);
    expect((await record(mine, second)).data.source).toBe("recorded");
    await watch();
    expect((await byTx(mine, second)).data.mapping.source).toBe("recorded");
    expect((await byTx(mine, first)).data.mapping.source).toBe("attributed");
  });

  it("copied, where nobody was named and no one is bound: it goes to the first in the chain", async () => {
    const data = await calldata(mine, null);
    const [first, copy] = [await placed(ann, data), await placed(bob, data)];
    await watch();
    expect((await rowsOf(mine)).map(({ txHash }) => txHash)).toEqual([first]);
    await expectNobodys(copy);
  });
});

describe("a reorg", () => {
  it("that takes the first use of a suffix away lets the second one have it", async () => {
    const data = await calldata(mine, null);
    const run = attributionRun(deps());
    const copied = await placed(bob, data);
    await run();
    expect((await byTx(mine, copied)).data.mapping.userAddress).toBe(bob.address);
    const own = await placed(ann, data);
    await run();
    await expectRefusal(byTx(mine, own), "TRANSACTION_NOT_FOUND");
    await unindex(copied);
    await run();
    expect((await byTx(mine, own)).data.mapping.userAddress).toBe(ann.address);
    // The copy is mined again, behind the original: no key owns it, and no list shows it.
    const receipt = await product.client.getTransactionReceipt({ hash: copied });
    await index({ ...receipt, blockNumber: receipt.blockNumber + 100n });
    await run();
    expect((await byTx(mine, own)).data.mapping.userAddress).toBe(ann.address);
    await expectRefusal(byTx(mine, copied), "TRANSACTION_NOT_FOUND");
    expect((await rowsOf(mine)).map(({ txHash }) => txHash)).toEqual([own]);
  });

  it("that moves a transaction changes nothing of its mapping", async () => {
    const txHash = await placed(ann, await calldata(mine, ann));
    await watch();
    const before = (await byTx(mine, txHash)).data.mapping;
    await unindex(txHash);
    expect((await byTx(mine, txHash)).data).toMatchObject({ status: "Init", orderId: null });
    await index(await product.client.getTransactionReceipt({ hash: txHash }));
    await watch();
    expect((await byTx(mine, txHash)).data.mapping).toEqual(before);
  });
});

describe("recording", () => {
  it("another key's attributed order is refused, before the index and the worker have seen it", async () => {
    const { transactionHash } = await submit(ann, await calldata(mine, ann));
    await expectRefusal(record(other, transactionHash), "TX_OWNED_BY_ANOTHER_KEY", "txHash");
    expect((await claims()).map(({ key_id, source }) => [key_id, source])).toEqual([
      [mine.keyId, "attributed"],
    ]);
    expect((await record(mine, transactionHash)).data).toMatchObject({
      source: "attributed",
      userAddress: ann.address,
    });
  });

  it("another key's attributed order is refused while it waits in the pool", async () => {
    const data = await calldata(mine, ann);
    await rpc("evm_setAutomine", [false]);
    try {
      const txHash = await waiting(ann, data);
      await expectRefusal(record(other, txHash), "TX_OWNED_BY_ANOTHER_KEY", "txHash");
      expect((await record(mine, txHash)).data).toMatchObject({
        source: "attributed",
        mappingStatus: "pending",
      });
    } finally {
      await rpc("evm_setAutomine", [true]);
      await rpc("anvil_mine", []);
    }
  });

  it("loses against an attribution that is seen later, and wins nothing by having been first", async () => {
    const data = await calldata(mine, ann);
    await rpc("evm_setAutomine", [false]);
    let txHash: Hex;
    try {
      const serialized = await signedCall(ann, data);
      txHash = serialized.hash;
      expect((await record(other, txHash)).data).toMatchObject({ mappingStatus: "pending" });
      await product.client.sendRawTransaction({ serializedTransaction: serialized.bytes });
    } finally {
      await rpc("evm_setAutomine", [true]);
      await rpc("anvil_mine", []);
    }
    await index(await product.client.waitForTransactionReceipt({ hash: txHash }));
    await watch();
    await expectRefusal(byTx(other, txHash), "TRANSACTION_NOT_FOUND");
    await expectRefusal(record(other, txHash), "TX_OWNED_BY_ANOTHER_KEY", "txHash");
    expect((await byTx(mine, txHash)).data.mapping.source).toBe("attributed");
  });

  describe("row 61: what carries another key's valid suffix is refused", () => {
    /** Sends two transactions with one suffix: the second maps nothing by itself. */
    const twice = async (caller: Caller) => {
      const data = await calldata(caller, ann);
      return [await submit(ann, data), await submit(ann, data)] as const;
    };

    it.each([
      ["before the worker has seen either use", async () => undefined],
      ["after the suffix was used", async () => void (await watch())],
    ])("%s", async (_when, before) => {
      const uses = await twice(mine);
      for (const use of uses) await index(use);
      await before();
      for (const { transactionHash } of uses)
        await expectRefusal(record(other, transactionHash), "TX_OWNED_BY_ANOTHER_KEY", "txHash");
      await watch();
      const second = uses[1].transactionHash;
      await expectNobodys(second);
      expect((await record(mine, second)).data).toMatchObject({
        source: "recorded",
        mappingStatus: "indexed",
      });
      await expectRefusal(record(other, second), "TX_OWNED_BY_ANOTHER_KEY", "txHash");
    });

    it("also where it was recorded before any node knew it, and then it shows nowhere", async () => {
      const data = await calldata(mine, ann);
      await placed(ann, data);
      const { bytes, hash } = await signedCall(ann, data);
      await record(other, hash);
      expect((await rowsOf(other)).map(({ txHash }) => txHash)).toEqual([hash]);
      await rpc("evm_setAutomine", [false]);
      try {
        await product.client.sendRawTransaction({ serializedTransaction: bytes });
        await expectRefusal(record(other, hash), "TX_OWNED_BY_ANOTHER_KEY", "txHash");
        expect(await rowsOf(other)).toEqual([]);
        await expectRefusal(byTx(other, hash), "TRANSACTION_NOT_FOUND");
      } finally {
        await rpc("evm_setAutomine", [true]);
        await rpc("anvil_mine", []);
      }
      await index(await product.client.waitForTransactionReceipt({ hash }));
      await expectRefusal(byTx(other, hash), "TRANSACTION_NOT_FOUND");
      await watch();
      await expectRefusal(byTx(other, hash), "TRANSACTION_NOT_FOUND");
      expect((await record(mine, hash)).data.source).toBe("recorded");
      expect((await byTx(mine, hash)).data.mapping.source).toBe("recorded");
    });

    it("also where the suffix names nobody and its key is bound to another user than the sender", async () => {
      const bound = await features.makeCaller({ userAddress: lower(ann.address) });
      const copy = await placed(bob, await calldata(bound, null));
      const bobs = await features.makeCaller({ userAddress: lower(bob.address) });
      for (const key of [other, bobs])
        await expectRefusal(record(key, copy), "TX_OWNED_BY_ANOTHER_KEY", "txHash");
      await watch();
      for (const key of [other, bobs])
        await expectRefusal(record(key, copy), "TX_OWNED_BY_ANOTHER_KEY", "txHash");
      await expectNobodys(copy);
      expect((await record(bound, copy)).data).toMatchObject({
        source: "recorded",
        userAddress: bob.address,
      });
    });

    it("and not where the suffix names another sender: it is not valid", async () => {
      const copy = await placed(bob, await calldata(mine, ann));
      await watch();
      expect((await record(other, copy)).data).toMatchObject({
        source: "recorded",
        mappingStatus: "indexed",
      });
    });

    it("of a transaction that was verified before keys were kept, once the worker has read the index again", async () => {
      const [first, second] = await twice(mine);
      await index(first);
      await index(second);
      await setSafe(1_000_000n);
      await watch();
      await empty(deps().pool, "app.transaction_attribution");
      await deps().pool.query("UPDATE app.attribution_place SET ground = 'of an older version'");
      const recorded = await claimAs(other, second.transactionHash);
      expect((await byTx(other, second.transactionHash)).data.mapping.mappingId).toBe(recorded);
      await watch();
      await expectRefusal(byTx(other, second.transactionHash), "TRANSACTION_NOT_FOUND");
      expect((await byTx(mine, first.transactionHash)).data.mapping.source).toBe("attributed");
    });
  });

  it("by the same key becomes an attribution, under the same mapping", async () => {
    const data = await calldata(mine, ann);
    const { bytes, hash } = await signedCall(ann, data);
    const { mappingId } = (await record(mine, hash)).data;
    await product.client.sendRawTransaction({ serializedTransaction: bytes });
    await index(await product.client.waitForTransactionReceipt({ hash }));
    await watch();
    expect((await byTx(mine, hash)).data.mapping).toMatchObject({ mappingId, source: "attributed" });
  });
});

describe("a server key", () => {
  it("that was replaced still verifies while it is listed, and no longer when it is not", async () => {
    const [old] = deps().attributionKeys;
    const fresh = { id: "fresh", key: Buffer.alloc(32, 3) };
    const txHash = await placed(ann, await calldata(mine, ann));
    await watch({ ...deps(), attributionKeys: [fresh] });
    await expectNobodys(txHash);
    await watch({ ...deps(), attributionKeys: [fresh, present(old, "a server key")] });
    expect((await byTx(mine, txHash)).data.mapping.source).toBe("attributed");
  });

  it("that was missing while everything was verified maps what it missed, once it is back", async () => {
    const [old] = deps().attributionKeys;
    const keys = [present(old, "a server key"), { id: "fresh", key: Buffer.alloc(32, 3) }] as const;
    const before = await placed(ann, await calldata(mine, ann));
    await setSafe(1_000_000n);
    await watch({ ...deps(), attributionKeys: [...keys] });
    const missed = await placed(ann, await calldata(mine, ann));
    await watch({ ...deps(), attributionKeys: [keys[1]] });
    await expectNobodys(missed);
    // The order of the keys does not matter: transactions that were checked with all of them are not checked again.
    expect(await watch({ ...deps(), attributionKeys: [keys[1], keys[0]] })).toBe(1);
    for (const txHash of [before, missed])
      expect({ txHash, source: (await byTx(mine, txHash)).data.mapping.source }).toEqual({
        txHash,
        source: "attributed",
      });
  });
});

/** Inserts a record like an older version. */
const claimAs = (caller: Caller, txHash: Hex): Promise<string> =>
  createClaim(deps().pool, { ...caller, chainId: 31337, productType: PRODUCT }, { txHash });

async function signedCall(from: LocalAccount, data: Hex): Promise<{ bytes: Hex; hash: Hex }> {
  const { client, deployment } = product;
  const bytes = await from.signTransaction({
    to: deployment.stockRouter,
    data,
    gas: 1_000_000n,
    maxFeePerGas: 100_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    type: "eip1559",
    chainId: 31337,
    nonce: await client.getTransactionCount({ address: from.address, blockTag: "pending" }),
  });
  return { bytes, hash: keccak256(bytes) };
}

async function waiting(from: LocalAccount, data: Hex): Promise<Hex> {
  const { bytes } = await signedCall(from, data);
  return product.client.sendRawTransaction({ serializedTransaction: bytes });
}
