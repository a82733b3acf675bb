import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createApp } from "../../../src/http/app.ts";
import { createMetrics } from "../../../src/http/metrics.ts";
import { createDocs, DOCS_PATHS } from "../../../src/http/pages/docs.ts";
import { DOWNLOADS, GUIDES } from "../../../src/http/pages/guides.ts";
import { layout } from "../../../src/http/pages/layout.ts";
import { relinkMarkdown, renderMarkdown } from "../../../src/http/pages/markdown.ts";
import { createHttpServer } from "../../../src/http/server.ts";
import { ERROR_CATALOGUE } from "../../../src/protocol/errors.ts";
import { createLog } from "../../../src/telemetry/log.ts";
import { headingsOf } from "../../docs/citations.ts";
import { type BrokenLink, crawl } from "../../support/http/crawl.ts";
import { at, openApi, operations } from "../../support/http/openapi.ts";

/** Guides and pages of errors over HTTP: to anybody, without a script, below any prefix. */
const log = createLog("test", "info", { write: () => undefined });
const server = createHttpServer({
  log,
  metrics: createMetrics(() => new Map()),
  now: Date.now,
  prefix: "/trading",
  timeouts: { shutdownDelay: 0 },
  app: createApp(
    [createDocs({ document: openApi, docsUrl: "https://partner.example/docs", log })],
    DOCS_PATHS,
    Date.now,
  ),
});
let baseUrl = "";
beforeAll(async () => {
  baseUrl = await server.listen(0, "127.0.0.1");
});
afterAll(() => server.stop());

const PAGE = "/docs/errors/DEADLINE_EXPIRED";

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css",
  json: "application/json",
  md: "text/markdown",
  txt: "text/plain",
};
/** The build makes scripts and clients (packages/pages/test/docs/, test/e2e/client-packages.long.test.ts). */
const SERVED = DOCS_PATHS.filter((path) => !path.endsWith(".js") && !path.startsWith("/docs/clients/"));
const PAGES = SERVED.filter((path) => !path.includes("."));

it("serves the guides and the pages of errors, as pages and as Markdown", async () => {
  const errors = [
    "/docs/errors",
    ...[...Object.keys(ERROR_CATALOGUE), "UNAUTHORIZED"].map((name) => `/docs/errors/${name}`),
  ];
  const guides = GUIDES.map(({ name }) => `/docs/guides/${name}`);
  expect(PAGES.toSorted()).toEqual(["/docs", "/docs/reference", ...guides, ...errors].sort());
  for (const path of SERVED) {
    const response = await fetch(`${baseUrl}${path}`);
    const download = Object.values(DOWNLOADS).find((each) => each.path === path);
    const type = download?.type ?? TYPES[path.split(".")[1] ?? ""] ?? "text/html";
    expect({ path, status: response.status, "content-type": response.headers.get("content-type") }).toEqual({
      path,
      status: 200,
      "content-type": `${type}; charset=utf-8`,
    });
  }
});

describe.each([
  PAGE,
  "/docs/errors",
  "/docs/docs.css",
  "/docs/search.json",
  "/docs/guides/webhooks.md",
  "/llms.txt",
])("%s", (path) => {
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

it("has no style of its own, and nothing from elsewhere; pages of errors have no script", async () => {
  for (const path of PAGES) {
    const content = await (await fetch(`${baseUrl}${path}`)).text();
    const script = path.startsWith("/docs/errors")
      ? /<script/i
      : /<script(?! defer src="[\w./]+"><\/script>)/i;
    expect({ path, content }).not.toEqual({ path, content: expect.stringMatching(script) });
    expect({ path, content }).not.toEqual({
      path,
      content: expect.stringMatching(
        /<style|\sstyle=|\son\w+=|(?:src|href)="(?:\w+:(?!\/\/(?:www\.standardwebhooks|eips\.ethereum|keepachangelog)\.)|\/)|url\(|@import/i,
      ),
    });
  }
});

it.each(["/", "/trading/"])("leads only to what is served, below the prefix %p", async (prefix) => {
  const base = new URL(prefix, baseUrl).href;
  const search = await (await fetch(`${base}docs/search.json`)).json();
  const { read, broken, elsewhere } = await crawl(base, [
    "docs",
    "docs/guides/quick-start.md",
    "llms-full.txt",
  ]);
  expect(await brokenIn(base, search)).toEqual([]);
  // The build makes the scripts, another router serves the others (test/e2e/docs-pages.test.ts).
  const others = ["docs/search.js", "docs/reference.js", "openapi.json", "openapi-3.0.json"].map(
    (path) => base + path,
  );
  const isOurs = ({ page, link }: BrokenLink) => !others.includes(new URL(link, page).href);
  expect(broken.filter(isOurs)).toEqual([]);
  const reached = SERVED.map((path) => base + path.slice(1)).filter(
    (url) => !url.endsWith("llms.txt") && !url.endsWith("search.json"),
  );
  expect(read.filter((url) => !others.includes(url)).sort()).toEqual(reached.sort());
  expect(elsewhere.sort()).toEqual([
    "https://eips.ethereum.org/EIPS/eip-8021",
    "https://keepachangelog.com/en/1.1.0/",
    "https://www.standardwebhooks.com/",
  ]);
});

/** Returns the places of the search box that are not there. */
async function brokenIn(base: string, entries: readonly { url: string }[]): Promise<string[]> {
  expect(entries.length).toBeGreaterThan(300);
  const pages = new Map<string, string>();
  const broken: string[] = [];
  for (const { url } of entries) {
    const [path = "", anchor] = url.split("#");
    const text = pages.get(path) ?? (await (await fetch(base + path)).text());
    pages.set(path, text);
    if (!text.startsWith("<!doctype html>") || (anchor && !text.includes(` id="${anchor}"`)))
      broken.push(url);
  }
  return broken;
}

describe("/llms.txt", () => {
  const read = async (path: string) => (await fetch(`${baseUrl}${path}`)).text();

  it("has the form of llmstxt.org, and names the Markdown of every guide at the deployment's address", async () => {
    const text = await read("/llms.txt");
    expect(text).toMatch(/^# .+\n\n> .+\n\n(?:[^#\n].*\n\n)?(?:## .+\n\n(?:- \[.+\]\(.+\): .+\n)+\n?)+$/);
    const targets = [...text.matchAll(/\]\((.+?)\)/g)].map(([, target = ""]) =>
      target.replace("https://partner.example", ""),
    );
    const wanted = GUIDES.map(({ name }) => `/docs/guides/${name}.md`);
    expect(targets).toEqual(
      expect.arrayContaining([...wanted, "/llms-full.txt", "/openapi.json", "/docs/errors.md"]),
    );
    expect(targets.filter((target) => ![...DOCS_PATHS, "/openapi.json"].includes(target))).toEqual([]);
  });

  it("is beside /llms-full.txt, which has every document", async () => {
    const full = await read("/llms-full.txt");
    for (const path of DOCS_PATHS.filter((each) => each.endsWith(".md"))) {
      const [title = ""] = (await read(path)).split("\n");
      expect(full).toContain(`\n${title}\n`.slice(full.startsWith(title) ? 1 : 0));
    }
  });
});

it("names no file of the repository that is not served", async () => {
  for (const { name } of GUIDES) {
    const text = await (await fetch(`${baseUrl}/docs/guides/${name}.md`)).text();
    expect({ name, files: text.match(/`(?:src|test|docs|prisma|packages)\/[^`]*`/g) ?? [] }).toEqual({
      name,
      files: [],
    });
  }
});

describe("the reference", () => {
  const read = async () => (await fetch(`${baseUrl}/docs/reference`)).text();

  it("shows each operation with its parameters, the fields of its body, its errCodes and a form to test it", async () => {
    const html = await read();
    const sections = new Map(
      html
        .split('<section class="operation" aria-labelledby="')
        .map((text) => [text.slice(0, text.indexOf('"')), text]),
    );
    for (const { method, path, pointer, spec } of operations) {
      const section = sections.get(String(spec.operationId)) ?? "";
      const names = [
        ...namesAt(`${pointer}/parameters`),
        ...fieldsAt(`${pointer}/requestBody/content/application~1json/schema`),
      ];
      const codes = Object.keys(Object(at(`${pointer}/responses/400/content/application~1json/examples`)));
      const wanted = [
        `<code>${method} ${path}</code>`,
        ...names.map((name) => `<dt><code>${name}</code>`),
        ...codes.filter((code) => code !== "Unauthorized").map((code) => `<a href="errors/${code}">`),
        ...(path.endsWith("/stream") ? [] : [`data-method="${method}" data-path="${path}"`]),
      ];
      expect({ path, missing: wanted.filter((text) => !section.includes(text)) }).toEqual({
        path,
        missing: [],
      });
    }
    expect(operations.length).toBeGreaterThan(50);
  });

  it("shows each object once, with its fields", async () => {
    const html = await read();
    const names = Object.keys(Object(at("#/components/schemas"))).filter(
      (name) => fieldsAt(`#/components/schemas/${name}`).length > 0,
    );
    expect(names.length).toBeGreaterThan(30);
    for (const name of names) {
      const [, shown = "", ...more] = html.split(`<h3 id="object-${name}">`);
      const fields = shown.slice(0, shown.indexOf("</dl>"));
      const missing = fieldsAt(`#/components/schemas/${name}`).filter(
        (field) => !fields.includes(`<dt><code>${field}</code>`),
      );
      expect({ name, missing, times: more.length + 1 }).toEqual({ name, missing: [], times: 1 });
    }
  });

  it.each(["/docs/reference", "/docs", "/docs/guides/webhooks"])(
    "comes, as guides do, under a policy that names this origin only, and lets no text become code: %s",
    async (path) => {
      const { headers } = await fetch(`${baseUrl}${path}`);
      expect((headers.get("content-security-policy") ?? "").split(";").sort()).toEqual([
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
      expect(headers.get("set-cookie")).toBeNull();
    },
  );
});

/** Returns the names of an operation's parameters, by their pointer. */
const namesAt = (pointer: string): string[] => {
  const list = at(pointer);
  return (Array.isArray(list) ? list : []).map((each) =>
    String(Object(each.$ref ? at(each.$ref) : each).name),
  );
};

/** Returns the names of the fields of an object, by its pointer. */
const fieldsAt = (pointer: string): string[] => Object.keys(Object(Object(at(pointer)).properties));

it("shows the deployment's own docUrl", async () => {
  const page = await (await fetch(`${baseUrl}${PAGE}`)).text();
  expect(page).toContain(
    "&quot;docUrl&quot;:&quot;https://partner.example/docs/errors/DEADLINE_EXPIRED&quot;",
  );
  const guide = await (await fetch(`${baseUrl}/docs/guides/quick-start`)).text();
  expect(guide).toContain("PARTNER_TRADING_BASE_URL=https://partner.example\n");
});

it.each([
  "/docs/errors/",
  "/docs/errors/NOPE",
  "/docs/errors/deadline_expired",
  "/docs/errors/README",
  "/docs/guides/",
  "/docs/guides",
  "/docs/guides/sending",
])("answers 404 in the envelope for %s", async (path) => {
  const response = await fetch(`${baseUrl}${path}`);
  expect({ status: response.status, json: await response.json() }).toEqual({
    status: 404,
    json: expect.objectContaining({ errCode: "ROUTE_NOT_FOUND" }),
  });
});

describe("a rendered page", () => {
  it("makes no markup of text", () => {
    const text = '<img src=x onerror="alert(1)"> & `<b>`';
    const blocks = [`# ${text}`, text, `<div>${text}</div>`, `1. ${text}`, `| ${text} |\n|---|\n| ${text} |`];
    const markdown = [...blocks, "```http\n<b>\n```", "<!-- <i> --><b>", "<b>&amp;"].join("\n\n");
    const rendered = renderMarkdown(markdown, (target) => `${target}?`);
    const page = { path: "/docs/x", title: rendered.title, content: rendered.html, headings: [] };
    const html = layout(page, [{ title: text, entries: [{ title: text, path: `/docs/"${text}` }] }]);
    expect(html).not.toMatch(/<(?:img|b|i)\b/);
    expect(rendered.html).not.toMatch(/<div\b/);
    expect(html).toContain("<code>&lt;b&gt;</code>");
    expect(html).toContain("<title>&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; &lt;b&gt; · ");
  });

  it("leads where it is told, and leaves the text of other links", () => {
    const page = (resolve: (target: string) => string | null) =>
      renderMarkdown("# A\n\n[*b*](javascript:alert(1)), <https://c.example>", resolve).html;
    expect(page(() => 'x"y')).toContain(
      '<p><a href="x&quot;y"><em>b</em></a>, <a href="x&quot;y">https://c.example</a></p>',
    );
    expect(page(() => null)).toContain("<p><em>b</em>, https://c.example</p>");
  });

  it("gives headings the anchors that GitHub gives them, and each its text", () => {
    const markdown =
      "# What it `does`, and why\n\n## Twice\n\n- one\n- [two](x)\n\n## Twice\n\n| a | b |\n|---|---|\n| c | `d` |\n";
    const { title, sections } = renderMarkdown(markdown, () => null);
    expect(title).toBe("What it does, and why");
    expect(sections.map(({ heading: { id }, text }) => [id, text])).toEqual([
      ["what-it-does-and-why", ""],
      ["twice", "one two"],
      ["twice-1", "a b c d"],
    ]);
    expect(sections.map(({ heading }) => heading.id)).toEqual([...headingsOf(markdown).keys()]);
  });
});

it("relinked Markdown leaves code alone", () => {
  const markdown = "[a](x) and\n[b\nc](y)\n\n```sh\n[d](x)\n```\n\n  ```\n[e](x)\n  ```\n[f](x)";
  expect(relinkMarkdown(markdown, (target) => (target === "x" ? "z" : null))).toBe(
    "[a](z) and\nb\nc\n\n```sh\n[d](x)\n```\n\n  ```\n[e](x)\n  ```\n[f](z)",
  );
});
