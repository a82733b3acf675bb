import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { ENDPOINTS, STREAMS } from "../../src/api/endpoints.ts";
import { signCommand } from "../../src/client/cli/sign.ts";
import type { Terminal } from "../../src/client/cli/terminal.ts";
import { exampleAnswer } from "../../src/docs-page/errors/compose.ts";
import { errorFiles } from "../../src/docs-page/errors/files.ts";
import { ERROR_PAGES } from "../../src/docs-page/errors/pages.ts";
import { UNAUTHORIZED_STEPS } from "../../src/docs-page/errors/unauthorized.ts";
import { ERROR_CATALOGUE, type ErrCode, EVERYWHERE } from "../../src/protocol/errors.ts";
import { ROUTES } from "../../src/sandbox/control/server.ts";

/** The texts of the pages of errors are compared with the service: everything they name exists. */
const ROOT = new URL("../../", import.meta.url);
const ERRORS = new URL("docs/errors/", ROOT);
const ERR_CODES = Object.keys(ERROR_CATALOGUE) as ErrCode[];
const endpoints = [...ENDPOINTS, ...STREAMS];
const written = errorFiles();

/** Returns true where a path, with or without a query, matches a route. */
const matches = (route: string, uri: string) =>
  new RegExp(`^${route.replaceAll(/:\w+/g, "[^/?]+")}(\\?|$)`).test(uri);

/** Returns a method and a path without its query, with neutral names of parameters. */
const shapeOf = (call: string) => call.replace(/\?.*/, "").replaceAll(/\{\w+\}|<\w+>|:\w+/g, "*");
const API = new Set(endpoints.map(({ method, path }) => shapeOf(`${method} ${path}`)));
const CONTROL = new Set(ROUTES.map(({ method, path }) => shapeOf(`${method} ${path}`)));

const textsOf = (errCode: ErrCode) => {
  const { cause, steps, retry, sandbox } = ERROR_PAGES[errCode];
  return [...cause, ...steps, retry ?? "", sandbox ?? ""];
};
const codeIn = (texts: readonly string[]) =>
  texts.flatMap((text) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code));

describe("docs/errors", () => {
  it("is what `npm run openapi` writes now", () => {
    expect(readdirSync(ERRORS).sort()).toEqual([...written.keys()].sort());
    const stale = [...written].filter(([name, text]) => readFileSync(new URL(name, ERRORS), "utf8") !== text);
    expect(stale.length === 0 ? "current" : "run `npm run openapi`").toBe("current");
  });

  it("has a page for each errCode, which the index leads to", () => {
    expect([...written.keys()].sort()).toEqual(
      ["README.md", "UNAUTHORIZED.md", ...ERR_CODES.map((errCode) => `${errCode}.md`)].sort(),
    );
    const index = written.get("README.md") ?? "";
    for (const name of ["UNAUTHORIZED", ...ERR_CODES]) expect(index).toContain(`[${name}](${name}.md)`);
  });

  it("leads only to pages and documents that are there", () => {
    for (const [name, text] of written) {
      const targets = [...text.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, target = ""]) => target);
      const missing = targets.filter((target) => !existsSync(new URL(target, ERRORS)));
      expect([name, missing]).toEqual([name, []]);
    }
  });
});

describe("a page", () => {
  it("names endpoints of the API, or of the sandbox's control, that exist", () => {
    const known = [...API, ...CONTROL, "GET /openapi.json"];
    const unknown = ERR_CODES.flatMap((errCode) =>
      codeIn(textsOf(errCode))
        .filter((code) => /^(GET|POST|DELETE) \//.test(code) && !known.includes(shapeOf(code)))
        .map((code) => `${errCode}: ${code}`),
    );
    expect(unknown).toEqual([]);
  });

  it("names each errCode in full", () => {
    const unknown = ERR_CODES.flatMap((errCode) =>
      codeIn(textsOf(errCode)).filter(
        (code) => /^[A-Z]+(_[A-Z]+)+$/.test(code) && !ERR_CODES.includes(code as ErrCode),
      ),
    );
    expect(unknown).toEqual([]);
  });

  it.each(ERR_CODES)("has an example of an endpoint that answers %s", (errCode) => {
    const [method, uri = ""] = ERROR_PAGES[errCode].example.request.split(" ");
    const asked = endpoints.find((each) => each.method === method && matches(each.path, uri));
    expect(asked === undefined).toBe(errCode === "ROUTE_NOT_FOUND");
    expect([...EVERYWHERE, ...(asked?.refusals ?? [])]).toContain(errCode);
  });

  it.each(ERR_CODES)("shows the answer as the server makes it: %s", (errCode) => {
    const { example } = ERROR_PAGES[errCode];
    const { status, body } = exampleAnswer(errCode, example, "https://api.example.com/docs");
    expect(status).toBe(ERROR_CATALOGUE[errCode].status);
    expect(written.get(`${errCode}.md`)).toContain(`\n${body}\n`);
    expect(JSON.parse(body).docUrl).toBe(`https://api.example.com/docs/errors/${errCode}`);
  });
});

it("the page of a 401 names the command that explains a signature, with options that it has", () => {
  const code = codeIn(UNAUTHORIZED_STEPS);
  const command = signCommand({} as Terminal);
  const used = code.flatMap((words) => words.match(/--\w+/g) ?? []);
  expect(code).toContain("partner-trading sign GET /orders status=New limit=5 --explain");
  expect(used.length).toBeGreaterThan(3);
  expect(used.filter((option) => !command.options.some(({ long }) => long === option))).toEqual([]);
});
