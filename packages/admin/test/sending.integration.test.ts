import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { Registry } from "prom-client";
import { haltChecks } from "../../../src/http/readiness.ts";
import { createSendMetrics } from "../../../src/sending/sender/metrics.ts";
import { signRequests } from "../../../src/sending/sender/sign.ts";
import { present } from "../../../test/support/assert/until.ts";
import { createWallet } from "../../../test/support/db/builders/sends.ts";
import { waitsForLock } from "../../../test/support/db/locks.ts";
import { operate } from "../../../test/support/program/command.ts";
import { verified } from "../../../test/support/sender/new-send.ts";
import {
  type DrivenWallet,
  type SenderFixture,
  startSenderFixture,
} from "../../../test/support/sender/sender-fixture.ts";

/** The emergency stop of a chain, from the command line to a worker's signing. */
let fixture: SenderFixture;
let one: DrivenWallet;
let chain: string;

beforeAll(async () => {
  fixture = await startSenderFixture();
});
afterAll(() => fixture?.close());
beforeEach(async () => {
  one = await fixture.makeWallet();
  chain = String(one.chain.chainId);
  await fixture.pool.query("DELETE FROM app.sending_halt");
});

const run = (...args: string[]) => operate(["sending", ...args], { DATABASE_URL: fixture.url });
const halt = (...args: string[]) => run("halt", "--chain", chain, ...args);
const FEES = { maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
const stateOf = async (id: string) => (await one.row(id)).state;
const audited = async () => {
  const { rows } = await fixture.pool.query<{ action: string; detail: object }>(
    "SELECT action, detail FROM app.audit_entry WHERE subject = $1 ORDER BY audit_id",
    [chain],
  );
  return rows;
};

it("signs nothing new, follows what is signed, refuses new sends, and goes on where it is resumed", async () => {
  const signed = await one.send();
  await one.cycle();
  expect(await stateOf(signed)).toBe("broadcast");
  const waiting = await one.send();
  expect(await halt("--reason", "the router is paused")).toMatchObject({ code: 0, err: "" });
  expect(await halt("--reason", "another one")).toMatchObject({
    code: 0,
    out: expect.stringContaining("was halted before"),
  });
  await expect(one.send()).rejects.toMatchObject({ errCode: "OPERATOR_UNAVAILABLE", retryable: true });
  // A disable is always written.
  await one.send({ operation: "1ct/disable", needsDelegation: false, bypassChecks: true });
  one.chain.mine(present((await one.row(signed)).txHash, "a hash"));
  one.chain.head += 10n;
  one.clock.nowMs += 60_000;
  for (let cycles = 0; cycles < 3; cycles += 1) await one.cycle();
  expect([await stateOf(signed), await stateOf(waiting)]).toEqual(["final", "accepted"]);
  expect(await run("resume", "--chain", chain)).toMatchObject({
    code: 0,
    out: `chain ${chain} sends again\n`,
  });
  expect(await run("resume", "--chain", chain)).toMatchObject({ out: `chain ${chain} is not halted\n` });
  one.clock.nowMs += 60_000;
  await one.cycle();
  expect(await stateOf(waiting)).toBe("broadcast");
  expect(await audited()).toEqual([
    { action: "sending halt", detail: { reason: "the router is paused" } },
    { action: "sending resume", detail: {} },
  ]);
});

it("sends to nodes again, at a higher fee, what was signed before", async () => {
  const signed = await one.send();
  await one.cycle();
  await halt();
  one.clock.nowMs += 3_600_000;
  await one.cycle();
  expect(await one.attempts(signed)).toHaveLength(2);
});

it("returns only when a transaction that began to sign before has ended", async () => {
  // Its first cycle stores the wallet's nonce.
  await one.cycle();
  const request = await one.row(await one.send());
  const holder = await fixture.pool.connect();
  try {
    await holder.query("BEGIN");
    await holder.query("SELECT FROM app.send_request WHERE request_id = $1 FOR UPDATE", [request.requestId]);
    const signing = signRequests({ ...one, inFlight: [] }, [verified(request)], FEES);
    // It has the wallet's lock, and found no halt.
    await waitsForLock(fixture.pool, "%app.send_request%", signing);
    const halting = halt();
    await waitsForLock(fixture.pool, "%app.delegatee_wallet%FOR NO KEY UPDATE", halting);
    await holder.query("COMMIT");
    expect(await signing).toBe(true);
    expect(await halting).toMatchObject({ code: 0 });
  } finally {
    holder.release();
  }
  expect(
    await signRequests({ ...one, inFlight: [] }, [verified(await one.row(await seedWaiting()))], FEES),
  ).toBe(false);
});

it("is found by a transaction that waited for the wallet while it was committed", async () => {
  // Its first cycle stores the wallet's nonce.
  await one.cycle();
  const request = await one.row(await one.send());
  const holder = await fixture.pool.connect();
  try {
    await holder.query("BEGIN");
    await holder.query("SELECT FROM app.delegatee_wallet WHERE address = $1 FOR UPDATE", [one.address]);
    const signing = signRequests({ ...one, inFlight: [] }, [verified(request)], FEES);
    await waitsForLock(fixture.pool, "%app.delegatee_wallet%lease_epoch%", signing);
    await fixture.pool.query("INSERT INTO app.sending_halt (chain_id, actor) VALUES ($1, 'test')", [chain]);
    await holder.query("COMMIT");
    expect(await signing).toBe(false);
  } finally {
    holder.release();
  }
  expect(await one.row(request.requestId)).toMatchObject({ state: "accepted", nonce: null });
});

/** Writes a request that waits, although the chain is halted. */
async function seedWaiting(): Promise<string> {
  return one.send({ operation: "1ct/disable", needsDelegation: false, bypassChecks: true });
}

it("halts one chain and no other, and shows which: by command, metric and readiness", async () => {
  const other = { chain: { chainId: one.chain.chainId + 1 } };
  await createWallet(fixture.pool, one.address, { chainIds: [other.chain.chainId] });
  await run("halt", "--chain", String(other.chain.chainId));
  const request = await one.send();
  await one.cycle();
  expect(await stateOf(request)).toBe("broadcast");
  await run("resume", "--chain", String(other.chain.chainId));
  await halt("--reason", "drill");
  const listed = JSON.parse((await run("status", "--json")).out);
  expect(listed).toContainEqual(
    expect.objectContaining({ chainId: one.chain.chainId, halted: true, reason: "drill" }),
  );
  expect(listed).toContainEqual(
    expect.objectContaining({ chainId: other.chain.chainId, halted: false, haltedAt: null, sent: 0 }),
  );
  expect((await run("status")).out).toMatch(new RegExp(`^${chain} +halted .* drill$`, "m"));
  const registry = new Registry();
  createSendMetrics(registry, fixture.pool);
  const metrics = await registry.metrics();
  expect(metrics).toContain(`sending_halted{chain_id="${chain}"} 1`);
  expect(metrics).toContain(`sending_halted{chain_id="${other.chain.chainId}"} 0`);
  const checks = haltChecks(fixture.pool, [one.chain.chainId, other.chain.chainId]);
  const results = await Promise.allSettled(checks.map((check) => check.run()));
  expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  expect(checks[0]?.name).toBe(`sending on chain ${chain} (halted by an operator)`);
});

it("refuses a chain on which no wallet sends, and a command line without one", async () => {
  expect(await run("halt", "--chain", "4242")).toMatchObject({
    code: 1,
    out: "",
    err: expect.stringMatching(
      new RegExp(`^error: no wallet sends on chain 4242; wallets send on .*${chain}`),
    ),
  });
  for (const args of [["halt"], ["halt", "--chain", "0x1"], ["resume", "--chain", "-1"]])
    expect(await run(...args)).toMatchObject({ code: 2, out: "" });
});
