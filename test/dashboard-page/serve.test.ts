import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { DASHBOARD_PATHS } from "../../src/dashboard-page/serve.ts";
import { names, read } from "./files.ts";
import { type PageServer, servePage } from "./server.ts";

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
  it("is the file as it stands, of its type, under a policy that lets nothing else in", async () => {
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
      // In its other modes fetch adds headers that ask for all of it.
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
    expect([target, (await fetch(target)).status]).toEqual([target, 200]);
  }
});

it.each(["/dashboard/", "/Dashboard", "/dashboard/page.html", "/dashboard/tsconfig.json", "/dashboard/x.js"])(
  "nothing else is: %s",
  async (path) => {
    expect((await fetch(`${baseUrl}${path}`)).status).toBe(404);
  },
);

describe("the files", () => {
  it("are all served, with whatever they import", () => {
    expect(DASHBOARD_PATHS.map(fileOf).sort()).toEqual([...names].sort());
    const imported = names.flatMap((name) =>
      [...read(name).matchAll(/\bfrom "([^"]+)"/g)].map(([, from = ""]) => from.replace("./", "")),
    );
    expect(imported.filter((name) => !names.includes(name))).toEqual([]);
  });

  it("hold no inline script or style, no handler, and nothing from elsewhere", () => {
    const html = read("page.html");
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:|<script(?![^>]*\ssrc=)/i);
    for (const name of names)
      expect([name, read(name)]).not.toEqual([name, expect.stringMatching(/https?:\/\/|url\(|@import/)]);
  });

  it("neither keep the token anywhere nor make markup of text", () => {
    const banned =
      /localStorage|sessionStorage|indexedDB|\.cookie|history\.|location|innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|new Function|console\./;
    for (const name of names) expect([name, banned.exec(read(name))?.[0]]).toEqual([name, undefined]);
  });

  it("label every field", () => {
    const html = read("page.html");
    for (const [field] of html.matchAll(/<(?:input|select)[^>]*>/g)) {
      const before = html.slice(0, html.indexOf(field));
      const isWrapped = before.lastIndexOf("<label") > before.lastIndexOf("</label>");
      const id = /\bid="(\w+)"/.exec(field)?.[1];
      expect([field, isWrapped || html.includes(`<label for="${id}">`)]).toEqual([field, true]);
    }
  });
});
