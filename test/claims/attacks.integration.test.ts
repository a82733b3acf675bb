import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { concat, type Hex, type LocalAccount, parseEther } from "viem";
import type { Caller } from "../../src/auth/caller.ts";
import { signAttribution } from "../../src/claims/attribution/suffix.ts";
import { cancelCalldata } from "../../src/orders/cancel-calldata.ts";
import { LATER, router } from "../contracts/calls.ts";
import { expectRefusal } from "../support/assert/errors.ts";
import { attributionRun } from "../support/chain/attribution.ts";
import { type ClaimedChain, startClaimedChain } from "../support/chain/claimed-chain.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { lower, PRODUCT } from "../support/http/features.ts";
import { getOrder } from "../support/http/verbs.ts";

// Attempts of a key to see, take or block what is another key's, on a real chain.

let chain: ClaimedChain;
/** Two keys that are bound to nobody. */
let mine: Caller;
let thief: Caller;
/** Keys that are bound to a user. */
let anns: Caller;
let bobs: Caller;

beforeAll(async () => {
  chain = await startClaimedChain();
  const key = (user?: LocalAccount) =>
    chain.features.makeCaller(user ? { userAddress: lower(user.address) } : {});
  [mine, thief, anns, bobs] = [await key(), await key(), await key(chain.ann), await key(chain.bob)];
});
afterAll(() => chain?.stop());
beforeEach(() => chain.clear());

const bare = () => router("placeMarketOrder", chain.aapl, parseEther("10"), LATER);
const refused = (caller: Caller, txHash: Hex) =>
  expectRefusal(chain.record(caller, txHash), "TX_OWNED_BY_ANOTHER_KEY", "txHash");
const unseen = async (caller: Caller, txHash: Hex) => {
  await expectRefusal(chain.byTx(caller, txHash), "TRANSACTION_NOT_FOUND");
  expect(await chain.listed(caller)).toEqual([]);
};
const owns = async (caller: Caller, txHash: Hex) => {
  const { data } = await chain.byTx(caller, txHash);
  expect(data.mapping).toMatchObject({ txHash, mappingStatus: "indexed" });
  expect(await chain.listed(caller)).toEqual([txHash]);
  return data;
};
const oldRecord = (caller: Caller, txHash: Hex, createdAt: Date) =>
  createClaim(
    chain.features.deps.pool,
    { ...caller, chainId: 31337, productType: PRODUCT },
    { txHash, createdAt, beforeFinal: true },
  );

describe("calldata of a bound key that names nobody, submitted by another wallet", () => {
  it("is an order of that key once it records it, which its wallet can cancel; of no other key", async () => {
    const txHash = await chain.placed(chain.bob, await chain.calldata(anns, null, "200"));
    await chain.verify();
    for (const other of [thief, bobs]) await refused(other, txHash);
    expect((await chain.record(anns, txHash)).data).toMatchObject({
      source: "recorded",
      userAddress: chain.bob.address,
    });
    const { orderId } = await owns(anns, txHash);
    for (const other of [thief, bobs]) {
      await refused(other, txHash);
      await unseen(other, txHash);
    }
    const { deps } = chain.features;
    const { data: cancel } = await cancelCalldata(deps, anns, { orderId: orderId as Hex });
    expect((await chain.submit(chain.bob, cancel.callData)).status).toBe("success");
    await expectRefusal(cancelCalldata(deps, thief, { orderId: orderId as Hex }), "ORDER_NOT_FOUND");
    await expectRefusal(getOrder(deps, thief, { orderId }), "ORDER_NOT_FOUND");
  });

  it("stays that key's when its block is final, and when it was recorded late", async () => {
    const txHash = await chain.placed(chain.bob, await chain.calldata(anns, null));
    await chain.verify();
    await chain.finalize();
    await chain.record(anns, txHash);
    await refused(bobs, txHash);
    await owns(anns, txHash);
  });
});

describe("a suffix that was copied", () => {
  it("behind the same call gives the copy to the key that it names, and the own order to nobody else", async () => {
    const data = await chain.calldata(anns, null);
    const copy = await chain.placed(chain.bob, data);
    const own = await chain.placed(chain.ann, data);
    await chain.verify();
    await owns(anns, own);
    for (const other of [thief, bobs]) for (const txHash of [copy, own]) await refused(other, txHash);
    expect((await chain.record(anns, copy)).data.userAddress).toBe(chain.bob.address);
    await unseen(bobs, copy);
  });

  it("behind another call is worth nothing", async () => {
    const suffix = (await chain.calldata(mine, null)).slice(bare().length);
    const other = router("placeMarketOrder", chain.aapl, parseEther("11"), LATER);
    const txHash = await chain.placed(chain.bob, concat([other, `0x${suffix}`]));
    await chain.verify();
    expect((await chain.record(bobs, txHash)).data.source).toBe("recorded");
    await refused(mine, txHash);
  });
});

it("who submits another's calldata first takes neither that order nor the next", async () => {
  const data = await chain.calldata(anns, null);
  // The victim's transaction waits in the pool; the copy is mined before it.
  const first = await chain.placed(chain.bob, data);
  const { hash } = await chain
    .submit(chain.ann, data)
    .then(({ transactionHash }) => ({ hash: transactionHash }));
  await chain.record(anns, hash);
  await chain.index(hash);
  await chain.verify();
  for (const txHash of [first, hash]) for (const other of [thief, bobs]) await refused(other, txHash);
  await owns(anns, hash);
});

describe("who records a hash ahead, while no worker verifies", () => {
  const ahead = async (caller: Caller, data: Hex) => {
    const { hash, bytes } = await chain.signed(chain.ann, data);
    await chain.record(caller, hash);
    await chain.product.client.sendRawTransaction({ serializedTransaction: bytes });
    await chain.index(hash);
    return hash;
  };

  it("sees nothing of an order that carries another key's suffix", async () => {
    const txHash = await ahead(thief, await chain.calldata(mine, chain.ann));
    await unseen(thief, txHash);
    await refused(thief, txHash);
    await owns(mine, txHash);
    await unseen(thief, txHash);
  });

  it("sees nothing of it either where its key is bound to the order's user, or bound to another", async () => {
    for (const caller of [anns, bobs]) {
      await chain.clear();
      const txHash = await ahead(caller, await chain.calldata(mine, chain.ann));
      await unseen(caller, txHash);
      await chain.verify();
      await unseen(caller, txHash);
      await owns(mine, txHash);
    }
  });

  it("sees what it recorded once a worker has found the suffix not to be valid", async () => {
    const suffix = (await chain.calldata(mine, chain.bob)).slice(bare().length);
    const txHash = await ahead(thief, concat([bare(), `0x${suffix}`]));
    await unseen(thief, txHash);
    await chain.verify();
    await owns(thief, txHash);
  });

  it("loses it where other server keys find the suffix valid after all", async () => {
    const { deps } = chain.features;
    const key = { id: "next", key: Buffer.alloc(32, 3) };
    const call = { chainId: 31337, router: chain.product.deployment.stockRouter, callData: bare() };
    const suffix = signAttribution([key], call, { apiKey: mine.apiKey, user: lower(chain.ann.address) });
    const txHash = await ahead(thief, concat([bare(), suffix]));
    await chain.finalize();
    await chain.verify();
    await owns(thief, txHash);
    await attributionRun({ ...deps, attributionKeys: [key, ...deps.attributionKeys] })();
    await unseen(thief, txHash);
    await owns(mine, txHash);
  });
});

describe("a reorg", () => {
  it("changes no rank: what yields, yields in the other block, and what was taken stays taken", async () => {
    const txHash = await chain.placed(chain.ann, bare());
    await chain.record(bobs, txHash);
    await chain.unindex(txHash);
    await chain.index(txHash, 900n);
    await owns(bobs, txHash);
    await chain.record(mine, txHash);
    await chain.unindex(txHash);
    await unseenUnindexed(bobs, txHash);
    await chain.index(txHash, 901n);
    await owns(mine, txHash);
    await unseen(bobs, txHash);
  });

  /** Expects both records to stand while nothing is indexed. */
  const unseenUnindexed = async (caller: Caller, txHash: Hex) =>
    expect((await chain.byTx(caller, txHash)).data).toMatchObject({ status: "Init", orderId: null });

  it("leaves a verdict as it is: it is of the transaction", async () => {
    const txHash = await chain.placed(chain.bob, await chain.calldata(anns, null));
    await chain.verify();
    await chain.record(anns, txHash);
    await chain.unindex(txHash);
    await chain.index(txHash, 900n);
    await owns(anns, txHash);
    await refused(bobs, txHash);
  });
});

describe("who squats on bare transactions with a key that is bound to another user", () => {
  it("loses them to whoever records before they are final", async () => {
    for (const honest of [mine, anns]) {
      await chain.clear();
      const txHash = await chain.placed(chain.ann, bare());
      await chain.record(bobs, txHash);
      await owns(bobs, txHash);
      await chain.record(honest, txHash);
      await owns(honest, txHash);
      await unseen(bobs, txHash);
      await refused(bobs, txHash);
    }
  });

  it("loses them to the user's own key afterwards, and to no other", async () => {
    const txHash = await chain.placed(chain.ann, bare());
    await chain.record(bobs, txHash);
    await chain.finalize();
    await refused(mine, txHash);
    await owns(bobs, txHash);
    await chain.record(anns, txHash);
    await owns(anns, txHash);
    await refused(bobs, txHash);
    await refused(mine, txHash);
  });

  it("keeps its place before another such key, however often either repeats", async () => {
    const rival = await chain.features.makeCaller({ userAddress: lower(chain.bob.address) });
    const { hash, bytes } = await chain.signed(chain.ann, bare());
    await chain.record(bobs, hash);
    await chain.record(rival, hash);
    await chain.product.client.sendRawTransaction({ serializedTransaction: bytes });
    for (let time = 0; time < 2; time++) {
      expect((await chain.record(bobs, hash)).data.userAddress).toBe(chain.ann.address);
      await refused(rival, hash);
    }
    await chain.index(hash);
    await owns(bobs, hash);
  });

  it("takes nothing that anybody has recorded, early or late", async () => {
    for (const honest of [mine, anns]) {
      await chain.clear();
      const txHash = await chain.placed(chain.ann, bare());
      await chain.finalize();
      await chain.record(honest, txHash);
      await refused(bobs, txHash);
      await owns(honest, txHash);
    }
  });
});

describe("by transaction", () => {
  const textOf = async (caller: Caller, txHash: Hex) =>
    (await expectRefusal(chain.byTx(caller, txHash), "TRANSACTION_NOT_FOUND")).message;

  it("nobody is told to record what a worker has found final, though the index lags", async () => {
    const txHash = await chain.placed(chain.ann, bare());
    await chain.record(mine, txHash);
    expect(await textOf(anns, txHash)).toMatch(/records it$/);
    await chain.features.deps.pool.query("UPDATE app.transaction_claim SET state = 'final'");
    expect(await textOf(anns, txHash)).toMatch(/another API key$/);
    await refused(anns, txHash);
  });

  it("what a transaction did in another product, or on another chain, says nothing", async () => {
    const txHash = await chain.placed(chain.ann, bare());
    for (const place of ["product_type = 'Second'", "product_type = 'Sandbox', chain_id = 31338"]) {
      await chain.features.deps.pool.query(`UPDATE onchain.stock_order SET ${place}`);
      expect(await textOf(mine, txHash)).toMatch(/indexed yet$/);
    }
  });
});

describe("the upgrade", () => {
  const HOUR_AGO = new Date(Date.now() - 3_600_000);

  it("leaves records of the rule before to their owners", async () => {
    const txHash = await chain.placed(chain.ann, bare());
    await oldRecord(bobs, txHash, HOUR_AGO);
    await oldRecord(mine, txHash, new Date());
    await owns(mine, txHash);
    await unseen(bobs, txHash);
    // A suffix in our form that is not valid, and has no verdict yet: nobody asked for one.
    const suffix = (await chain.calldata(mine, chain.bob)).slice(bare().length);
    const suffixed = await chain.placed(chain.ann, concat([bare(), `0x${suffix}`]));
    await oldRecord(thief, suffixed, HOUR_AGO);
    await owns(thief, suffixed);
  });

  it("lets a key record anew what was void, behind what was recorded meanwhile", async () => {
    const [free, taken] = [await chain.placed(chain.ann, bare()), await chain.placed(chain.ann, bare())];
    for (const txHash of [free, taken]) await oldRecord(bobs, txHash, HOUR_AGO);
    await chain.finalize();
    await chain.record(mine, taken);
    await refused(bobs, taken);
    await owns(mine, taken);
    const { data } = await chain.record(bobs, free);
    expect(data.createdAt).toBeGreaterThan(HOUR_AGO.getTime() / 1000 + 60);
    await owns(bobs, free);
  });

  it("keeps a record of the rule before that its key repeats", async () => {
    const txHash = await chain.placed(chain.ann, bare());
    await oldRecord(anns, txHash, HOUR_AGO);
    await chain.unindex(txHash);
    const { data } = await chain.record(anns, txHash);
    expect(data.createdAt).toBe(Math.floor(HOUR_AGO.getTime() / 1000));
    await chain.index(txHash);
    await refused(mine, txHash);
    await owns(anns, txHash);
  });
});
