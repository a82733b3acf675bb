import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { ROOT } from "../../../../src/config/root.ts";
import { DOCS_SCRIPT_PATHS } from "../../../../src/http/pages/built.ts";
import { type DocsServer, startDocs } from "./server.ts";

/** Scripts of the pages for partners, as built, behind the real server. */
let docs: DocsServer;
beforeAll(async () => {
  docs = await startDocs();
});
afterAll(() => docs?.stop());

const built = (name: string) => readFileSync(`${ROOT}dist/pages/docs/${name}`);
const fileOf = (path: string) => path.replace("/docs/", "");

describe.each(DOCS_SCRIPT_PATHS)("%s", (path) => {
  it("is what was built, compressed, to be asked for again", async () => {
    const response = await fetch(`${docs.url}${path}`);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-encoding": "gzip",
      "content-length": String(built(`${fileOf(path)}.gz`).length),
      "cache-control": "no-cache",
      vary: "accept-encoding",
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "content-security-policy": expect.stringContaining("default-src 'none'"),
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(built(fileOf(path)))).toBe(true);
    const etag = response.headers.get("etag") ?? "";
    const again = await fetch(`${docs.url}${path}`, {
      headers: { "if-none-match": etag },
      cache: "force-cache",
    });
    expect(again.status).toBe(304);
  });

  it.each(["HEAD", "POST", "OPTIONS"])("is not there for %s", async (method) => {
    expect((await fetch(`${docs.url}${path}`, { method })).status).toBe(404);
  });

  it("keeps nothing, and makes no markup", () => {
    expect(built(fileOf(path)).toString()).not.toMatch(
      /localStorage|sessionStorage|indexedDB|\.cookie|innerHTML|\beval\(|new Function|console\./,
    );
  });
});

it("the reference loads them below a path prefix, too", async () => {
  const url = `${docs.url}/trading/docs/reference`;
  const html = await (await fetch(url)).text();
  const scripts = [...html.matchAll(/<script defer src="([^"]+)"/g)].map(
    ([, link = ""]) => new URL(link, url),
  );
  expect(scripts.map(({ pathname }) => pathname)).toEqual(DOCS_SCRIPT_PATHS.map((path) => `/trading${path}`));
  for (const script of scripts) expect((await fetch(script)).status).toBe(200);
});

it.each([
  "/docs/",
  "/docs/reference/",
  "/docs/Reference",
  "/docs/reference.js.br",
  "/docs/reference.ts",
  "/docs/../package.json",
])("nothing else is: %s", async (path) => {
  expect((await fetch(`${docs.url}${path}`)).status).toBe(404);
});
