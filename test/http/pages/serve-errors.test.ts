import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createApp } from "../../../src/http/app.ts";
import { createMetrics } from "../../../src/http/metrics.ts";
import { createErrorPages, ERROR_PAGE_PATHS } from "../../../src/http/pages/errors.ts";
import { renderPage } from "../../../src/http/pages/markdown.ts";
import { createHttpServer } from "../../../src/http/server.ts";
import { ERROR_CATALOGUE } from "../../../src/protocol/errors.ts";
import { createLog } from "../../../src/telemetry/log.ts";

/** The pages of errors over HTTP: to anybody, without a script, below any prefix. */
const server = createHttpServer({
  log: createLog("test", "info", { write: () => undefined }),
  metrics: createMetrics(() => new Map()),
  now: Date.now,
  prefix: "/trading",
  timeouts: { shutdownDelay: 0 },
  app: createApp([createErrorPages("https://partner.example/docs")], ERROR_PAGE_PATHS, Date.now),
});
let baseUrl = "";
beforeAll(async () => {
  baseUrl = await server.listen(0, "127.0.0.1");
});
afterAll(() => server.stop());

const PAGE = "/docs/errors/DEADLINE_EXPIRED";

it("serves the index, the style, the page of a 401 and one for each errCode", async () => {
  expect(ERROR_PAGE_PATHS).toHaveLength(Object.keys(ERROR_CATALOGUE).length + 3);
  for (const path of ERROR_PAGE_PATHS) {
    const response = await fetch(`${baseUrl}${path}`);
    const type = path.endsWith(".css") ? "text/css" : "text/html";
    expect({ path, status: response.status, "content-type": response.headers.get("content-type") }).toEqual({
      path,
      status: 200,
      "content-type": `${type}; charset=utf-8`,
    });
  }
});

describe.each([PAGE, "/docs/errors", "/docs/errors.css"])("%s", (path) => {
  it("comes under a policy that lets nothing in but its own style", async () => {
    const { headers } = await fetch(`${baseUrl}${path}`);
    expect((headers.get("content-security-policy") ?? "").split(";").sort()).toEqual([
      "base-uri 'none'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "style-src 'self'",
    ]);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("set-cookie")).toBeNull();
  });

  it("may be kept, and is sent again only where it is another", async () => {
    const first = await fetch(`${baseUrl}${path}`);
    expect(first.headers.get("cache-control")).toBe("public, max-age=300");
    const ask = async (known: string) => {
      // The other cache modes of fetch add headers that bypass the cache.
      const request = { headers: { "if-none-match": known }, cache: "force-cache" } as const;
      return (await fetch(`${baseUrl}${path}`, request)).status;
    };
    expect(await ask(first.headers.get("etag") ?? "")).toBe(304);
    expect(await ask('"of another version"')).toBe(200);
  });

  it.each(["HEAD", "POST", "OPTIONS"])("is not there for %s", async (method) => {
    expect((await fetch(`${baseUrl}${path}`, { method })).status).toBe(404);
  });
});

it("has no script, no style of its own, and nothing from elsewhere", async () => {
  for (const path of ERROR_PAGE_PATHS) {
    const content = await (await fetch(`${baseUrl}${path}`)).text();
    expect({ path, content }).not.toEqual({
      path,
      content: expect.stringMatching(
        /<script|<style|\sstyle=|\son\w+=|(?:src|href)="(?:\w+:|\/)|url\(|@import/i,
      ),
    });
  }
});

it.each(["", "/trading"])("leads only to what is served, below the prefix %p", async (prefix) => {
  for (const path of ["/docs/errors", PAGE, "/docs/errors/UNAUTHORIZED"]) {
    const url = `${baseUrl}${prefix}${path}`;
    const page = await (await fetch(url)).text();
    const targets = [...page.matchAll(/href="([^"]+)"/g)].map(([, target = ""]) => new URL(target, url));
    expect({ path, targets: targets.slice(0, 2) }).toEqual({
      path,
      targets: [expect.any(URL), expect.any(URL)],
    });
    const served = (target: URL) =>
      ["/docs", ...ERROR_PAGE_PATHS].includes(target.pathname.slice(prefix.length));
    expect({
      path,
      wrong: targets.filter((target) => !target.pathname.startsWith(prefix) || !served(target)),
    }).toEqual({ path, wrong: [] });
  }
});

it("shows the deployment's own docUrl", async () => {
  const page = await (await fetch(`${baseUrl}${PAGE}`)).text();
  expect(page).toContain(
    "&quot;docUrl&quot;:&quot;https://partner.example/docs/errors/DEADLINE_EXPIRED&quot;",
  );
});

it.each(["/docs/errors/", "/docs/errors/NOPE", "/docs/errors/deadline_expired", "/docs/errors/README"])(
  "answers 404 in the envelope for %s",
  async (path) => {
    const response = await fetch(`${baseUrl}${path}`);
    expect({ status: response.status, json: await response.json() }).toEqual({
      status: 404,
      json: expect.objectContaining({ errCode: "ROUTE_NOT_FOUND" }),
    });
  },
);

describe("a rendered page", () => {
  const links = {
    index: '"><img>',
    reference: '"><img>',
    style: '"><img>',
    resolve: (target: string) => `${target}?`,
  };

  it("makes no markup of text", () => {
    const text = '<img src=x onerror="alert(1)"> & `<b>`';
    const blocks = [`# ${text}`, text, `<div>${text}</div>`, `1. ${text}`, `| ${text} |\n|---|\n| ${text} |`];
    const html = renderPage(
      [...blocks, "```http\n<b>\n```", "<!-- <i> --><b>", "<b>&amp;"].join("\n\n"),
      links,
    );
    expect(html).not.toMatch(/<(?:img|b|i|div)\b/);
    expect(html).toContain("<code>&lt;b&gt;</code>");
    expect(html).toContain("<title>&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; `&lt;b&gt;` · ");
  });

  it("leads where it is told, and leaves the text of other links", () => {
    const page = (resolve: (target: string) => string | null) =>
      renderPage("# A\n\n[*b*](javascript:alert(1)), <https://c.example>", { ...links, resolve });
    expect(page(() => 'x"y')).toContain(
      '<p><a href="x&quot;y"><em>b</em></a>, <a href="x&quot;y">https://c.example</a></p>',
    );
    expect(page(() => null)).toContain("<p><em>b</em>, https://c.example</p>");
  });
});
