import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { ROOT } from "../../../../src/config/root.ts";
import { createApp } from "../../../../src/http/app.ts";
import { createMetrics } from "../../../../src/http/metrics.ts";
import { createReferencePage, REFERENCE_PATHS } from "../../../../src/http/pages/built.ts";
import { createHttpServer, type HttpServer } from "../../../../src/http/server.ts";
import { createLog } from "../../../../src/telemetry/log.ts";

/** Output of the page's build, behind the real server. */
let server: HttpServer;
let baseUrl = "";
beforeAll(async () => {
  const log = createLog("test", "info", { write: () => undefined });
  server = createHttpServer({
    log,
    metrics: createMetrics(() => new Map()),
    now: Date.now,
    prefix: "/trading",
    timeouts: { shutdownDelay: 0 },
    app: createApp([createReferencePage(log)], REFERENCE_PATHS, Date.now),
  });
  baseUrl = await server.listen(0, "127.0.0.1");
});
afterAll(() => server?.stop());

const built = (name: string) => readFileSync(`${ROOT}dist/pages/docs/${name}`);
const fileOf = (path: string) => (path === "/docs/reference" ? "page.html" : path.replace("/docs/", ""));

describe.each(REFERENCE_PATHS)("%s", (path) => {
  it("is what was built, compressed, to be asked for again", async () => {
    const response = await fetch(`${baseUrl}${path}`);
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
    const again = await fetch(`${baseUrl}${path}`, {
      headers: { "if-none-match": etag },
      cache: "force-cache",
    });
    expect(again.status).toBe(304);
  });

  it.each(["HEAD", "POST", "OPTIONS"])("is not there for %s", async (method) => {
    expect((await fetch(`${baseUrl}${path}`, { method })).status).toBe(404);
  });
});

it("is there under a path prefix, and its relative paths lead below it", async () => {
  const url = `${baseUrl}/trading/docs/reference`;
  const html = await (await fetch(url)).text();
  const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = ""]) => link);
  const files = links.filter((link) => link !== "../openapi.json");
  expect(files.map((link) => `/docs/${link}`).sort()).toEqual(
    REFERENCE_PATHS.filter((path) => path !== "/docs/reference").sort(),
  );
  for (const link of files) {
    const { status } = await fetch(new URL(link, url));
    expect({ link, status }).toEqual({ link, status: 200 });
  }
});

it.each([
  "/docs/reference/",
  "/docs/Reference",
  "/docs/page.html",
  "/docs/scalar.js.br",
  "/docs/page.ts",
  "/docs/../package.json",
])("nothing else is: %s", async (path) => {
  expect((await fetch(`${baseUrl}${path}`)).status).toBe(404);
});

it("holds no inline script or style, no handler, and keeps nothing", () => {
  expect(built("page.html").toString()).not.toMatch(
    /<style|\sstyle=|\son\w+=|javascript:|<script(?![^>]*\ssrc=)/i,
  );
  const own = ["page.js", "before.js"].map((name) => built(name).toString()).join("\n");
  expect(own).not.toMatch(
    /localStorage|sessionStorage|indexedDB|\.cookie|innerHTML|\beval\(|new Function|console\./,
  );
});
