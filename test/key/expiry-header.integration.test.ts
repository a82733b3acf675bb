import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { makeEnv, startTestApi, type TestApi, type TestEnv } from "../support/http/api.ts";
import { createPartner } from "../support/http/partner.ts";

const DAY_MS = 86_400_000;

let database: TestDatabase;
let env: TestEnv;
let api: TestApi;
beforeAll(async () => {
  database = await createDatabase();
  env = makeEnv(database.url, "http://127.0.0.1:1", { RATE_LIMIT_WRITES: "1" });
  api = await startTestApi(env.env);
});
afterAll(async () => {
  await api?.stop();
  await env?.dispose();
  await database?.drop();
});

async function partnerEndingIn(days: number | null) {
  const expiresAt = days === null ? null : new Date(Date.now() + days * DAY_MS);
  const partner = createPartner(api.url, await env.makeKey({ expiresAt }));
  return { partner, header: expiresAt && String(Math.floor(expiresAt.getTime() / 1000)) };
}

const headerOf = ({ headers }: { headers: Headers }) => headers.get("x-key-expires-at");

describe("X-Key-Expires-At", () => {
  it("is on every authenticated answer from 14 days before: of a success, a refusal, a stream, and of 429", async () => {
    const { partner, header } = await partnerEndingIn(13.9);
    const success = await partner.get<{ expiresAt: number }>("/key");
    expect(String(success.body.data.expiresAt)).toBe(header);
    const answers = {
      success: headerOf(success),
      notModified: headerOf(
        await partner.get("/key", {}, { headers: { "if-none-match": success.headers.get("etag") ?? "" } }),
      ),
      refusal: headerOf(await partner.get("/orders/nothing")),
      stream: headerOf(await partner.get("/events/stream")),
      write: headerOf(await partner.post("/key/rotate", { overlapSeconds: 0 })),
      limited: headerOf(await partner.post("/key/rotate", { overlapSeconds: 0 })),
    };
    expect(answers).toEqual(Object.fromEntries(Object.keys(answers).map((name) => [name, header])));
  });

  it("is on no answer of a key that ends later, or never, and on no 401", async () => {
    for (const days of [14.1, null]) {
      const { partner } = await partnerEndingIn(days);
      expect({ days, header: headerOf(await partner.get("/key")) }).toEqual({ days, header: null });
    }
    const { partner } = await partnerEndingIn(1);
    const refused = await partner.get("/key", {}, { secret: "sk_wrong" });
    expect({ code: refused.body.code, header: headerOf(refused) }).toEqual({ code: 401, header: null });
  });

  it("follows the key where the operator gives it an end", async () => {
    const { partner } = await partnerEndingIn(null);
    expect(headerOf(await partner.get("/key"))).toBeNull();
    await env.pool.query("UPDATE app.api_key SET expires_at = to_timestamp($2) WHERE api_key = $1", [
      partner.key.apiKey,
      Math.floor(Date.now() / 1000) + 60,
    ]);
    expect(headerOf(await partner.get("/key"))).toMatch(/^\d+$/);
  });
});
