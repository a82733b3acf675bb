import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { present, until } from "../support/assert/until.ts";
import { type Answer, type Bend, createPartner } from "../support/http/partner.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";

/**
 * docs/api.md#authentication: every cause of a 401, as a partner would stumble into it, and one body for all of them.
 */
const state = readSandboxState();
const pick = (chainId: number, access: string) =>
  present(
    state.keys.find((k) => k.chainId === chainId && k.access === access),
    `a ${access} key for chain ${chainId}`,
  );
const first = present(state.chains[0], "a first chain");
const second = present(state.chains[1], "a second chain");
const writable = createPartner(state.baseUrl, pick(first.chainId, "WRITABLE"));
const readOnly = createPartner(state.baseUrl, pick(first.chainId, "READ_ONLY"));

function expectUnauthorized(answer: Answer): void {
  const { uuid, t, ...rest } = answer.body;
  expect({ status: answer.status, ...rest }).toEqual({
    status: 400,
    code: 401,
    errMsg: "Unauthorized",
    data: null,
  });
  expect(answer.headers.get("x-request-id")).toBe(uuid);
  expect(answer.headers.get("x-indexed-block")).toBeNull();
  expect(Math.abs(t - Date.now())).toBeLessThan(60_000);
}

const lines = (parts: { method: string; uri: string; ts: string; nonce: string; body: string }) => [
  parts.method,
  parts.uri,
  parts.ts,
  parts.nonce,
  parts.body,
];

const BENT_GETS: [string, Bend][] = [
  ["a wrong secret", { secret: "not-the-secret" }],
  ["an unknown key", { headers: { "x-api-key": "ak_unknown" } }],
  ["a missing key", { headers: { "x-api-key": undefined } }],
  ["a missing signature", { headers: { "x-api-sign": undefined } }],
  ["a missing timestamp", { headers: { "x-api-ts": undefined } }],
  ["a missing nonce", { headers: { "x-api-nonce": undefined } }],
  ["a nonce that is no UUID", { nonce: "1234" }],
  ["a timestamp 46 s old", { skewMs: -46_000 }],
  ["a timestamp 55 s ahead", { skewMs: 55_000 }],
  ["a missing chain", { headers: { "x-api-chain-id": undefined } }],
  ["a chain outside the key's scope", { headers: { "x-api-chain-id": String(second.chainId) } }],
  ["a chain nobody serves", { headers: { "x-api-chain-id": "999999" } }],
  ["a missing product", { headers: { "x-api-p": undefined } }],
  ["a product in another case", { headers: { "x-api-p": first.productType.toUpperCase() } }],
  ["backslash-n in place of the newline", { payload: (parts) => lines(parts).join("\\n") }],
  ["CRLF in place of the newline", { payload: (parts) => lines(parts).join("\r\n") }],
  ["the full URL signed", { payload: (p) => lines({ ...p, uri: `${state.baseUrl}${p.uri}` }).join("\n") }],
  [
    "an unsorted query signed",
    { payload: (p) => lines({ ...p, uri: "/api/v1/orders?page=1&limit=5" }).join("\n") },
  ],
  ["another query sent than signed", { sentQuery: "limit=6&page=1" }],
  ["a repeated parameter", { sentQuery: "limit=5&page=1&page=1" }],
];

it.each(BENT_GETS)("refuses %s", async (_cause, bend) => {
  expectUnauthorized(await writable.get("/orders", { limit: 5, page: 1 }, bend));
});

it("takes the very same request unbent", async () => {
  const answer = await writable.get("/orders", { limit: 5, page: 1 });
  expect(answer).toMatchObject({ status: 200, body: { code: 200 } });
});

it("refuses a nonce used before, also for another endpoint", async () => {
  const nonce = randomUUID();
  await writable.must(writable.get("/config", {}, { nonce }));
  expectUnauthorized(await writable.get("/config", {}, { nonce }));
  expectUnauthorized(await writable.get("/symbols", {}, { nonce }));
});

it("does not burn a nonce that only a forger used", async () => {
  const nonce = randomUUID();
  expectUnauthorized(await writable.get("/config", {}, { nonce, secret: "forged" }));
  await writable.must(writable.get("/config", {}, { nonce }));
});

it("refuses a body changed after signing", async () => {
  const body = { txHash: `0x${"11".repeat(32)}` };
  expectUnauthorized(
    await writable.post("/orders/tx", body, { sentBody: JSON.stringify({ txHash: `0x${"22".repeat(32)}` }) }),
  );
});

it("refuses POST with a READ_ONLY key, and takes its GET", async () => {
  expectUnauthorized(await readOnly.post("/orders/tx", { txHash: `0x${"11".repeat(32)}` }));
  await readOnly.must(readOnly.get("/symbols"));
});

describe("a key that operations changed", () => {
  const victim = pick(second.chainId, "READ_ONLY");
  const partner = createPartner(state.baseUrl, victim);
  const database = new pg.Client({ connectionString: state.databaseUrl });
  const change = (sql: string) => database.query(sql, [victim.apiKey]);
  const keyId = "(SELECT key_id FROM app.api_key WHERE api_key = $1)";

  beforeAll(() => database.connect());
  afterAll(() => database.end());

  it.each([
    [
      "inactive",
      "UPDATE app.api_key SET active = false WHERE api_key = $1",
      "UPDATE app.api_key SET active = true WHERE api_key = $1",
    ],
    [
      "expired",
      "UPDATE app.api_key SET expires_at = now() - interval '1 second' WHERE api_key = $1",
      "UPDATE app.api_key SET expires_at = NULL WHERE api_key = $1",
    ],
    [
      "without an IP whitelist",
      `DELETE FROM app.api_key_ip WHERE key_id = ${keyId}`,
      `INSERT INTO app.api_key_ip (key_id, cidr) VALUES (${keyId}, '127.0.0.1'), (${keyId}, '::1')`,
    ],
    [
      "with somebody else's IP whitelist",
      `UPDATE app.api_key_ip SET cidr = '203.0.113.' || length(cidr) WHERE key_id = ${keyId}`,
      `WITH gone AS (DELETE FROM app.api_key_ip WHERE key_id = ${keyId} RETURNING key_id)
       INSERT INTO app.api_key_ip (key_id, cidr) SELECT DISTINCT key_id, '127.0.0.0/8' FROM gone`,
    ],
  ])("is refused when %s, and works again when mended", async (_what, harm, mend) => {
    const answers = async (status: number) => {
      const answer = await partner.get("/config");
      return answer.status === status ? answer : undefined;
    };
    await until("the key works", () => answers(200));
    await change(harm);
    expectUnauthorized(await until("the key is refused", () => answers(400)));
    await change(mend);
    await until("the key works again", () => answers(200));
  });
});

it("answers 404 for what is no route", async () => {
  const answer = await writable.get("/nothing-here");
  expect(answer).toMatchObject({ status: 404, body: { code: 404, errCode: "ROUTE_NOT_FOUND", data: null } });
});
