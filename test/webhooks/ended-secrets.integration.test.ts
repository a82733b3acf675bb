import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import type pg from "pg";
import type { Caller } from "../../src/auth/caller.ts";
import { parseInput } from "../../src/context/input/fields.ts";
import { inTransaction } from "../../src/db/transaction.ts";
import { enqueueAll, runAttempt } from "../../src/webhooks/deliver.ts";
import * as input from "../../src/webhooks/input.ts";
import { leaseAttempts } from "../../src/webhooks/queue-store.ts";
import * as webhooks from "../../src/webhooks/webhooks.ts";
import { CONTRACTS } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import { empty } from "../support/db/empty.ts";
import { appendEvent } from "../support/events/append-event.ts";
import { type Features, startFeatures } from "../support/http/features.ts";
import { type Receiver, startReceiver, verify } from "./receiver.ts";

// Signatures of a webhook's secrets after their rotation: none.

let features: Features;
let caller: Caller;
let receiver: Receiver;
let pool: pg.Pool;

beforeAll(async () => {
  features = await startFeatures([
    { deployment: { chainId: 31337, ...CONTRACTS }, rpcUrls: ["http://127.0.0.1:1"] },
  ]);
  pool = features.deps.pool;
  [caller, receiver] = await Promise.all([features.makeCaller(), startReceiver()]);
});
afterAll(async () => {
  await receiver?.close();
  await features?.close();
});
beforeEach(() => empty(pool, "app.webhook", "app.event", "app.event_head"));

/**
 * Appends an event and delivers it.
 * @returns the receiver's request
 */
async function deliver() {
  const data = { mapping: { mappingId: "an-order" } };
  await inTransaction(pool, (client) =>
    appendEvent(client, { ...caller, type: "order.filled", resource: "orders", data }),
  );
  await enqueueAll(features.deps);
  const leased = await leaseAttempts(pool, "quick", 8);
  await Promise.all(leased.map((one) => runAttempt(features.deps, one, 20_000)));
  return present(receiver.received.at(-1), "a delivery");
}

it("a delivery is signed with both secrets while a rotation lasts, and with the new one alone from its end on", async () => {
  const made = await webhooks.createWebhook(
    features.deps,
    caller,
    parseInput(input.createShape, { url: receiver.url }),
  );
  const { webhookId } = made.webhook;
  const old = present(made.secret, "the secret");
  const rotated = await webhooks.rotateWebhook(features.deps, caller, { webhookId, overlapSeconds: 3_600 });
  const next = present(rotated.secret, "the next secret");

  const during = await deliver();
  for (const secret of [old, next])
    expect({ secret, event: verify(secret, during) }).toMatchObject({ secret, event: { sequence: 1 } });

  // The job that removes ended secrets has not run: they are in the table.
  await pool.query("UPDATE app.webhook_secret SET ends_at = now() WHERE ends_at IS NOT NULL");
  const after = await deliver();
  expect(verify(next, after)).toMatchObject({ sequence: 2 });
  expect(() => verify(old, after)).toThrow("No matching signature");
  expect((await pool.query("SELECT 1 FROM app.webhook_secret")).rowCount).toBe(2);
});
