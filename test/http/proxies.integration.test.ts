import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { makeEnv, startTestApi, type TestApi, type TestEnv } from "../support/http/api.ts";
import { startForwardingProxy } from "../support/http/forwarding-proxy.ts";
import { createPartner } from "../support/http/partner.ts";

/** Trusted: 127.0.0.2 and all of 127.0.1.0/24. Callers and an untrusted proxy connect from 127.0.0.1 and .9. */
let database: TestDatabase;
let env: TestEnv;
let api: TestApi;
let inner: { url: string; close(): Promise<void> };
let outer: { url: string; close(): Promise<void> };
let foreign: { url: string; close(): Promise<void> };
beforeAll(async () => {
  database = await createDatabase();
  env = makeEnv(database.url, "http://127.0.0.1:1", { TRUSTED_PROXIES: "127.0.0.2, 127.0.1.0/24" });
  api = await startTestApi(env.env);
  inner = await startForwardingProxy(api.url, "127.0.0.2");
  outer = await startForwardingProxy(inner.url, "127.0.1.7");
  foreign = await startForwardingProxy(inner.url, "127.0.0.9");
});
afterAll(async () => {
  await Promise.all([outer?.close(), foreign?.close(), inner?.close()]);
  await api?.stop();
  await env?.dispose();
  await database?.drop();
});

const SPOOFED = "203.0.113.7";

/** Returns the code that a key bound to one address gets, with the given X-Forwarded-For. */
async function codeOf(url: string, ip: string, forwarded?: string): Promise<number> {
  const partner = createPartner(url, await env.makeKey({ ips: [ip] }));
  const bend = forwarded === undefined ? {} : { headers: { "x-forwarded-for": forwarded } };
  return (await partner.get("/orders/nothing", {}, bend)).body.code;
}
const SERVED = 10_000;

it.each([
  ["one proxy", () => inner.url, "127.0.0.1"],
  ["two proxies", () => outer.url, "127.0.0.1"],
  ["a proxy of somebody else before ours", () => foreign.url, "127.0.0.9"],
])("behind %s, the caller is the first from the right who is none", async (_what, url, caller) => {
  for (const forwarded of [undefined, SPOOFED, `${SPOOFED}, 127.0.0.2`]) {
    expect({
      forwarded,
      caller: await codeOf(url(), caller, forwarded),
      spoofed: await codeOf(url(), SPOOFED, forwarded),
      other: await codeOf(url(), "127.0.0.2", forwarded),
    }).toEqual({ forwarded, caller: SERVED, spoofed: 401, other: 401 });
  }
});

it("from a peer that is no proxy, X-Forwarded-For counts for nothing", async () => {
  expect(await codeOf(api.url, SPOOFED, SPOOFED)).toBe(401);
  expect(await codeOf(api.url, "127.0.0.1", SPOOFED)).toBe(SERVED);
});

it("a proxy that is named by its host is trusted under the addresses of the name", async () => {
  const named = makeEnv(database.url, "http://127.0.0.1:1", { TRUSTED_PROXIES: "localhost" });
  const behind = await startTestApi(named.env);
  try {
    const partner = createPartner(behind.url, await named.makeKey({ ips: [SPOOFED] }));
    const codeFor = async (forwarded: string) =>
      (await partner.get("/orders/nothing", {}, { headers: { "x-forwarded-for": forwarded } })).body.code;
    expect({ allowed: await codeFor(SPOOFED), other: await codeFor("203.0.113.8") }).toEqual({
      allowed: SERVED,
      other: 401,
    });
  } finally {
    await behind.stop();
    await named.dispose();
  }
});
