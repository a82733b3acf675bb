import { beforeEach, describe, expect, it } from "@jest/globals";
import type { Caller } from "../../src/auth/caller.ts";
import { findOrder, findOrderByClientId, findOrderByTransaction } from "../../src/orders/find.ts";
import { useLog } from "../events/log-fixture.ts";
import { orderOf, publisher, TX } from "../events/rows-fixture.ts";
import { expectRefusal } from "../support/assert/errors.ts";
import { hex } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import { createClaim, createClaims } from "../support/db/builders/claims.ts";
import { createAttempt, createSends, createWallet } from "../support/db/builders/sends.ts";
import { keyStateOf } from "../support/db/projected.ts";

// Single orders among what keys see.

const { features, onchain, deps, callers, write } = await useLog();
const { pool } = features.deps;
const publish = publisher(onchain);
const [caller, other] = [present(callers[0], "a caller"), present(callers[1], "another caller")];
const ID = present(orderOf(0, 11n).orderId, "an id");
/** The dashboards' view of a chain: of all keys. */
const all = { ...caller, keyId: null };

type Found = Awaited<ReturnType<typeof findOrder>>;
const idOf = (found: Found) => found?.data.order.orderId;

beforeEach(async () => {
  await publish(20n, { stockOrder: [orderOf(0, 11n), { ...orderOf(5, 11n), txHash: TX, logIndex: 7 }] });
  await createClaim(pool, caller, { txHash: TX, clientOrderId: "mine", source: "send" });
  await write();
});

describe("an order that is indexed", () => {
  const FINDS: [string, (viewer: Caller | typeof all) => Promise<Found>][] = [
    ["its id", (viewer) => findOrder(deps, viewer, ID)],
    ["its transaction, the first in the log", (viewer) => findOrderByTransaction(deps, viewer, TX)],
    ["its client's id", (viewer) => findOrderByClientId(deps, viewer, "mine")],
  ];

  it.each(FINDS)("is found by %s, with the version and block of its key's rows", async (_name, find) => {
    const found = present(await find(caller), "an order");
    const { version, block } = await keyStateOf(pool, caller);
    expect(found).toMatchObject({ version, block, data: { order: { orderId: ID, status: "New" } } });
    expect({
      onChainStatus: found.data.onChainStatus,
      orderType: found.data.orderType,
      hasVersion: version !== "0",
      block: block.number,
    }).toEqual({ onChainStatus: "open", orderType: "Limit", hasVersion: true, block: 20n });
  });

  it.each(FINDS)("is none of another key, by %s, in another product or chain either", async (_name, find) => {
    for (const viewer of [other, { ...caller, productType: "none" }]) expect(await find(viewer)).toBe(null);
    await expectRefusal(find({ ...caller, chainId: 1 }), "INDEXER_BEHIND");
  });

  it.each(FINDS)("is found for dashboards by %s, of whichever key, under no version", async (_name, find) => {
    expect(await find(all)).toMatchObject({ version: null, data: { order: { orderId: ID } } });
  });

  it.each(FINDS)(
    "is INDEXER_BEHIND by %s while the rows of its chain are not complete",
    async (_name, find) => {
      await pool.query("UPDATE app.event_chain SET filled = false");
      for (const viewer of [caller, other, all]) await expectRefusal(find(viewer), "INDEXER_BEHIND");
    },
  );
});

it("an order of another transaction than asked for is found by its own id alone", async () => {
  expect(idOf(await findOrder(deps, caller, hex(32, 0xabc005)))).toBe(hex(32, 0xabc005));
  expect(await findOrder(deps, caller, hex(32, 0xabc006))).toBe(null);
  expect(await findOrderByTransaction(deps, caller, hex(32, 0x1005))).toBe(null);
  expect(await findOrderByClientId(deps, caller, "Mine")).toBe(null);
});

it("what stands for an order that is not indexed is found as its claim wrote it, before any step", async () => {
  const txHash = hex(32, 0x9009);
  await createClaim(pool, caller, { txHash, clientOrderId: "next", source: "send" });
  const found = present(await findOrderByTransaction(deps, caller, txHash), "a claim");
  expect(found.data.order).toMatchObject({
    orderId: null,
    status: "Init",
    historyOrder: null,
    mapping: { txHash, clientOrderId: "next" },
  });
  expect(await findOrderByClientId(deps, caller, "next")).toEqual(found);
  await pool.query("UPDATE app.transaction_claim SET state = 'reverted' WHERE tx_hash = $1", [txHash]);
  const failed = async () => (await findOrderByClientId(deps, caller, "next"))?.data.order.status;
  expect(await failed()).toBe("Failed");
  await write();
  expect(await failed()).toBe("Failed");
});

it("a sent order is found by the hash of an attempt that another one replaced, by its key alone", async () => {
  const wallet = hex(20, 0x3a11e7);
  const replaced = hex(32, 0x2003);
  const claimId = await createClaim(pool, caller, { txHash: hex(32, 0x2004), source: "send" });
  await createWallet(pool, wallet);
  const options = { claimId, wallet, userAddress: hex(20, 0xa1), state: "signed", nonce: 0n };
  const [requestId = ""] = await createSends(pool, caller, options);
  const attempt = { requestId, chainId: caller.chainId, wallet };
  await createAttempt(pool, attempt, { txHash: replaced, signedBytes: Buffer.of(1) });
  const found = present(await findOrderByTransaction(deps, caller, replaced), "the request's order");
  expect(found.data.order).toMatchObject({ mapping: { txHash: hex(32, 0x2004) } });
  expect(found).toEqual(await findOrderByTransaction(deps, caller, hex(32, 0x2004)));
  expect(await findOrderByTransaction(deps, other, replaced)).toBe(null);
  expect(await findOrderByTransaction(deps, { ...caller, productType: "none" }, replaced)).toBe(null);
  expect(await findOrderByTransaction(deps, all, replaced)).toMatchObject({ version: null });
});

it("orders that many keys ask for at once are each found by their own key", async () => {
  const COUNT = 90;
  const orders = Array.from({ length: COUNT }, (_, n) => orderOf(100 + n, 11n));
  await publish(21n, { stockOrder: orders });
  const ownerOf = (n: number) => present(callers[n % callers.length], "a caller");
  for (const owner of callers) {
    const own = orders.filter((_, n) => ownerOf(n) === owner);
    await createClaims(
      pool,
      owner,
      own.map(({ txHash = null }) => ({ txHash })),
    );
  }
  await write();
  const states = new Map(
    await Promise.all(callers.map(async (who) => [who, await keyStateOf(pool, who)] as const)),
  );
  const asks = callers.flatMap((who) => orders.map(({ orderId = "" }, n) => ({ who, orderId, n })));
  const found = await Promise.all(asks.map(({ who, orderId }) => findOrder(deps, who, orderId)));
  const seen = found.map((one) => one && { id: idOf(one), version: one.version, block: one.block });
  expect(seen).toEqual(
    asks.map(({ who, orderId, n }) => {
      const { version, block } = present(states.get(who), "a state");
      return ownerOf(n) === who ? { id: orderId, version, block } : null;
    }),
  );
});
