import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { type Hex, type LocalAccount, parseEther } from "viem";
import type { Caller } from "../../src/auth/caller.ts";
import { writeClaim } from "../../src/claims/claim-store.ts";
import { LATER, router } from "../contracts/calls.ts";
import { expectRefusal } from "../support/assert/errors.ts";
import { type ClaimedChain, startClaimedChain } from "../support/chain/claimed-chain.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { lower, PRODUCT } from "../support/http/features.ts";

// A key that is bound to another user, on a real chain: what it recorded before stays as it is, and what it records again.

const ZERO = `0x${"0".repeat(40)}`;

let chain: ClaimedChain;
/** A key that is bound to nobody, and one that is bound to the user of the orders. */
let other: Caller;
let anns: Caller;

beforeAll(async () => {
  chain = await startClaimedChain();
  [other, anns] = [
    await chain.features.makeCaller(),
    await chain.features.makeCaller({ userAddress: lower(chain.ann.address) }),
  ];
});
afterAll(() => chain?.stop());
beforeEach(() => chain.clear());

const query = (text: string, values: unknown[] = []) => chain.features.deps.pool.query(text, values);
const keyOf = (user: LocalAccount | null) =>
  chain.features.makeCaller({ userAddress: user && lower(user.address) });
/** Binds a key as an operator does. @returns it, as its next request has it */
const bound = async (key: Caller, user: LocalAccount | null): Promise<Caller> => {
  const userAddress = user && lower(user.address);
  await query("UPDATE app.api_key SET user_address = $2 WHERE key_id = $1", [key.keyId, userAddress]);
  return { ...key, userAddress };
};
const placed = () => chain.placed(chain.ann, router("placeMarketOrder", chain.aapl, parseEther("10"), LATER));
const record = async (key: Caller, txHash: Hex) => (await chain.record(key, txHash)).data;
const refused = (key: Caller, txHash: Hex) =>
  expectRefusal(chain.record(key, txHash), "TX_OWNED_BY_ANOTHER_KEY", "txHash");
const expectOwner = async (owner: Caller, txHash: Hex, ...others: Caller[]) => {
  expect((await chain.byTx(owner, txHash)).data.mapping).toMatchObject({ txHash });
  expect(await chain.listed(owner)).toEqual([txHash]);
  for (const key of others) {
    await expectRefusal(chain.byTx(key, txHash), "TRANSACTION_NOT_FOUND");
    expect(await chain.listed(key)).toEqual([]);
  }
};
const stored = async (key: Caller) => {
  const { rows } = await query(
    "SELECT bound_user_address, created_at, before_final FROM app.transaction_claim WHERE key_id = $1",
    [key.keyId],
  );
  return rows[0];
};

describe("a record of a key that is bound to another user since", () => {
  it("keeps what it owned by the user of before, from every other key", async () => {
    for (const from of [chain.ann, null]) {
      await chain.clear();
      const [key, txHash] = [await keyOf(from), await placed()];
      await record(key, txHash);
      await bound(key, chain.bob);
      await refused(other, txHash);
      await chain.finalize();
      await refused(anns, txHash);
      await expectOwner(key, txHash, other, anns);
    }
  });

  it("takes nothing by its new user from a key that recorded it too, though the new user is the order's", async () => {
    const [key, txHash] = [await keyOf(chain.bob), await placed()];
    await record(key, txHash);
    await record(other, txHash);
    await chain.finalize();
    const rebound = await bound(key, chain.ann);
    await expectOwner(other, txHash, rebound);
    await refused(rebound, txHash);
    await expectOwner(other, txHash, rebound);
  });

  it("is not made anew where that would serve its key worse", async () => {
    const [key, txHash] = [await keyOf(chain.ann), await placed()];
    const { createdAt } = await record(key, txHash);
    const before = await stored(key);
    const rebound = await bound(key, chain.bob);
    expect(await record(rebound, txHash)).toMatchObject({ createdAt });
    expect(await stored(key)).toEqual(before);
    await refused(other, txHash);
  });

  it("is not made anew where it is final and came before its key had a user", async () => {
    const [key, txHash] = [await keyOf(null), await placed()];
    await record(key, txHash);
    await chain.finalize();
    const before = await stored(key);
    const rebound = await bound(key, chain.ann);
    for (const state of ["pending", "final"]) {
      await query("UPDATE app.transaction_claim SET state = $1::app.claim_state", [state]);
      await record(rebound, txHash);
      expect({ state, stored: await stored(key) }).toEqual({ state, stored: before });
    }
    await refused(anns, txHash);
  });
});

describe("a key that is bound to the user of orders that it recorded before", () => {
  it.each([
    ["another user", "bob"],
    ["nobody", null],
  ] as const)(
    "and was bound to %s, keeps them as the user's own key once it records them again",
    async (_name, from) => {
      const [key, txHash] = [await keyOf(from && chain[from]), await placed()];
      await record(key, txHash);
      const rebound = await bound(key, chain.ann);
      await record(rebound, txHash);
      expect(await stored(key)).toMatchObject({
        bound_user_address: lower(chain.ann.address),
        before_final: true,
      });
      const made = await stored(key);
      await record(rebound, txHash);
      expect(await stored(key)).toEqual(made);
      await refused(other, txHash);
      await refused(anns, txHash);
      await expectOwner(rebound, txHash, other, anns);
    },
  );

  it("takes them back from a key that is bound to nobody", async () => {
    const [key, txHash] = [await keyOf(chain.bob), await placed()];
    await record(key, txHash);
    await record(other, txHash);
    const rebound = await bound(key, chain.ann);
    await expectOwner(other, txHash, rebound);
    await record(rebound, txHash);
    await expectOwner(rebound, txHash, other);
  });

  it.each([
    ["another user", "bob"],
    ["nobody", null],
  ] as const)(
    "and was bound to %s, takes them late, too, from a key that is bound to another user",
    async (_name, from) => {
      const bobs = await keyOf(chain.bob);
      const [key, txHash] = [await keyOf(from && chain[from]), await placed()];
      await record(bobs, txHash);
      const [early] = [await stored(bobs)];
      await createClaim(
        chain.features.deps.pool,
        { ...key, chainId: 31337, productType: PRODUCT },
        { txHash, ruleVersion: 2, createdAt: new Date(early.created_at.getTime() + 1) },
      );
      await chain.finalize();
      const rebound = await bound(key, chain.ann);
      await record(rebound, txHash);
      expect(await stored(key)).toMatchObject({ before_final: false });
      await expectOwner(rebound, txHash, bobs);
    },
  );

  it("keeps them late, too, before the user's own key that comes later", async () => {
    const [key, txHash] = [await keyOf(chain.bob), await placed()];
    await record(key, txHash);
    await chain.finalize();
    const rebound = await bound(key, chain.ann);
    await record(rebound, txHash);
    await refused(anns, txHash);
    await expectOwner(rebound, txHash, anns);
  });

  it("takes nothing from the user's own key, which recorded it before", async () => {
    const [key, txHash] = [await keyOf(chain.bob), await placed()];
    await record(key, txHash);
    await record(anns, txHash);
    const rebound = await bound(key, chain.ann);
    const before = await stored(key);
    await refused(rebound, txHash);
    expect(await stored(key)).toEqual(before);
    await expectOwner(anns, txHash, rebound);
  });

  it("is answered while no node is there, and its record stays as it is", async () => {
    const [key, txHash] = [await keyOf(chain.bob), await placed()];
    await record(key, txHash);
    const before = await stored(key);
    const rebound = await bound(key, chain.ann);
    const { deps } = chain.features;
    const node = deps.chains.get(31337)?.nodes[0];
    if (!node) throw new Error("no node");
    const { getTransactionReceipt, getTransaction } = node;
    const away = () => Promise.reject(new Error("away"));
    Object.assign(node, { getTransactionReceipt: away, getTransaction: away });
    try {
      expect(await record(rebound, txHash)).toMatchObject({ txHash, mappingStatus: "indexed" });
    } finally {
      Object.assign(node, { getTransactionReceipt, getTransaction });
    }
    expect(await stored(key)).toEqual(before);
  });
});

describe("a record whose effects a node has, and the index not yet", () => {
  /** Records a transaction by the evidence of a node: an order of each of the users. */
  const recordUnindexed = (key: Caller, txHash: Hex, ...users: LocalAccount[]) => {
    const caller = { ...key, chainId: 31337, productType: PRODUCT };
    const effects = users.map(({ address }, logIndex) => ({
      operationType: "trade" as const,
      userAddress: lower(address),
      orderId: `0x${String(logIndex).padStart(64, "0")}` as const,
      operationId: null,
      logIndex,
    }));
    const claim = { operationType: "trade" as const, txHash };
    return writeClaim(chain.features.deps.pool, caller, claim, { effects, seen: true, final: false });
  };

  it("is made anew for the user that its key is bound to now, where all of it is that user's, and once", async () => {
    const txHash = `0x${"a1".repeat(32)}` as const;
    const key = await keyOf(chain.ann);
    await recordUnindexed(key, txHash, chain.ann, chain.bob);
    const before = await stored(key);
    const rebound = await bound(key, chain.bob);
    await recordUnindexed(rebound, txHash, chain.ann, chain.bob);
    await recordUnindexed(rebound, txHash, chain.ann);
    expect(await stored(key)).toEqual(before);
    await recordUnindexed(rebound, txHash, chain.bob);
    const renewed = await stored(key);
    expect(renewed).toMatchObject({ bound_user_address: lower(chain.bob.address) });
    await recordUnindexed(rebound, txHash, chain.bob);
    expect(await stored(key)).toEqual(renewed);
  });
});

describe("the upgrade", () => {
  /** Writes a record as the version before does, under its present rule; `isThen` before the column was there. */
  const recordOfBefore = async (key: Caller, txHash: Hex, isThen: boolean) => {
    await query(
      `INSERT INTO app.transaction_claim (key_id, chain_id, product_type, operation_type, tx_hash, source, before_final, rule_version)
       VALUES ($1, 31337, $2, 'trade', $3, 'recorded', true, 2)`,
      [key.keyId, PRODUCT, txHash],
    );
    if (isThen) await query("UPDATE app.transaction_claim SET bound_user_address = NULL");
  };

  it.each([
    ["a record of the version before", false],
    ["a record from before the user was stored", true],
  ])("keeps the user of %s", async (_name, isThen) => {
    for (const [from, to, address] of [
      [chain.ann, chain.bob, lower(chain.ann.address)],
      [null, chain.bob, ZERO],
    ] as const) {
      await chain.clear();
      const [key, txHash] = [await keyOf(from), await placed()];
      await recordOfBefore(key, txHash, isThen);
      await bound(key, to);
      expect(await stored(key)).toMatchObject({ bound_user_address: address });
      await bound(key, null);
      expect(await stored(key)).toMatchObject({ bound_user_address: address });
      await expectOwner(key, txHash, other);
      await refused(other, txHash);
    }
  });

  it("stores the user that a record saw, although its key is bound to another one before it commits", async () => {
    const [key, txHash] = [await keyOf(chain.ann), await placed()];
    const recording = await chain.features.deps.pool.connect();
    try {
      await recording.query("BEGIN");
      await createClaim(
        recording,
        { ...key, chainId: 31337, productType: PRODUCT },
        { txHash, ruleVersion: 2 },
      );
      await bound(key, chain.bob);
      await recording.query("COMMIT");
    } finally {
      recording.release();
    }
    expect(await stored(key)).toMatchObject({ bound_user_address: lower(chain.ann.address) });
  });

  it("keeps the user of that key's records alone, and of no attribution", async () => {
    const [key, second] = [await keyOf(chain.ann), await keyOf(chain.bob)];
    const [one, two, three] = [await placed(), await placed(), await placed()];
    await recordOfBefore(key, one, true);
    await recordOfBefore(second, two, true);
    await createClaim(
      chain.features.deps.pool,
      { ...key, chainId: 31337, productType: PRODUCT },
      { txHash: three, source: "attributed", userAddress: lower(chain.ann.address) },
    );
    await bound(key, chain.bob);
    const { rows } = await query("SELECT tx_hash, bound_user_address AS bound FROM app.transaction_claim");
    expect(new Map(rows.map((row) => [row.tx_hash, row.bound]))).toEqual(
      new Map([
        [one, lower(chain.ann.address)],
        [two, null],
        [three, null],
      ]),
    );
  });

  it("stores the user with what the version before makes anew, or makes a record of", async () => {
    const [key, txHash] = [await keyOf(chain.bob), await placed()];
    await recordOfBefore(key, txHash, true);
    await query("UPDATE app.transaction_claim SET created_at = clock_timestamp(), rule_version = 2");
    expect(await stored(key)).toMatchObject({ bound_user_address: lower(chain.bob.address) });
    await query("UPDATE app.transaction_claim SET source = 'attributed'");
    await bound(key, chain.ann);
    await query("UPDATE app.transaction_claim SET source = 'recorded', last_seen_at = now()");
    expect(await stored(key)).toMatchObject({ bound_user_address: lower(chain.ann.address) });
    await bound(key, chain.bob);
    await query("UPDATE app.transaction_claim SET last_seen_at = now(), state = 'final'");
    expect(await stored(key)).toMatchObject({ bound_user_address: lower(chain.ann.address) });
  });
});
