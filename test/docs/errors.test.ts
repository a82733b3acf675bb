import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { signCommand } from "../../packages/client/src/cli/sign.ts";
import type { Terminal } from "../../packages/client/src/cli/terminal.ts";
import { ROUTES } from "../../packages/sandbox/src/control/server.ts";
import { ENDPOINTS, STREAMS } from "../../src/api/endpoints.ts";
import type { AuthCause } from "../../src/auth/checks.ts";
import { failure, unauthorized } from "../../src/http/envelope.ts";
import { STAMP } from "../../src/http/openapi/failures.ts";
import {
  ApiError,
  ERROR_CATALOGUE,
  type ErrCode,
  EVERYWHERE,
  RETRYABLE_AT_TIMES,
} from "../../src/protocol/errors.ts";
import { readErrorPage } from "./error-page.ts";

/** The pages of errors are compared with the service: everything they name exists. */
const ROOT = new URL("../../", import.meta.url);
const ERRORS = new URL("docs/errors/", ROOT);
const ERR_CODES = Object.keys(ERROR_CATALOGUE) as ErrCode[];
const endpoints = [...ENDPOINTS, ...STREAMS];
const read = (name: string) => readFileSync(new URL(`${name}.md`, ERRORS), "utf8");
const NAMES = readdirSync(ERRORS).map((file) => file.replace(/\.md$/, ""));

/** Returns true where a path, with or without a query, matches a route. */
const matches = (route: string, uri: string) =>
  new RegExp(`^${route.replaceAll(/:\w+/g, "[^/?]+")}(\\?|$)`).test(uri);

/** Returns a method and a path without its query, with neutral names of parameters. */
const shapeOf = (call: string) => call.replace(/\?.*/, "").replaceAll(/\{\w+\}|<\w+>|:\w+/g, "*");
const API = new Set(endpoints.map(({ method, path }) => shapeOf(`${method} ${path}`)));
const CONTROL = new Set(ROUTES.map(({ method, path }) => shapeOf(`${method} ${path}`)));

const codeIn = (text: string) => [...text.matchAll(/(?<!`)`([^`\n]+)`/g)].map(([, code = ""]) => code);

function retryableOf(errCode: ErrCode): string {
  const word = ERROR_CATALOGUE[errCode].retryable ? "retryable" : "not retryable";
  return RETRYABLE_AT_TIMES.has(errCode) ? `${word} with exceptions` : word;
}

describe("docs/errors", () => {
  it("has a page for each errCode, one for a 401, and an index", () => {
    expect(NAMES.toSorted()).toEqual(["README", "UNAUTHORIZED", ...ERR_CODES].sort());
  });

  it("has an index with the catalogue's codes, texts and what may be retried", () => {
    const [, ...families] = read("README").split(/^## Code (?=\d)/m);
    const listed = families.flatMap((family) =>
      [...family.matchAll(/^- (.*)$/gm)].map(([, line = ""]) => `${Number.parseInt(family, 10)} ${line}`),
    );
    const expected = ERR_CODES.map((errCode) => {
      const { code, message, retryable } = ERROR_CATALOGUE[errCode];
      return `${code} [${errCode}](${errCode}.md): ${message}${retryable ? ` (${retryableOf(errCode)})` : ""}`;
    });
    expect(listed.sort()).toEqual(expected.sort());
    expect(families[0]).toMatch(/^401: .*\n\nSee \[UNAUTHORIZED\]\(UNAUTHORIZED\.md\)/);
  });

  it("leads only to pages and documents that are there", () => {
    for (const name of NAMES) {
      const targets = [...read(name).matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, target = ""]) => target);
      const missing = targets.filter((target) => !existsSync(new URL(target, ERRORS)));
      expect({ name, missing }).toEqual({ name, missing: [] });
    }
  });
});

describe("a page", () => {
  it("names endpoints of the API, or of the sandbox's control, that exist", () => {
    const known = [...API, ...CONTROL, "GET /openapi.json"];
    const unknown = NAMES.flatMap((name) =>
      codeIn(read(name))
        .filter((code) => /^(GET|POST|DELETE) \//.test(code) && !known.includes(shapeOf(code)))
        .map((code) => `${name}: ${code}`),
    );
    expect(unknown).toEqual([]);
  });

  it("names each errCode in full, as a link to its page", () => {
    const unlinked = NAMES.flatMap((name) =>
      codeIn(read(name)).filter((code) => /^[A-Z]+(_[A-Z]+)+$/.test(code)),
    );
    expect(unlinked).toEqual([]);
  });

  it.each(ERR_CODES)("begins with its name, code, status and whether to retry: %s", (errCode) => {
    const { code, status } = ERROR_CATALOGUE[errCode];
    const first = `# ${errCode}\n\nCode ${code}, HTTP ${status}, ${retryableOf(errCode)}.\n\n`;
    expect(read(errCode).slice(0, first.length)).toBe(first);
    expect(read(errCode)).toMatch(/^## Steps\n\n1\. /m);
  });

  it.each(ERR_CODES)("has an example of an endpoint that answers %s", (errCode) => {
    const { method, uri } = readErrorPage(errCode);
    const asked = endpoints.find((each) => each.method === method && matches(each.path, uri));
    expect(asked === undefined).toBe(errCode === "ROUTE_NOT_FOUND");
    expect([...EVERYWHERE, ...(asked?.refusals ?? [])]).toContain(errCode);
  });

  it.each(ERR_CODES)("shows the answer as the server makes it: %s", (errCode) => {
    const { answer, failure: shown } = readErrorPage(errCode);
    const { errMsg, param, revert, oldestCursor } = shown as Record<string, string>;
    const retryAfter = /\nRetry-After: (\d+)/.exec(answer)?.[1];
    const given = {
      message: errMsg,
      param,
      revert,
      oldestCursor,
      retryAfterSeconds: retryAfter === undefined ? undefined : Number(retryAfter),
    };
    const error = new ApiError(errCode, JSON.parse(JSON.stringify(given)));
    const { status, body } = failure(error, { ...STAMP, docsUrl: "https://api.example.com/docs" });
    const headers = retryAfter === undefined ? "" : `Retry-After: ${retryAfter}\n`;
    expect(answer).toBe(`HTTP/1.1 ${status}\n${headers}\n${body}`);
  });
});

/** Every cause of a 401; one without a line does not compile. */
const CAUSES: Readonly<Record<AuthCause, true>> = {
  "header missing": true,
  "header repeated": true,
  "header malformed": true,
  "key unknown": true,
  "key inactive": true,
  "key expired": true,
  "secret unreadable": true,
  "timestamp malformed": true,
  "timestamp outside the window": true,
  "nonce malformed": true,
  "nonce reused": true,
  "uri not canonical": true,
  "signature wrong": true,
  "address unknown": true,
  "address not allowed": true,
  "method not allowed": true,
  "chain malformed": true,
  "scope not granted": true,
  "scope not served": true,
};

describe("the page of a 401", () => {
  const page = read("UNAUTHORIZED");

  it("names the command that explains a signature, with options that it has", () => {
    const code = codeIn(page);
    const command = signCommand({} as Terminal);
    const used = code.flatMap((words) => words.match(/--\w+/g) ?? []);
    expect(code).toContain("partner-trading sign GET /orders status=New limit=5 --explain");
    expect(used.length).toBeGreaterThan(3);
    expect(used.filter((option) => !command.options.some(({ long }) => long === option))).toEqual([]);
  });

  it("has a row for each cause that the sandbox names, and the answer", () => {
    const rows = [...page.matchAll(/^\| `([^`]+)` \| \S/gm)].map(([, cause = ""]) => cause);
    expect(rows.filter((cause) => cause !== "x-sandbox-auth-cause").sort()).toEqual(
      Object.keys(CAUSES).sort(),
    );
    const { status, body } = unauthorized(STAMP);
    expect(page).toContain(`\`\`\`http\nHTTP/1.1 ${status}\n\n${body}\n\`\`\``);
  });
});
