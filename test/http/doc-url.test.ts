import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { AuthResult } from "../../src/auth/authenticate.ts";
import { CALLER, type SmallServer, startSmallServer } from "../support/http/http.ts";
import { sendRaw } from "../support/http/raw-http.ts";

/** Failures name the page of their errCode, wherever in the server they come from, and authentication failures never do. */
const DOCS_URL = "https://api.example.com/docs";

let known: AuthResult;
let small: SmallServer;
beforeAll(async () => {
  small = await startSmallServer({ docsUrl: DOCS_URL, authenticate: async () => known });
});
afterAll(() => small.server.stop());

const LET_IN: AuthResult = { ok: true, caller: CALLER, ip: "127.0.0.1" };
const QUOTA = { limit: "in flight", points: 1, remaining: 0, resetMs: 1_000 } as const;
const REFUSED = { ok: false, keyId: CALLER.keyId, ip: "127.0.0.1" } as const;

async function answerTo(target: string, result: AuthResult, ...headers: string[]) {
  known = result;
  const answer = await sendRaw(
    small.baseUrl,
    [`GET ${target} HTTP/1.1`, "host: x", "connection: close", ...headers, "", ""].join("\r\n"),
  );
  return JSON.parse(answer.body);
}

const CASES: [string, string, AuthResult, string, ...string[]][] = [
  ["an endpoint", "/api/v1/echo?unknown=1", LET_IN, "VALIDATION_FAILED"],
  ["a wait for the indexer", "/api/v1/echo", LET_IN, "INDEXER_BEHIND", "x-min-block: 9"],
  ["the router", "/api/v1/nothing", LET_IN, "ROUTE_NOT_FOUND"],
  ["the server", "/other", LET_IN, "ROUTE_NOT_FOUND"],
  ["the HTTP parser", "/api/v1/echo", LET_IN, "VALIDATION_FAILED", "x y: z"],
  [
    "the rate limit",
    "/api/v1/echo",
    { ...REFUSED, cause: "key's requests in flight", caller: CALLER, quota: QUOTA },
    "RATE_LIMITED",
  ],
];

it.each(CASES)("is named by a failure of %s", async (_name, target, result, errCode, ...headers) => {
  expect(await answerTo(target, result, ...headers)).toMatchObject({
    errCode,
    docUrl: `${DOCS_URL}/errors/${errCode}`,
  });
});

it("is not named by an authentication failure: it shows nothing of its cause", async () => {
  const answer = await answerTo("/api/v1/echo", { ...REFUSED, cause: "key unknown" });
  expect(Object.keys(answer)).toEqual(["code", "errMsg", "data", "uuid", "t"]);
});
