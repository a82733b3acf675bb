import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { openSecret } from "../../src/auth/secrets.ts";
import { inTransaction } from "../../src/db/transaction.ts";
import { start as startDeliverer } from "../../src/deliverer.ts";
import { start as startApi } from "../../src/main.ts";
import { enqueueAll } from "../../src/webhooks/deliver.ts";
import { claimTest, insertTest, removeOldTests } from "../../src/webhooks/test-store.ts";
import { canary, openLog } from "../support/assert/logs.ts";
import { present } from "../support/assert/until.ts";
import { empty } from "../support/db/empty.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { appendEvent } from "../support/events/append-event.ts";
import {
  CHAIN_ID,
  makeEnv,
  makeEnvOf,
  PRODUCT,
  startTestApi,
  type TestApi,
  type TestEnv,
} from "../support/http/api.ts";
import { createPartner, type Partner, type PartnerKey } from "../support/http/partner.ts";
import { operate } from "../support/program/command.ts";
import { type Receiver, startReceiver, verify } from "./receiver.ts";

// The partner checks every answer against docs/openapi.json.

interface Webhook {
  webhookId: string;
  url: string;
  status: string;
  previousSecretUntil: number | null;
}
interface NewWebhook {
  webhook: Webhook;
  secret: string | null;
}
interface Delivery {
  deliveryId: string;
  sequence: number;
}

let database: TestDatabase;
let env: TestEnv;
let api: TestApi;
let receiver: Receiver;
let key: PartnerKey & { keyId: string };
let partner: Partner;

beforeAll(async () => {
  database = await createDatabase();
  env = makeEnv(database.url, "http://127.0.0.1:1", { WEBHOOK_LOOPBACK: "on", NODE_ENV: "development" });
  [api, receiver] = await Promise.all([startTestApi(env.env), startReceiver()]);
});
afterAll(async () => {
  await Promise.all([api?.stop(), receiver?.close()]);
  await env?.dispose();
  await database?.drop();
});
beforeEach(async () => {
  await empty(env.pool, "app.webhook", "app.event", "app.event_head");
  key = await env.makeKey();
  partner = createPartner(api.url, key);
  receiver.received.length = 0;
  receiver.answer = (_request, response) => void response.end();
});

const create = (body: object = {}) =>
  partner.must(partner.post<NewWebhook>("/webhooks", { url: receiver.url, ...body }));
/** Runs work beside a deliverer, which makes tests, and delivers what is due. */
async function withDeliverer(work: () => Promise<void>): Promise<void> {
  const deliverer = await startDeliverer(env.env, { logTo: openLog("deliverer") });
  await work().finally(() => deliverer.stop());
}
const rows = async () => (await partner.must(partner.get<{ rows: Webhook[] }>("/webhooks"))).rows;
const secretOf = ({ secret }: NewWebhook) => canary("webhook secret", present(secret, "the secret"));

describe("making a webhook", () => {
  it("shows its secret once, sealed in the database, and lists it", async () => {
    const made = await create({ types: "order.filled,order.filled,operation.*" });
    const secret = secretOf(made);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(made.webhook).toMatchObject({
      url: receiver.url,
      types: "order.filled,operation.*",
      status: "enabled",
      disabledReason: null,
      failingSince: null,
      oldestUndeliveredAt: null,
      previousSecretUntil: null,
    });
    expect(await rows()).toEqual([made.webhook]);
    const { rows: stored } = await env.pool.query("SELECT * FROM app.webhook_secret");
    expect(Buffer.from(stored[0].sealed).includes(Buffer.from(secret.slice(6)))).toBe(false);
    const keys = [{ id: "w1", key: Buffer.from("b6".repeat(32), "hex") }];
    const sealed = { sealed: stored[0].sealed, masterKeyId: stored[0].sealing_key_id };
    expect(openSecret(keys, made.webhook.webhookId, sealed).toString()).toBe(secret);
    expect(() => openSecret(keys, randomUUID(), sealed)).toThrow();
  });

  it("again makes no second one, also where requests cross, and shows no secret", async () => {
    const many = await Promise.all(Array.from({ length: 5 }, () => create()));
    expect(new Set(many.map(({ webhook }) => webhook.webhookId)).size).toBe(1);
    expect(many.filter(({ secret }) => secret !== null)).toHaveLength(1);
    expect(await rows()).toHaveLength(1);
    expect((await create({ types: "order.*" })).secret).not.toBeNull();
  });

  it("is refused where the target is not public, and says why", async () => {
    for (const [url, why] of [
      ["http://10.0.0.1/", /10\.0\.0\.1.*private/],
      ["https://user:password@partner.example/", /credentials/],
      ["nonsense", /no absolute URL/],
      ["https://nobody.invalid/", /not known, or not all public/],
    ] as const) {
      const { body } = await partner.post("/webhooks", { url });
      expect({ url, body }).toMatchObject({
        url,
        body: {
          code: 10000,
          errCode: "WEBHOOK_TARGET_REFUSED",
          param: "url",
          data: null,
        },
      });
      expect(body.errMsg).toMatch(why);
    }
    for (const [body, param] of [
      [{}, "url"],
      [{ url: receiver.url, types: "order.unknown" }, "types"],
      [{ url: receiver.url, types: "" }, "types"],
      [{ url: `${receiver.url}?${"a".repeat(1_000)}` }, "url"],
      [{ url: receiver.url, secret: "whsec_mine" }, "secret"],
    ] as const) {
      expect((await partner.post("/webhooks", body)).body).toMatchObject({
        errCode: "VALIDATION_FAILED",
        param,
      });
    }
    expect(await rows()).toEqual([]);
  });

  it("is bounded", async () => {
    for (let n = 0; n < 10; n++) await create({ url: `${receiver.url}/${n}` });
    expect((await partner.post("/webhooks", { url: receiver.url })).body).toMatchObject({
      errCode: "VALIDATION_FAILED",
      errMsg: expect.stringContaining("at most 10 webhooks"),
    });
    const [first] = await rows();
    await partner.must(partner.delete(`/webhooks/${first?.webhookId}`));
    expect((await create()).secret).not.toBeNull();
  });
});

describe("a webhook", () => {
  it("is tested with a signed event that is in no log, and told what came of it", async () => {
    const made = await create();
    const { webhookId } = made.webhook;
    const test = () => partner.must(partner.post(`/webhooks/${webhookId}/test`));
    await withDeliverer(async () => {
      expect(await test()).toEqual({
        delivered: true,
        statusCode: 200,
        error: null,
        durationMs: expect.any(Number),
      });
      const event = verify(secretOf(made), present(receiver.received[0], "the request"));
      expect(event).toMatchObject({
        type: "webhook.test",
        sequence: 0,
        resource: "webhooks",
        data: { webhookId },
      });
      receiver.answer = (_request, response) =>
        void response.writeHead(302, { location: "/elsewhere" }).end("inside");
      const failed = await test();
      expect(failed).toMatchObject({
        delivered: false,
        statusCode: 302,
        error: expect.stringContaining("redirects"),
      });
      expect(JSON.stringify(failed)).not.toContain("inside");
    });
    expect((await partner.must(partner.get<{ rows: unknown[] }>("/events"))).rows).toEqual([]);
    // Neither a delivery nor a failure.
    expect((await rows())[0]).toMatchObject({ status: "enabled", failingSince: null });
    expect(receiver.received).toHaveLength(2);
  });

  it("is tested as an outcome that says so where no deliverer runs, and is not posted to later", async () => {
    const { webhookId } = (await create()).webhook;
    expect(await partner.must(partner.post(`/webhooks/${webhookId}/test`))).toEqual({
      delivered: false,
      statusCode: null,
      error: "nothing was sent within 5 s: try again, and ask the operator where this repeats",
      durationMs: expect.any(Number),
    });
    await withDeliverer(async () => {
      await partner.must(partner.post(`/webhooks/${webhookId}/test`));
    });
    expect(receiver.received).toHaveLength(1);
  });

  it("is tested beside others of its key, five at a time, and not where the operator paused it meanwhile", async () => {
    const { webhookId } = (await create()).webhook;
    for (let n = 0; n < 7; n++) await insertTest(env.pool, webhookId);
    const claimed = [];
    for (let work = await claimTest(env.pool); work; work = await claimTest(env.pool)) claimed.push(work);
    expect(claimed).toHaveLength(5);
    await env.pool.query("DELETE FROM app.webhook_test WHERE claimed_at IS NOT NULL");
    await env.pool.query(
      "UPDATE app.webhook SET disabled_reason = 'paused_by_operator', disabled_at = now()",
    );
    expect(await claimTest(env.pool)).toBeNull();
    await env.pool.query("UPDATE app.webhook SET disabled_reason = 'failing'");
    expect(await claimTest(env.pool)).not.toBeNull();
    // Requested too long ago: the api has answered.
    await env.pool.query("UPDATE app.webhook_test SET requested_at = now() - interval '5 seconds'");
    expect(await claimTest(env.pool)).toBeNull();
    await env.pool.query("UPDATE app.webhook_test SET requested_at = now() - interval '11 minutes'");
    await removeOldTests(env.pool);
    expect((await env.pool.query("SELECT 1 FROM app.webhook_test")).rowCount).toBe(0);
  });

  it("is signed with both secrets while a rotation lasts, however often that is asked for", async () => {
    const made = await create();
    const { webhookId } = made.webhook;
    const rotate = (body: object = {}) => partner.post<NewWebhook>(`/webhooks/${webhookId}/rotate`, body);
    const second = await partner.must(rotate());
    expect(second.webhook.previousSecretUntil).toBeGreaterThan(Date.now() / 1000 + 86_000);
    const third = await partner.must(rotate({ overlapSeconds: 60 }));
    await withDeliverer(async () => void (await partner.post(`/webhooks/${webhookId}/test`)));
    const got = present(receiver.received[0], "the request");
    for (const each of [made, second, third]) verify(secretOf(each), got);
    expect((await partner.must(rotate())).secret).not.toBeNull();
    expect((await partner.must(rotate())).secret).not.toBeNull();
    expect((await rotate()).body).toMatchObject({ errCode: "VALIDATION_FAILED", param: "overlapSeconds" });
    // A leaked secret ends at once.
    const last = await partner.must(rotate({ overlapSeconds: 0 }));
    expect(last.webhook.previousSecretUntil).toBeNull();
    await withDeliverer(async () => void (await partner.post(`/webhooks/${webhookId}/test`)));
    const after = present(receiver.received[1], "the request");
    verify(secretOf(last), after);
    expect(() => verify(secretOf(third), after)).toThrow();
    for (const overlapSeconds of [-1, 604_801, "soon"])
      expect({ overlapSeconds, body: (await rotate({ overlapSeconds })).body }).toMatchObject({
        overlapSeconds,
        body: { param: "overlapSeconds" },
      });
  });

  it("lists its deliveries page by page, and delivers again what is asked for", async () => {
    const { webhookId } = (await create()).webhook;
    const event = {
      type: "order.filled",
      resource: "orders",
      data: { mapping: { mappingId: "a" } },
    } as const;
    const owner = { keyId: key.keyId, chainId: CHAIN_ID, productType: PRODUCT };
    for (let n = 0; n < 6; n++)
      await inTransaction(env.pool, (client) => appendEvent(client, { ...owner, ...event }));
    await enqueueAll(env);
    const path = `/webhooks/${webhookId}/deliveries`;
    const page = (query: Record<string, string | number>) =>
      partner.must(partner.get<{ rows: Delivery[]; nextCursor: string | null }>(path, query));
    const found: Delivery[] = [];
    const sequences: number[][] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const next = await page({ limit: 3, ...(cursor ? { cursor } : {}) });
      found.push(...next.rows);
      sequences.push(next.rows.map(({ sequence }) => sequence));
      cursor = next.nextCursor;
    }
    // The second page is full, and is the last.
    expect({ sequences }).toEqual({
      sequences: [
        [6, 5, 4],
        [3, 2, 1],
      ],
    });
    expect((await page({ status: "dead" })).rows).toEqual([]);
    expect((await partner.get(path, { status: "lost" })).body).toMatchObject({ param: "status" });
    expect((await partner.get(path, { cursor: "WzE3XQ" })).body).toMatchObject({ param: "cursor" });
    expect((await rows())[0]).toMatchObject({ oldestUndeliveredAt: expect.any(Number) });

    const [newest] = found;
    const again = (deliveryId: string) => partner.post(`${path}/${deliveryId}/redeliver`);
    await env.pool.query(
      "UPDATE app.webhook_delivery SET state = 'dead', ended_at = now(), next_at = NULL, attempts = 9",
    );
    expect((await again(present(newest, "a delivery").deliveryId)).body.data).toMatchObject({
      status: "pending",
      attempts: 0,
      nextAttemptAt: expect.any(Number),
    });
    expect((await again(randomUUID())).body).toMatchObject({
      errCode: "WEBHOOK_NOT_FOUND",
      param: "deliveryId",
    });
  });

  it("is gone when it is deleted, with its secrets, and can be made again", async () => {
    const { webhookId } = (await create()).webhook;
    expect(await partner.must(partner.delete(`/webhooks/${webhookId}`))).toMatchObject({ webhookId });
    const paths = ["test", "rotate", "enable"].map((verb) => `/webhooks/${webhookId}/${verb}`);
    for (const path of paths)
      expect({ path, body: (await partner.post(path)).body }).toMatchObject({
        path,
        body: { code: 10001, errCode: "WEBHOOK_NOT_FOUND" },
      });
    expect((await partner.delete(`/webhooks/${webhookId}`)).body).toMatchObject({
      errCode: "WEBHOOK_NOT_FOUND",
    });
    expect((await env.pool.query("SELECT 1 FROM app.webhook_secret")).rowCount).toBe(0);
    expect((await create()).webhook.webhookId).not.toBe(webhookId);
  });

  it("is not enabled, nor tested, where the operator has paused it", async () => {
    const { webhookId } = (await create()).webhook;
    const set = (reason: string) =>
      env.pool.query("UPDATE app.webhook SET disabled_reason = $1, disabled_at = now()", [reason]);
    const enable = () => partner.post<Webhook>(`/webhooks/${webhookId}/enable`);
    await set("failing");
    expect((await enable()).body.data).toMatchObject({ status: "enabled" });
    expect((await enable()).body.data).toMatchObject({ status: "enabled" });
    await set("paused_by_operator");
    const paused = { code: 10002, errCode: "POLICY_REFUSED" };
    expect((await enable()).body).toMatchObject(paused);
    expect((await partner.post(`/webhooks/${webhookId}/test`)).body).toMatchObject(paused);
    expect(receiver.received).toEqual([]);
  });

  it("stays paused: its key neither deletes it nor makes another one of its host, in any scope", async () => {
    const { webhookId } = (await create()).webhook;
    await operate(["webhooks", "pause", webhookId], env.env);
    const paused = { code: 10002, errCode: "POLICY_REFUSED", param: null };
    const spellings = ["127.1", "0x7f.0.0.1", "2130706433", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"];
    const addresses = spellings.map((host) => `http://${host}:4000/`);
    const urls = [`${receiver.url}/elsewhere`, "http://127.0.0.1:4000/?other=port", receiver.url];
    for (const url of [...urls, ...addresses]) {
      const { body } = await partner.post("/webhooks", { url, types: "order.*" });
      expect({ url, body }).toMatchObject({
        url,
        body: { ...paused, errMsg: expect.stringContaining(webhookId) },
      });
    }
    expect((await partner.delete(`/webhooks/${webhookId}`)).body).toMatchObject(paused);
    const repeated = { webhookId, status: "disabled", disabledReason: "paused_by_operator" };
    expect(await create()).toMatchObject({ webhook: repeated, secret: null });
    const stored = { chain_id: 9, product_type: "Other" };
    await env.pool.query("UPDATE app.webhook SET chain_id = $1, product_type = $2", Object.values(stored));
    expect((await partner.post("/webhooks", { url: receiver.url })).body).toMatchObject(paused);
    expect((await env.pool.query("SELECT chain_id, product_type FROM app.webhook")).rows).toEqual([stored]);

    // Neither another host nor another key is affected.
    expect((await create({ url: "http://[::1]:3000/" })).secret).not.toBeNull();
    const other = createPartner(api.url, await env.makeKey());
    expect((await other.post("/webhooks", { url: receiver.url })).body).toMatchObject({ code: 200 });
    await operate(["webhooks", "resume", webhookId], env.env);
    expect((await create()).secret).not.toBeNull();
  });

  it("is not seen by another key, and not made by a READ_ONLY one", async () => {
    await create();
    const other = createPartner(api.url, await env.makeKey({ access: "READ_ONLY" }));
    expect(await other.must(other.get("/webhooks"))).toEqual({ rows: [] });
    expect((await other.post("/webhooks", { url: receiver.url })).body).toMatchObject({
      code: 401,
      errMsg: "Unauthorized",
    });
  });
});

describe("the operator's command", () => {
  const run = async (...args: string[]) => operate(["webhooks", ...args], env.env);
  const audited = async () => {
    const { rows } = await env.pool.query(
      "SELECT action, subject, detail FROM app.audit_entry ORDER BY audit_id",
    );
    return rows.filter(({ action }) => action.startsWith("webhooks"));
  };
  beforeEach(() => env.pool.query("TRUNCATE app.audit_entry"));

  it("lists webhooks by the host of their URL alone, pauses and resumes them, and audits that", async () => {
    const { webhookId } = (await create({ url: `${receiver.url}?token=of-the-partner` })).webhook;
    const listed = async () => (await run("list")).out.replaceAll(/ +/g, " ");
    expect(await listed()).toContain(
      `\n${webhookId} ${key.apiKey} ${CHAIN_ID}:${PRODUCT} http://127.0.0.1:${receiver.port} enabled - 0 0\n`,
    );
    expect(await listed()).not.toContain("of-the-partner");
    expect(await run("pause", webhookId)).toMatchObject({ code: 0, out: `${webhookId} is paused\n` });
    expect(await listed()).toContain("disabled (paused_by_operator)");
    expect((await rows())[0]).toMatchObject({ status: "disabled", disabledReason: "paused_by_operator" });
    // The refusal names another webhook of the host, which the key made in time.
    await env.pool.query("UPDATE app.webhook SET disabled_reason = NULL, disabled_at = NULL");
    const second = (await create({ types: "order.*" })).webhook.webhookId;
    await create({ url: "http://[::1]:3000/" });
    const again = await run("pause", webhookId);
    expect(again.err).toBe(`warning: ${second} of the same key leads to the same host, and is enabled\n`);
    expect(await run("resume", webhookId)).toMatchObject({ code: 0 });
    expect((await rows())[0]).toMatchObject({ status: "enabled" });
    expect(await audited()).toMatchObject([
      { action: "webhooks pause", subject: webhookId },
      { action: "webhooks pause", subject: webhookId },
      { action: "webhooks resume", subject: webhookId },
    ]);
    const refused = [
      ["pause", randomUUID()],
      ["redeliver", webhookId, randomUUID()],
    ];
    for (const args of refused) expect(await run(...args)).toMatchObject({ code: 1, out: "" });
    expect(await run("resume", "x")).toMatchObject({ code: 2, out: "" });
    expect(await audited()).toHaveLength(3);
  });

  it("delivers again all that is dead, each object in its order", async () => {
    const { webhookId } = (await create()).webhook;
    await env.pool.query(
      `INSERT INTO app.webhook_delivery
         (webhook_id, sequence, event_id, event_type, event_at, object, state, ended_at, attempts)
       SELECT $1, n, gen_random_uuid(), 'order.filled', now(), 'orders ' || n % 2, 'dead', now(), 9
       FROM generate_series(1, 4) n`,
      [webhookId],
    );
    expect(await run("redeliver", webhookId)).toMatchObject({ code: 0, out: "4 to be delivered again\n" });
    const { rows: due } = await env.pool.query(
      "SELECT state, attempts, next_at IS NOT NULL AS due FROM app.webhook_delivery ORDER BY sequence",
    );
    const pending = { state: "pending", attempts: 0 };
    expect(due).toEqual([true, true, false, false].map((each) => ({ ...pending, due: each })));
    expect(await audited()).toMatchObject([{ action: "webhooks redeliver", detail: { deliveries: 4 } }]);
  });

  it("seals secrets under a new key, and they sign as before", async () => {
    const made = await create();
    const WEBHOOK_KEYS = `w2:${"c7".repeat(32)},${env.env.WEBHOOK_KEYS}`;
    const reseal = () => operate(["webhooks", "reseal"], { ...env.env, WEBHOOK_KEYS });
    expect(await reseal()).toMatchObject({ code: 0, out: "1 secrets sealed anew\n" });
    expect(await reseal()).toMatchObject({ out: "0 secrets sealed anew\n" });
    const { rows: stored } = await env.pool.query("SELECT sealed, sealing_key_id FROM app.webhook_secret");
    const sealed = { sealed: stored[0].sealed, masterKeyId: stored[0].sealing_key_id };
    const keys = [{ id: "w2", key: Buffer.from("c7".repeat(32), "hex") }];
    expect(openSecret(keys, made.webhook.webhookId, sealed).toString()).toBe(secretOf(made));
  });
});

it("no program of a real chain starts where webhooks may lead to the loopback interface", async () => {
  const chain = {
    chainId: CHAIN_ID,
    rpcUrls: ["http://127.0.0.1:1"],
    products: env.admin.deployments.chains[0]?.products ?? [],
  };
  const real = makeEnvOf(
    database.url,
    { chains: [chain] },
    { WEBHOOK_LOOPBACK: "on", NODE_ENV: "development" },
  );
  try {
    for (const start of [startApi, startDeliverer])
      await expect(start(real.env)).rejects.toThrow(
        `WEBHOOK_LOOPBACK: chain ${CHAIN_ID} is no development chain`,
      );
  } finally {
    await real.dispose();
  }
});
