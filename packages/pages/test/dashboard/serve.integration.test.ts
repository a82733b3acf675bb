import { readdirSync, readFileSync, statSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { ROOT } from "../../../../src/config/root.ts";
import { DASHBOARD_PATHS } from "../../../../src/http/pages/built.ts";
import { type PageServer, servePage } from "./server.ts";

/** Output of the page's build. */
const BUILT = `${ROOT}dist/pages/dashboard/`;
const read = (name: string) => readFileSync(`${BUILT}${name}`, "utf8");
const names = readdirSync(BUILT).filter((name) => !/\.(br|gz)$/.test(name));

let server: PageServer;
let baseUrl = "";
let lines: string[] = [];
beforeAll(async () => {
  server = await servePage();
  ({ baseUrl, lines } = server);
});
afterAll(() => server?.stop());

const TYPES: Record<string, string> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
};
const fileOf = (path: string) => (path === "/dashboard" ? "page.html" : path.replace("/dashboard/", ""));

describe.each(DASHBOARD_PATHS)("%s", (path) => {
  it("is what the build made, of its type, under a policy that lets nothing else in", async () => {
    const response = await fetch(`${baseUrl}${path}`);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(read(fileOf(path)));
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({
      "content-type": TYPES[fileOf(path).split(".").at(-1) ?? ""],
      "cache-control": "no-cache",
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    expect(headers).not.toHaveProperty("set-cookie");
    expect(headers).not.toHaveProperty("x-powered-by");
    expect((headers["content-security-policy"] ?? "").split(";").sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "script-src 'self'",
      "style-src 'self'",
      "trusted-types 'none'",
    ]);
  });

  it("is sent again only where the browser's is another", async () => {
    const etag = (await fetch(`${baseUrl}${path}`)).headers.get("etag") ?? "";
    const ask = async (known: string) => {
      // In its other modes fetch adds headers that bypass the cache.
      const request = { headers: { "if-none-match": known }, cache: "force-cache" } as const;
      const response = await fetch(`${baseUrl}${path}`, request);
      return [response.status, (await response.text()).length > 0];
    };
    expect(await ask(etag)).toEqual([304, false]);
    expect(await ask('"of another version"')).toEqual([200, true]);
  });

  it.each(["HEAD", "POST", "PUT", "DELETE", "OPTIONS"])("is not there for %s", async (method) => {
    expect((await fetch(`${baseUrl}${path}`, { method })).status).toBe(404);
  });

  it("is named in the log without its query", async () => {
    await fetch(`${baseUrl}${path}?token=canary`);
    const last = JSON.parse(lines.at(-1) ?? "{}");
    expect(last).toMatchObject({ route: path, status: 200 });
    expect(lines.join("")).not.toContain("canary");
  });
});

it("is there under a path prefix, and its relative paths lead below it", async () => {
  const url = `${baseUrl}/trading/dashboard`;
  const links = [...read("page.html").matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = ""]) => link);
  expect(links).toEqual(["dashboard/page.css", "dashboard/page.js"]);
  for (const target of [url, ...links.map((link) => new URL(link, url).href)]) {
    expect({ target, status: (await fetch(target)).status }).toEqual({ target, status: 200 });
  }
});

it.each(["/dashboard/", "/Dashboard", "/dashboard/page.html", "/dashboard/tsconfig.json", "/dashboard/x.js"])(
  "nothing else is: %s",
  async (path) => {
    expect((await fetch(`${baseUrl}${path}`)).status).toBe(404);
  },
);

describe("the files", () => {
  it("are all served", () => {
    expect(DASHBOARD_PATHS.map(fileOf).sort()).toEqual([...names].sort());
  });

  it("are compressed, and small enough for a phone", async () => {
    expect(statSync(`${BUILT}page.js`).size).toBeLessThan(250_000);
    const response = await fetch(`${baseUrl}/dashboard/page.js`, { headers: { "accept-encoding": "br" } });
    expect(response.headers.get("content-encoding")).toBe("br");
  });

  it("hold no inline script or style, no handler, and nothing from elsewhere", () => {
    const html = read("page.html");
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:|<script(?![^>]*\ssrc=)/i);
    expect(html + read("page.css")).not.toMatch(/https?:\/\/|url\(|@import/);
  });

  it("keep the token nowhere, and make neither markup nor code of text", () => {
    const sources = `${ROOT}packages/pages/src/dashboard/`;
    const banned =
      /sessionStorage|indexedDB|\.cookie|history\.|innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|new Function|console\./;
    for (const name of readdirSync(sources, { recursive: true, encoding: "utf8" })) {
      if (!/\.tsx?$/.test(name)) continue;
      const text = readFileSync(`${sources}${name}`, "utf8");
      expect({ name, found: banned.exec(text)?.[0] }).toEqual({ name, found: undefined });
      if (name !== "frame/storage.ts")
        expect({ name, text }).not.toEqual({ name, text: expect.stringContaining("localStorage") });
    }
  });
});
