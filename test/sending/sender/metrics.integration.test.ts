import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { Registry } from "prom-client";
import { createSendMetrics } from "../../../src/sending/sender/metrics.ts";
import { present } from "../../support/assert/until.ts";
import { type SenderFixture, startSenderFixture } from "../../support/sender/sender-fixture.ts";

// Metrics of a worker on sending, on a real database and a chain in memory.

let fixture: SenderFixture;
beforeAll(async () => {
  fixture = await startSenderFixture();
});
afterAll(() => fixture?.close());

const linesOf = async (registry: Registry, name: string): Promise<string[]> =>
  (await registry.metrics()).split("\n").filter((line) => line.startsWith(`${name}{`));

it("measures once how long a request waits to be broadcast and to be mined, and a filler never", async () => {
  const registry = new Registry();
  const metrics = createSendMetrics(registry, fixture.pool);
  const one = await fixture.makeWallet({ config: { bumpAfterMs: 1e9 } });
  one.deps.onReached = metrics.reached;
  const id = await one.send();
  one.clock.nowMs += 4_000;
  await one.cycle();
  one.clock.nowMs += 40_000;
  await one.cycle();
  one.chain.mine(present((await one.row(id)).txHash, "a hash"));
  await one.cycle();
  await one.cycle();
  const labels = (until: string) => `chain_id="${one.chain.chainId}",until="${until}"`;
  const counts = await linesOf(registry, "send_duration_seconds_count");
  expect(counts).toEqual([
    `send_duration_seconds_count{${labels("broadcast")}} 1`,
    `send_duration_seconds_count{${labels("mined")}} 1`,
  ]);
  const buckets = await linesOf(registry, "send_duration_seconds_bucket");
  const bucket = (le: string, until: string, count: number) =>
    `send_duration_seconds_bucket{le="${le}",${labels(until)}} ${count}`;
  expect(buckets).toEqual(
    expect.arrayContaining([
      bucket("2.5", "broadcast", 0),
      bucket("5", "broadcast", 1),
      bucket("30", "mined", 0),
      bucket("60", "mined", 1),
    ]),
  );
});

it("counts alarms by kind and chain", async () => {
  const registry = new Registry();
  const metrics = createSendMetrics(registry, fixture.pool);
  metrics.alarm("fee-cap", 31337);
  metrics.alarm("fee-cap", 31337);
  metrics.alarm("fee-cap", 31338);
  expect(await linesOf(registry, "send_alarms_total")).toEqual([
    'send_alarms_total{alarm="fee-cap",chain_id="31337"} 2',
    'send_alarms_total{alarm="fee-cap",chain_id="31338"} 1',
  ]);
});

it("shows the one state that a wallet is in, and the new one once it changes", async () => {
  const registry = new Registry();
  createSendMetrics(registry, fixture.pool);
  const one = await fixture.makeWallet();
  const statesOfWallet = async () =>
    (await linesOf(registry, "send_wallet_state")).filter((line) => line.includes(one.address));
  const line = (state: string) =>
    `send_wallet_state{chain_id="${one.chain.chainId}",wallet="${one.address}",state="${state}"} 1`;
  expect(await statesOfWallet()).toEqual([line("active")]);
  await fixture.pool.query("UPDATE app.delegatee_wallet SET state = 'halted' WHERE address = $1", [
    one.address,
  ]);
  expect(await statesOfWallet()).toEqual([line("halted")]);
  await fixture.pool.query("UPDATE app.delegatee_wallet SET assignable = false WHERE address = $1", [
    one.address,
  ]);
  expect(await statesOfWallet()).toEqual([line("halted"), line("retired")]);
});
