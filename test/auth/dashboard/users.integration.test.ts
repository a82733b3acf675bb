import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { inTransaction } from "../../../src/db/transaction.ts";
import { canary } from "../../support/assert/logs.ts";
import { until } from "../../support/assert/until.ts";
import { createDatabase, type TestDatabase } from "../../support/db/postgres.ts";
import { appendEvent } from "../../support/events/append-event.ts";
import {
  DASHBOARD_TOKEN,
  makeEnv,
  startTestApi,
  type TestApi,
  type TestEnv,
} from "../../support/http/api.ts";
import { readStream } from "../../support/http/event-stream.ts";
import { operate } from "../../support/program/command.ts";

// Dashboard users from the command line to /graphql and the operator's stream, over a real PostgreSQL.

let database: TestDatabase;
let env: TestEnv;
let api: TestApi;
beforeAll(async () => {
  database = await createDatabase();
  env = makeEnv(database.url, "http://127.0.0.1:1");
  api = await startTestApi(env.env, { streams: { heartbeatMs: 60, recheckMs: 60 } });
});
afterAll(async () => {
  await api?.stop();
  await env?.dispose();
  await database?.drop();
});

const run = (...args: string[]) => operate(args, { DATABASE_URL: database.url });
const issuedShape = z.object({
  name: z.string(),
  role: z.string(),
  token: z.string().regex(/^dash_[\w-]{43}$/),
  expiresAt: z.iso.datetime().nullable(),
});

async function issue(...args: string[]) {
  const { code, out, err } = await run("dashboard-users", ...args, "--json");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const issued = issuedShape.parse(JSON.parse(out));
  canary("token of a dashboard user", issued.token);
  return issued;
}
const create = (name: string, role: string, ...args: string[]) =>
  issue("create", "--name", name, "--role", role, ...args);

async function ask(token: string, query = "{ dashboard { me { name role expiresAt } } }") {
  const response = await fetch(`${api.operatorUrl}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ query }),
  });
  return { status: response.status, json: await response.json(), headers: response.headers };
}

const lineOf = (uuid: string) =>
  until("the line of the request", () => {
    const line = api.lines.find((each) => each.includes(uuid) && each.includes('"msg":"request"'));
    return line && JSON.parse(line);
  });

describe("a dashboard user", () => {
  it("is let in by the token that the command showed once, as nobody else, and is named in the log", async () => {
    const { code, out, err } = await run("dashboard-users", "create", "--name", "carol", "--role", "viewer");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const token = canary("token of a dashboard user", /dash_[\w-]{43}/.exec(out)?.[0] ?? "");
    expect(out.split(token)).toHaveLength(2);
    const { json, headers } = await ask(token);
    const expiresAt = json.data.dashboard.me.expiresAt;
    expect(json.data.dashboard.me).toMatchObject({ name: "carol", role: "viewer" });
    expect(Math.abs(expiresAt - Date.now() / 1000 - 90 * 86_400)).toBeLessThan(60);
    expect(await lineOf(headers.get("x-request-id") ?? "")).toMatchObject({ user: "carol", keyId: null });
    const listed =
      (await run("dashboard-users", "list")).out + (await run("dashboard-users", "list", "--json")).out;
    expect(listed).toMatch(/carol +viewer +active/);
    const stored = await env.pool.query("SELECT * FROM app.dashboard_user");
    const hex = Buffer.from(token).toString("hex");
    for (const text of [listed, JSON.stringify(stored.rows), ...api.lines]) {
      expect(text).not.toContain(token);
      expect(text).not.toContain(hex);
    }
  });

  it("is refused from the next request on once revoked, and so is an open stream", async () => {
    const { token } = await create("dave", "operator", "--expires", "never");
    const stream = await readStream(`${api.operatorUrl}/events/stream`, { authorization: `Bearer ${token}` });
    await until("a heartbeat", () => stream.frames.some(({ event }) => event === "heartbeat"));
    expect((await ask(token)).json.data.dashboard.me.expiresAt).toBeNull();
    expect(await run("dashboard-users", "revoke", "dave")).toMatchObject({
      code: 1,
      err: expect.stringContaining("Give --yes"),
    });
    expect((await ask(token)).status).toBe(200);
    expect(await run("dashboard-users", "revoke", "dave", "--yes")).toMatchObject({ code: 0 });
    expect((await ask(token)).json).toMatchObject({ code: 401 });
    await until("the stream's end", () => stream.frames.some(({ event }) => event === "closing"));
    expect(await run("dashboard-users", "revoke", "dave", "--yes")).toMatchObject({ code: 1 });
    // The name is free again, and the earlier token stays refused.
    await create("dave", "viewer");
    expect((await ask(token)).json).toMatchObject({ code: 401 });
  });

  it("follows the events of all keys: a viewer without their data", async () => {
    const [viewer, operator] = [await create("olivia", "viewer"), await create("peggy", "operator")];
    const key = await env.makeKey();
    const streams = await Promise.all(
      [viewer, operator].map(({ token }) =>
        readStream(`${api.operatorUrl}/events/stream`, { authorization: `Bearer ${token}` }),
      ),
    );
    for (const { frames } of streams)
      await until("a heartbeat", () => frames.some(({ event }) => event === "heartbeat"));
    const data = { orderId: "0x01", mapping: { userAddress: "0xcanary" } };
    await inTransaction(env.pool, (client) =>
      appendEvent(client, { ...key, type: "order.placed", resource: "orders", data }),
    );
    const told = await Promise.all(
      streams.map((stream) => until("the event", () => stream.events()[0]?.data || undefined)),
    );
    expect(told.map((text) => JSON.parse(text).event.data)).toEqual([null, data]);
    expect(told[0]).not.toContain("canary");
    for (const stream of streams) stream.cut();
  });

  it("gets a new token, and the one before it ends at once", async () => {
    const before = await create("erin", "operator", "--expires", "30d");
    const after = await issue("rotate", "erin", "--yes");
    expect(after).toMatchObject({ name: "erin", role: "operator" });
    expect(after.token).not.toBe(before.token);
    expect((await ask(before.token)).json).toMatchObject({ code: 401 });
    expect((await ask(after.token)).json.data.dashboard.me).toMatchObject({ name: "erin", role: "operator" });
    expect(await run("dashboard-users", "rotate", "nobody", "--yes")).toMatchObject({ code: 1, out: "" });
  });

  it("is noted as seen once a minute at most", async () => {
    const { token } = await create("frank", "viewer");
    const seen = async () => {
      const { rows } = await env.pool.query<{ at: Date | null }>(
        "SELECT last_used_at AS at FROM app.dashboard_user WHERE name = 'frank'",
      );
      return rows[0]?.at?.getTime() ?? null;
    };
    expect(await seen()).toBeNull();
    await ask(token);
    const first = await until("the first use", async () => (await seen()) ?? undefined);
    for (let n = 0; n < 3; n++) await ask(token);
    expect(await seen()).toBe(first);
    await env.pool.query(
      "UPDATE app.dashboard_user SET last_used_at = now() - interval '61 seconds' WHERE name = 'frank'",
    );
    await ask(token);
    await until("a later use", async () => ((await seen()) ?? 0) > first);
  });

  it.each([
    ["a name of no form", ["--name", "a b", "--role", "viewer"], 2, "name must be"],
    ["the name of the environment", ["--name", "environment", "--role", "viewer"], 2, "DASHBOARD_TOKENS"],
    ["no role", ["--name", "grace"], 2, "--role"],
    ["an unknown role", ["--name", "grace", "--role", "admin"], 2, "viewer, operator"],
    ["an end in the past", ["--name", "grace", "--role", "viewer", "--expires", "2020-01-01"], 1, "past"],
    [
      "an end of no form",
      ["--name", "grace", "--role", "viewer", "--expires", "soon"],
      2,
      "a time is written",
    ],
    ["a name that is taken", ["--name", "frank", "--role", "operator"], 1, "there is a dashboard user frank"],
  ])("is not made with %s", async (_name, args, code, says) => {
    const answer = await run("dashboard-users", "create", ...args);
    expect(answer).toEqual({ code, out: "", err: expect.stringContaining(says) });
  });
});

it("answers every refusal alike, and tells its log why", async () => {
  const expired = await create("heidi", "operator");
  await env.pool.query("UPDATE app.dashboard_user SET expires_at = now() WHERE name = 'heidi'");
  const revoked = await create("ivan", "operator");
  await run("dashboard-users", "revoke", "ivan", "--yes");
  const { token } = await create("judy", "operator");
  const refused: [string, string][] = [
    ["", "missing"],
    ["dash_", "unknown"],
    [token.slice(0, 24), "unknown"],
    [`dash_${"A".repeat(43)}`, "unknown"],
    [expired.token, "expired"],
    [revoked.token, "revoked"],
    [`${DASHBOARD_TOKEN}x`, "unknown"],
  ];
  for (const [sent, cause] of refused) {
    const { status, json, headers } = await ask(sent);
    const uuid = headers.get("x-request-id") ?? "";
    expect({ status, json }).toEqual({
      status: 400,
      json: { code: 401, errMsg: "Unauthorized", data: null, uuid, t: expect.any(Number) },
    });
    const line = await lineOf(uuid);
    expect(line).toMatchObject({ cause: `dashboard token ${cause}` });
    expect(line).not.toHaveProperty("user");
  }
  expect((await ask(DASHBOARD_TOKEN)).json.data.dashboard.me).toEqual({
    name: "environment",
    role: "operator",
    expiresAt: null,
  });
});

describe("the audit log", () => {
  const entries = (args = "") =>
    `{ dashboard { auditEntries${args} { totalCount edges { node { auditId actor action subject detail createdAt } } pageInfo { hasNextPage endCursor } } } }`;

  it("is shown to operators, filtered and in pages, and by the command", async () => {
    const { token } = await create("mallory", "operator");
    await issue("rotate", "mallory", "--yes");
    await run("dashboard-users", "revoke", "mallory", "--yes");
    const of = async (args: string) =>
      (await ask(DASHBOARD_TOKEN, entries(args))).json.data.dashboard.auditEntries;
    const all = await of('(subject: "mallory")');
    const actions = all.edges.map(({ node }: { node: { action: string } }) => node.action);
    expect(actions).toEqual(["dashboard-users revoke", "dashboard-users rotate", "dashboard-users create"]);
    expect(all).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: false } });
    expect(JSON.stringify(all)).not.toContain(token.slice(5));
    const first = await of('(subject: "mallory", first: 2)');
    expect(first.edges).toEqual(all.edges.slice(0, 2));
    const { endCursor } = first.pageInfo;
    expect((await of(`(subject: "mallory", after: "${endCursor}")`)).edges).toEqual(all.edges.slice(2));
    const [{ node: newest }] = all.edges;
    const at = newest.createdAt;
    expect(
      await of(
        `(subject: "mallory", actor: "${newest.actor}", action: "dashboard-users revoke", from: ${at}, to: ${at})`,
      ),
    ).toMatchObject({ totalCount: 1 });
    for (const none of [`from: ${at + 1_000}`, "to: 1", 'actor: "nobody"', 'action: "x"'])
      expect({ none, found: await of(`(subject: "mallory", ${none})`) }).toMatchObject({
        none,
        found: { totalCount: 0, edges: [] },
      });
    const wrong = await ask(DASHBOARD_TOKEN, entries('(after: "x")'));
    expect(wrong.json.errors[0].extensions).toMatchObject({ errCode: "VALIDATION_FAILED", param: "after" });

    const listed = await run("audit", "list", "--subject", "mallory", "--since", "1h", "--limit", "2");
    expect(listed).toMatchObject({ code: 0, err: "There are more than 2: --limit shows them.\n" });
    expect(listed.out).toMatch(
      /^TIME +ACTOR +LOGIN +ASKED BY +ACTION +SUBJECT +DETAIL\n.*dashboard-users revoke/,
    );
    expect(listed.out.trim().split("\n")).toHaveLength(3);
    const json = await run(
      "audit",
      "list",
      "--action",
      "dashboard-users rotate",
      "--actor",
      newest.actor,
      "--json",
    );
    expect(JSON.parse(json.out).map(({ subject }: { subject: string }) => subject)).toContain("mallory");
    expect(await run("audit", "list", "--since", "2999-01-01")).toMatchObject({ code: 0, out: "" });
  });

  it("is refused to a viewer", async () => {
    const { token } = await create("niaj", "viewer");
    for (const query of [entries(), "{ dashboard { auditEntries { totalCount } } }"]) {
      const { status, json } = await ask(token, query);
      expect({ status, errCode: json.errors[0].extensions.errCode }).toEqual({
        status: 400,
        errCode: "POLICY_REFUSED",
      });
    }
  });
});
