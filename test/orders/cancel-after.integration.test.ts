import { describe, expect, it } from "@jest/globals";
import { createChains } from "../../src/chain/clients.ts";
import { startJobs } from "../../src/context/jobs.ts";
import { getKey } from "../../src/key/get.ts";
import { cancelKey } from "../../src/orders/cancel.ts";
import { fireSwitches, switchJobs } from "../../src/orders/cancel-after-job.ts";
import { fireSwitch, readDueSwitches } from "../../src/sending/outbox/cancel-after-store.ts";
import { expectRefusal } from "../support/assert/errors.ts";
import { hex } from "../support/assert/sample.ts";
import { present, until } from "../support/assert/until.ts";
import { setPolicy } from "../support/db/builders/keys.ts";
import { sendCancel, setCancelAfter } from "../support/http/verbs.ts";
import { useRestingOrders } from "./resting-fixture.ts";

// POST /orders/cancel-after and what the worker makes of it, against a real chain; nothing is signed.

const { deps, pool, caller, stranger, wallet, index, rest, cancelOnChain, cancels } =
  await useRestingOrders();

const arm = (seconds: number | null = 60) => setCancelAfter(deps, caller, { seconds });
const passTime = () => pool.query("UPDATE app.cancel_after SET cancel_at = cancel_at - interval '1 hour'");
const shown = async () => (await getKey(deps, caller)).cancelAfter;
const chain = present(deps.deployments.chains[0], "the chain");
const due = async () =>
  (await readDueSwitches(pool, { ...caller, productTypes: [caller.productType] }, 10))[0];
const fire = (by = deps) => fireSwitches(by, chain);
const keysOf = async () => (await cancels()).map(({ operation_key }) => operation_key);
/** Arms a switch, and has its time pass. */
async function armDue(): Promise<void> {
  await arm();
  await passTime();
}
const setWallet = (state: string) =>
  pool.query("UPDATE app.delegatee_wallet SET state = $2 WHERE address = $1", [wallet, state]);

describe("arming", () => {
  it("answers when it cancels, by the database's clock; a call again renews it, and null disarms it", async () => {
    expect(await shown()).toBe(null);
    const armed = await arm(60);
    expect(armed).toEqual({ seconds: 60, cancelAt: armed.now + 60, firedAt: null, now: armed.now });
    const renewed = await arm(86_400);
    expect(renewed).toMatchObject({ seconds: 86_400, cancelAt: renewed.now + 86_400 });
    expect(await shown()).toEqual({
      seconds: 86_400,
      cancelAt: renewed.cancelAt,
      firedAt: null,
      requested: 0,
      refused: 0,
      errCode: null,
    });
    expect(await arm(null)).toMatchObject({ seconds: null, cancelAt: null });
    expect(await shown()).toMatchObject({ seconds: null, cancelAt: null });
  });

  it.each([[4], [86_401], [0], ["soon"], [1.5]])("refuses %s seconds", async (seconds) => {
    await expectRefusal(setCancelAfter(deps, caller, { seconds }), "VALIDATION_FAILED", "seconds");
  });

  it("is refused where nothing could be sent, and disarming is not", async () => {
    await expectRefusal(
      setCancelAfter(deps, { ...caller, userAddress: null }, { seconds: 60 }),
      "USER_NOT_BOUND",
    );
    await expectRefusal(setCancelAfter(deps, stranger, { seconds: 60 }), "DELEGATION_NOT_ENABLED");
    await arm();
    await setPolicy(pool, caller, { killed: true });
    await expectRefusal(arm(), "POLICY_REFUSED", "killSwitch");
    await setPolicy(pool, caller, { killed: false, allowedOperations: ["orders/send"] });
    await expectRefusal(arm(), "POLICY_REFUSED", "allowedOperations");
    await pool.query("UPDATE app.delegation SET blocked = true");
    await expectRefusal(arm(), "DELEGATION_NOT_ENABLED");
    expect(await arm(null)).toMatchObject({ seconds: null, cancelAt: null });
  });

  it("asks no node: a renewal does not fail with one", async () => {
    const silent = { ...deps, chains: new Map() };
    expect(await setCancelAfter(silent, caller, { seconds: 30 })).toMatchObject({ seconds: 30 });
  });
});

describe("a switch whose time has passed", () => {
  it("asks to cancel each open limit order of its key and user once, and is disarmed", async () => {
    const ids = await rest(3);
    await index(stranger, { orderId: hex(32, 0xb0), txHash: hex(32, 0xd0) });
    await index(caller, { orderId: hex(32, 0xb1), txHash: hex(32, 0xd1), orderType: "Market" });
    await armDue();
    await fire(deps);
    expect(await keysOf()).toEqual(ids.toReversed().map(cancelKey));
    expect([...new Set((await cancels()).map(({ key_id }) => key_id))]).toEqual([caller.keyId]);
    const fired = await shown();
    expect(fired).toMatchObject({ seconds: 60, cancelAt: null, requested: 3, refused: 0, errCode: null });
    expect(fired?.firedAt).not.toBe(null);
    await rest(1);
    await fire(deps);
    expect(await cancels()).toHaveLength(3);
    const again = await arm();
    expect(again.firedAt).toBe(fired?.firedAt);
  });

  it("does nothing before its time, and after it was renewed or disarmed", async () => {
    await rest(1);
    await arm();
    await fire(deps);
    await passTime();
    await arm();
    await fire(deps);
    await passTime();
    await arm(null);
    await fire(deps);
    expect(await cancels()).toEqual([]);
    expect((await shown())?.firedAt).toBe(null);
  });

  it("yields to a renewal and to a disarming while a worker prepares its cancels", async () => {
    await armDue();
    const read = present(await due(), "a switch that is due");
    const firing = { target: wallet, sends: [], refused: 0, cause: null };
    await arm();
    expect(await fireSwitch(pool, read, firing)).toBe(null);
    await arm(null);
    expect(await fireSwitch(pool, read, firing)).toBe(null);
    expect((await shown())?.firedAt).toBe(null);
  });

  it("is carried out once by many workers", async () => {
    const ids = await rest(3);
    await armDue();
    await Promise.all(Array.from({ length: 5 }, () => fire(deps)));
    expect(await keysOf()).toEqual(ids.toReversed().map(cancelKey));
    expect((await shown())?.requested).toBe(3);
  });

  it.each(["fire:before", "fire:after"])("is carried out once though a worker dies at %s", async (point) => {
    const ids = await rest(2);
    await armDue();
    const dying = {
      ...deps,
      crash: (at: string) => {
        if (at === point) throw new Error("dead");
      },
    };
    await fire(dying);
    expect(await cancels()).toHaveLength(point === "fire:after" ? 2 : 0);
    await fire(deps);
    expect(await keysOf()).toEqual(ids.toReversed().map(cancelKey));
    expect((await shown())?.requested).toBe(2);
  });

  it("row 116: on one chain does not wait for another chain's", async () => {
    await rest(1);
    await armDue();
    const other = { ...chain, chainId: 31338 };
    const chains = new Map(deps.chains).set(
      other.chainId,
      present(deps.chains.get(chain.chainId), "a chain"),
    );
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    // The other one comes first, and stands still.
    const query = async (statement: { text: string; values: unknown[] }) => {
      if (statement.values.includes(other.chainId)) await released;
      return pool.query(statement);
    };
    const standing = Object.assign(Object.create(pool), { query });
    const deployments = { chains: [other, chain] };
    const jobs = startJobs(switchJobs({ ...deps, pool: standing, chains, deployments }), deps.log);
    try {
      await until("the cancel is asked for", async () => (await cancels()).length === 1 || undefined);
    } finally {
      release();
      await jobs.stop();
    }
  });

  it("leaves a cancel that is under way, and counts an order that the chain has ended as refused", async () => {
    const [first = "0x", second = "0x", third = "0x"] = await rest(3);
    await sendCancel(deps, caller, { orderId: first }, null);
    await cancelOnChain(second);
    await armDue();
    await fire(deps);
    expect((await keysOf()).sort()).toEqual([first, third].map(cancelKey).sort());
    expect(await shown()).toMatchObject({ requested: 1, refused: 1, errCode: "CHAIN_REVERT" });
  });

  it("takes all pages of orders", async () => {
    const orders = Array.from({ length: 101 }, (_, n) => ({
      orderId: hex(32, 0xf000 + n),
      txHash: hex(32, 0xe000 + n),
    }));
    await index(caller, ...orders);
    await armDue();
    await fire(deps);
    // The chain has none of them.
    expect(await shown()).toMatchObject({ requested: 0, refused: 101, errCode: "CHAIN_REVERT" });
  });

  it("writes nothing but cancels of its key's open orders, whatever a worker passes", async () => {
    const [own = "0x"] = await rest(1);
    const theirs = hex(32, 0xb0);
    await index(stranger, { orderId: theirs, txHash: hex(32, 0xd0) });
    const [market, ended] = [hex(32, 0xb1), hex(32, 0xb2)];
    await index(caller, { orderId: market, txHash: hex(32, 0xd1), orderType: "Market" });
    await index(caller, { orderId: ended, txHash: hex(32, 0xd2), status: "filled" });
    await armDue();
    const read = present(await due(), "a switch that is due");
    const callOf = (orderId: string) => `0x${"00".repeat(104)}${orderId.slice(2)}` as const;
    const send = { gasLimit: 200_000n, inputHash: "", symbol: null };
    const sends = [
      { requestId: hex(16, 1), orderId: theirs, send: { ...send, data: callOf(theirs) } },
      { requestId: hex(16, 2), orderId: own, send: { ...send, data: callOf(theirs) } },
      { requestId: hex(16, 3), orderId: market, send: { ...send, data: callOf(market) } },
      { requestId: hex(16, 4), orderId: ended, send: { ...send, data: callOf(ended) } },
    ].map((one) => ({ ...one, requestId: one.requestId.slice(2) }));
    expect(await fireSwitch(pool, read, { target: wallet, sends, refused: 0, cause: null })).toBe(0);
    expect(await cancels()).toEqual([]);
  });
});

describe("what a switch does", () => {
  it("under a daily cap that is used up: it cancels, since cancels do not count", async () => {
    await rest(1);
    await armDue();
    await setPolicy(pool, caller, { dailyNotionalCap: 0n });
    await fire(deps);
    expect(await shown()).toMatchObject({ requested: 1, refused: 0 });
  });

  it.each<[string, Parameters<typeof setPolicy>[2]]>([
    ["the kill switch", { killed: true }],
    ["a policy that allows no cancel", { allowedOperations: ["orders/send"] }],
    ["a policy that allows other stocks", { allowedSymbols: ["NONE"] }],
    ["a policy that has ended", { expiresAt: new Date(0) }],
  ])("under %s: it cancels nothing, and says so", async (_what, policy) => {
    await rest(2);
    await armDue();
    await setPolicy(pool, caller, policy);
    await fire(deps);
    expect(await shown()).toMatchObject({
      cancelAt: null,
      requested: 0,
      refused: 2,
      errCode: "POLICY_REFUSED",
    });
    expect(await cancels()).toEqual([]);
  });

  it("after the delegation has ended: it cancels nothing, and says so", async () => {
    await rest(2);
    await armDue();
    await pool.query("UPDATE app.delegation SET blocked = true, epoch = epoch + 1");
    await fire(deps);
    expect(await shown()).toMatchObject({
      cancelAt: null,
      requested: 0,
      refused: 2,
      errCode: "DELEGATION_NOT_ENABLED",
    });
    expect(await cancels()).toEqual([]);
  });

  it("where a disable comes while a worker prepares its cancels: it writes none of them", async () => {
    const [orderId = "0x"] = await rest(1);
    await armDue();
    const read = present(await due(), "a switch that is due");
    await pool.query("UPDATE app.delegation SET blocked = true, epoch = epoch + 1");
    const send = {
      gasLimit: 200_000n,
      inputHash: "",
      symbol: null,
      data: `0x${"00".repeat(104)}${orderId.slice(2)}`,
    } as const;
    const sends = [{ requestId: "00000000-0000-0000-0000-000000000001", orderId, send }];
    expect(await fireSwitch(pool, read, { target: wallet, sends, refused: 0, cause: null })).toBe(null);
    expect(await cancels()).toEqual([]);
  });

  it("for a revoked key: it cancels nothing; for one that has expired it cancels", async () => {
    await rest(1);
    await armDue();
    await pool.query("UPDATE app.api_key SET active = false, revoked_at = now() WHERE key_id = $1", [
      caller.keyId,
    ]);
    await fire(deps);
    expect(await shown()).toMatchObject({ requested: 0, refused: 1, errCode: "POLICY_REFUSED" });
    await pool.query(
      "UPDATE app.api_key SET active = true, revoked_at = NULL, expires_at = now() - interval '1 day' WHERE key_id = $1",
      [caller.keyId],
    );
    await armDue();
    await fire(deps);
    expect(await shown()).toMatchObject({ requested: 1, refused: 0, errCode: null });
    await pool.query("UPDATE app.api_key SET expires_at = NULL WHERE key_id = $1", [caller.keyId]);
  });

  it.each(["paused", "halted"])(
    "while its wallet is %s: it waits, and a renewal meanwhile counts",
    async (state) => {
      await rest(1);
      await armDue();
      await setWallet(state);
      await fire(deps);
      const waiting = await shown();
      expect(waiting).toMatchObject({ firedAt: null, requested: 0 });
      expect(waiting?.cancelAt).not.toBe(null);
      await arm();
      await setWallet("active");
      await fire(deps);
      expect(await cancels()).toEqual([]);
      await passTime();
      await fire(deps);
      expect(await shown()).toMatchObject({ cancelAt: null, requested: 1 });
    },
  );

  it("while sending is halted on its chain: it waits, then cancels", async () => {
    await rest(1);
    await armDue();
    await pool.query("INSERT INTO app.sending_halt (chain_id, actor) VALUES ($1, 'test')", [caller.chainId]);
    await fire(deps);
    expect(await cancels()).toEqual([]);
    await pool.query("DELETE FROM app.sending_halt");
    await fire(deps);
    expect(await cancels()).toHaveLength(1);
  });

  it("while no node answers, or the index is not ready: it waits, then cancels", async () => {
    await rest(1);
    await armDue();
    const chains = createChains({
      chains: deps.deployments.chains.map((chain) => ({ ...chain, rpcUrls: ["http://127.0.0.1:1"] })),
    });
    await fire({ ...deps, chains });
    await pool.query("UPDATE app.event_chain SET filled = false");
    await fire(deps);
    await pool.query("UPDATE app.event_chain SET filled = true");
    expect(await shown()).toMatchObject({ firedAt: null });
    await fire(deps);
    expect(await shown()).toMatchObject({ requested: 1 });
  });
});
