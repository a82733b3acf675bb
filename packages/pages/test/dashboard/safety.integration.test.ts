import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { Browser, Request } from "playwright-core";
import { eventuallyEquals } from "../../../../test/support/assert/eventually-equals.ts";
import { startBrowser } from "../../../../test/support/http/browser.ts";
import { type OpenPage, openPage } from "./open.ts";
import { createService, nameOf, type PageServer, servePage } from "./server.ts";

/** Events that must never happen in the page, in a real browser that enforces its content security policy. */
const TOKEN = "a-token-that-is-like-no-other-text";
const service = createService(TOKEN);
let server: PageServer;
let browser: Browser;
let opened: OpenPage;
const requests: Request[] = [];

beforeAll(async () => {
  server = await servePage(service.router);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});
beforeEach(async () => {
  requests.length = 0;
  opened = await openPage(browser, server.baseUrl);
  opened.page.on("request", (request) => requests.push(request));
});
afterEach(async () => {
  Object.assign(service, { everyValue: null, failure: null });
  await opened.page.context().close();
});

describe("the policy", () => {
  const elsewhere = createServer((request, response) => {
    reached.push(request.url);
    response.end();
  });
  const reached: unknown[] = [];
  beforeAll(() => new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve)));
  afterAll(() => void elsewhere.close());

  it.each([
    ["markup made of text", `document.body.innerHTML = "<b>in</b>"`, /requires 'TrustedHTML'/],
    [
      "a script made of text",
      `document.createElement("script").textContent = "alert(1)"`,
      /requires 'TrustedScript'/,
    ],
    [
      "a style made of text",
      `document.head.append(Object.assign(document.createElement("style"), { textContent: "b {}" }))`,
      /'style-src 'self''/,
    ],
    [
      "a question to others",
      `fetch(elsewhere).catch(() => undefined)`,
      /^Fetch API cannot load .* Content Security Policy/,
    ],
    [
      "a picture",
      `document.body.append(Object.assign(new Image(), { src: elsewhere }))`,
      /"default-src 'none'"/,
    ],
    ["a form that goes anywhere", `document.querySelector("#entry").submit()`, /"form-action 'none'"/],
  ])("blocks %s", async (_what, attempt, message) => {
    const { page, problems } = opened;
    const url = page.url();
    const { port } = elsewhere.address() as AddressInfo;
    await page.evaluate(`((elsewhere) => { try { ${attempt} } catch {} })("http://127.0.0.1:${port}/")`);
    await eventuallyEquals(() => problems, expect.arrayContaining([expect.stringMatching(message)]));
    expect(page.url()).toBe(url);
    expect(reached).toEqual([]);
  });
});

describe("the token", () => {
  it("is nowhere but in the headers of what asks /graphql", async () => {
    const { page } = opened;
    await opened.signIn(TOKEN);
    await page.getByRole("button", { name: "Dark" }).click();
    await page.clock.runFor(35_000);
    await opened.isRead();

    const holders = [];
    for (const request of requests) {
      const headers = Object.entries(await request.allHeaders());
      const sent = [["url", request.url()], ["body", request.postData() ?? ""], ...headers];
      for (const [name, value] of sent) if (value?.includes(TOKEN)) holders.push([request.url(), name]);
    }
    expect(holders.length).toBeGreaterThan(4);
    const base = `${server.baseUrl}/trading/`;
    const distinct = new Set(holders.map(([url, name]) => `${name} of ${url?.replace(base, "")}`));
    expect([...distinct].sort()).toEqual(["authorization of events/stream", "authorization of graphql"]);

    const { cookies, origins } = await page.context().storageState({ indexedDB: true });
    expect(cookies).toEqual([]);
    expect(origins.flatMap(({ localStorage }) => localStorage)).toEqual([
      { name: "dashboard.theme", value: "dark" },
    ]);
    const kept = await page.evaluate(async () => ({
      session: Object.entries(sessionStorage),
      caches: await caches.keys(),
      databases: await indexedDB.databases(),
      state: history.state,
      name: window.name,
    }));
    expect(kept).toEqual({ session: [], caches: [], databases: [], state: null, name: "" });
    const shown = await page.evaluate(() => ({
      url: document.URL,
      markup: document.documentElement.outerHTML,
      fields: [...document.querySelectorAll("input")].map(({ value }) => value),
      attributes: [...document.querySelectorAll("*")].flatMap((element) =>
        [...element.attributes].map(({ value }) => value),
      ),
    }));
    expect(JSON.stringify(shown)).not.toContain(TOKEN);
    expect(server.lines.join("")).not.toContain(TOKEN);
    expect(opened.problems).toEqual([]);
  });

  it("is forgotten by a reload", async () => {
    const { page } = opened;
    await opened.signIn(TOKEN);
    let asked = Number.NaN;
    // Queries of the page before, until it is left, do not count.
    page.once("framenavigated", () => {
      asked = opened.asked.length;
    });
    await page.reload();
    expect(await page.locator("nav").count()).toBe(0);
    expect(await page.getByLabel("Dashboard token").inputValue()).toBe("");
    expect(opened.asked).toHaveLength(asked);
    expect(opened.problems).toEqual([]);
  });
});

describe("markup", () => {
  const MARKUP = `"'><script>alert(1)</script><img src=x onerror=alert(1)><a href="javascript:alert(1)">`;

  const VIEWS = [
    "overview",
    "orders",
    "operations",
    "sends",
    "balances",
    "keys",
    "events",
    "audit",
    "requests",
    "webhooks",
    "deliveries?webhookId=x",
    "order/0x",
    "request/x",
    "webhook/x",
    "delivery/x",
    "key/x",
  ];

  it("in any value of any answer is text", async () => {
    const { page } = opened;
    await opened.signIn(TOKEN);
    service.everyValue = MARKUP;
    await page.clock.runFor(35_000);
    for (const view of VIEWS) {
      await opened.go(`#/${view}`);
      await eventuallyEquals(
        () => page.locator("tbody td, dd").allTextContents(),
        expect.arrayContaining([MARKUP]),
      );
      const links = await page
        .locator("a")
        .evaluateAll((found) => found.map((link) => link.getAttribute("href")));
      expect({
        view,
        foreignLinks: links.filter((href) => !/^#\/[\w./%?=&+'()!*~-]*$/.test(href ?? "")),
      }).toEqual({ view, foreignLinks: [] });
      const foreign = await page.locator("img, iframe, object, base, meta[http-equiv], style").count();
      const scripts = await page.locator("script").count();
      expect({ url: page.url(), foreign, scripts }).toEqual({ url: page.url(), foreign: 0, scripts: 1 });
    }
    expect(opened.problems).toEqual([]);
  });

  it("in an error is text", async () => {
    const { page } = opened;
    await opened.signIn(TOKEN);
    await opened.go("#/orders");
    await page.route("**/graphql", (route) =>
      nameOf(route.request().postDataJSON().query) === "Orders"
        ? route.fulfill({ json: { errors: [{ message: MARKUP }] } })
        : route.fallback(),
    );
    await page.clock.runFor(40_000);
    const problem = page.locator(".list .problem");
    await eventuallyEquals(() => problem.textContent(), expect.stringContaining(MARKUP));
    expect(await made(".problem *")).toEqual(["button[type]"]);
    service.failure = MARKUP;
    await page.clock.runFor(10_000);
    await eventuallyEquals(() => page.locator(".strip").textContent(), MARKUP);
    expect(await made(".strip *")).toEqual(["p[role]"]);
    await page.getByRole("button", { name: "Sign out" }).click();
    await opened.enter(TOKEN);
    await eventuallyEquals(
      () => page.locator("#entry-problem").textContent(),
      expect.stringContaining(MARKUP),
    );
    expect(await made(".problem *")).toEqual([]);
    expect(opened.problems).toEqual([]);
  });

  /** Returns the kinds of present elements, by tag and the names of their attributes. */
  async function made(selector: string): Promise<string[]> {
    const kinds: string[] = await opened.page
      .locator(selector)
      .evaluateAll((found) =>
        found.map((element) => `${element.localName}[${element.getAttributeNames().sort()}]`),
      );
    return [...new Set(kinds)].sort();
  }
});
