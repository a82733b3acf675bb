import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { eventuallyEquals } from "../../../../test/support/assert/eventually-equals.ts";
import { LONG } from "../../../../test/support/assert/long.ts";
import { startBrowser } from "../../../../test/support/http/browser.ts";
import { MARKUP, ORDER_ID, ORDERS, USER, WALLET } from "./answers.ts";
import { type OpenPage, openPage } from "./open.ts";
import { findPoorTexts } from "./poor-texts.ts";
import { createService, nameOf, type PageServer, servePage } from "./server.ts";

/** The page's behaviour, in a real browser, over a service of the tests' own. */
const TOKEN = "the-right-token";
const service = createService(TOKEN);
let server: PageServer;
let browser: Browser;
let opened: OpenPage;
let page: Page;
let asked: OpenPage["asked"];

beforeAll(async () => {
  server = await servePage(service.router);
  browser = await startBrowser();
  opened = await openPage(browser, server.baseUrl, {
    hash: "#/orders?status=New",
  });
  ({ page, asked } = opened);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});
beforeEach(() => {
  asked.length = 0;
});
afterEach(() => {
  // A test that fails half way leaves no outage to the next ones.
  service.speak();
  Object.assign(service, { isDown: false, failure: null });
  expect(opened.problems).toEqual([]);
});

const OBJECTS = [
  "#/key/id-of-acme",
  "#/request/uuid-2",
  "#/webhook/webhook-1",
  "#/delivery/delivery-1",
  `#/wallet/${WALLET}?chainId=31337`,
  "#/chain/31337",
];

/** Members of a scrolling element: tests are compiled without the types of browsers. */
interface Scrolls {
  scrollTo(x: number, y: number): void;
  scrollWidth: number;
  clientWidth: number;
}

const { tell, hangUp } = service;
const problem = () => page.locator("#entry-problem").textContent();
const pass = (ms: number) => page.clock.runFor(ms);
const press = (name: string) => page.getByRole("button", { name }).click();
const hash = () => page.evaluate("location.hash");
/** Reads the age that is shown beside figures that are not of now. */
const ageOf = (place: string) => () => page.locator(`${place} .stale`).first().textContent();
const statuses = () => opened.column("Orders", "Status");
const lastOf = (name: string) => asked.findLast((query) => query.name === name)?.variables;

describe("signing in", () => {
  it("comes before anything else is asked", async () => {
    await pass(60_000);
    expect(asked).toEqual([]);
    expect(await problem()).toBe("");
  });

  it.each(["wrong", "not a token \u20ac"])("refuses in clear words: %s", async (token) => {
    await opened.enter(token);
    await eventuallyEquals(problem, expect.stringMatching(/^Wrong token/));
  });

  it("does not blame the token where the service is away", async () => {
    service.isDown = true;
    await opened.enter(TOKEN);
    await eventuallyEquals(problem, "The service does not answer.");
  });

  it("opens the view that the URL names, with the name of the installation", async () => {
    await opened.enter(` ${TOKEN} `);
    await eventuallyEquals(() => page.locator("h1").textContent(), "Orders");
    await opened.isRead();
    await eventuallyEquals(() => lastOf("Orders"), { operator: true, first: 25, status: "New" });
    expect(await page.locator(".environment").textContent()).toBe("staging");
    expect(await page.locator(".top").getAttribute("data-colour")).toBe("amber");
    expect(await page.title()).toBe("staging · Trading operations");
  });
});

describe("a list", () => {
  it("says how many rows there are beyond those that show", async () => {
    await eventuallyEquals(() => page.locator(".range").textContent(), `1–25 of ${ORDERS} orders`);
    await press("Next");
    await eventuallyEquals(() => page.locator(".range").textContent(), `26–50 of ${ORDERS} orders`);
    await eventuallyEquals(() => lastOf("Orders"), {
      operator: true,
      first: 25,
      status: "New",
      after: "cursor-25",
    });
    await press("Next");
    await eventuallyEquals(() => page.locator(".range").textContent(), `51–60 of ${ORDERS} orders`);
    await eventuallyEquals(() => page.getByRole("button", { name: "Next" }).isDisabled(), true);
    await press("Previous");
    await eventuallyEquals(() => page.locator(".range").textContent(), `26–50 of ${ORDERS} orders`);
  });

  it("keeps its filters in the URL, and begins anew with each", async () => {
    await page.locator("select[name=status]").selectOption("Partial filled");
    await eventuallyEquals(hash, "#/orders?status=Partial+filled");
    await eventuallyEquals(() => page.locator(".empty").textContent(), "No order matches.");
    await press("Clear filters");
    await opened.isRead();
    expect(await hash()).toBe("#/orders");
    await eventuallyEquals(() => lastOf("Orders"), { operator: true, first: 25 });
    await eventuallyEquals(async () => (await statuses()).length, 25);
  });

  it("asks with a text once it is finished", async () => {
    asked.length = 0;
    await page.locator("input[name=symbol]").pressSequentially(" aapl ");
    await pass(1_000);
    // Problems are polled.
    expect(asked.filter(({ name }) => name !== "Problems")).toEqual([]);
    await page.keyboard.press("Enter");
    await eventuallyEquals(hash, "#/orders?symbol=aapl");
    await press("Clear filters");
    await eventuallyEquals(() => page.locator("input[name=symbol]").inputValue(), "");
    await opened.isRead();
  });

  it("keeps a text that is not finished while the list is read anew", async () => {
    const symbol = page.locator("input[name=symbol]");
    await symbol.pressSequentially("aap");
    asked.length = 0;
    await pass(31_000);
    await eventuallyEquals(() => asked.filter(({ name }) => name === "Orders").length > 0, true);
    await opened.isRead();
    expect(await symbol.inputValue()).toBe("aap");
    await symbol.pressSequentially("l");
    await page.keyboard.press("Enter");
    await eventuallyEquals(hash, "#/orders?symbol=aapl");
    await press("Clear filters");
    await eventuallyEquals(() => symbol.inputValue(), "");
    await opened.isRead();
  });

  it("shows few digits of an amount, all of them as its title and when it is copied", async () => {
    expect((await opened.column("Orders", "Size"))[0]).toBe("2");
    const size = page.locator('td[data-title="Size"] data').first();
    expect(await size.getAttribute("title")).toBe("2.000000000000000001");
    await size.selectText();
    await page.keyboard.press("Control+C");
    const search = page.getByRole("combobox", { name: "Search" });
    await search.focus();
    await page.keyboard.press("Control+V");
    expect(await search.inputValue()).toBe("2.000000000000000001");
    await search.fill("");
    await pass(2_000);
  });

  it("shows texts as they are answered, and times exactly as titles", async () => {
    expect((await opened.column("Orders", "Symbol"))[0]).toBe(MARKUP);
    expect(await page.locator("time").first().getAttribute("title")).toBe("2026-01-05 10:01:00 UTC");
  });

  it("offers the chains, products and keys that there are", async () => {
    const words = (name: string) => page.locator(`select[name="${name}"] option`).allTextContents();
    expect(await words("chainId")).toEqual(["all", "31337", "31338"]);
    expect(await words("productType")).toEqual(["all", MARKUP, "Spot"]);
    expect(await words("keyId")).toEqual(["all", MARKUP]);
  });

  it("is sorted by the service, where it can be, and says how", async () => {
    const head = page.getByRole("columnheader", { name: "Time" });
    const newest = (await opened.column("Orders", "Order"))[0];
    await head.getByRole("button").click();
    await head.getByRole("button").click();
    await eventuallyEquals(() => lastOf("Orders"), {
      operator: true,
      first: 25,
      orderBy: "createdAt",
      direction: "asc",
    });
    await eventuallyEquals(() => head.getAttribute("aria-sort"), "ascending");
    await eventuallyEquals(async () => (await opened.column("Orders", "Order"))[0] === newest, false);
    expect(await hash()).toBe("#/orders?sort=createdAt.asc");
    expect(await page.getByRole("columnheader", { name: "Status" }).getByRole("button").count()).toBe(0);
    await head.getByRole("button").click();
    await eventuallyEquals(async () => (await opened.column("Orders", "Order"))[0], newest);
  });

  it("hides columns, and remembers which", async () => {
    await page.locator(".menu summary").click();
    await page.locator(".menu").getByLabel("Symbol", { exact: true }).uncheck();
    await page.keyboard.press("Escape");
    expect(await opened.column("Orders", "Symbol")).toEqual([]);
    await opened.go("#/keys");
    await opened.go("#/orders");
    expect(await opened.column("Orders", "Symbol")).toEqual([]);
    await page.evaluate("localStorage.clear()");
  });

  it("keeps its header and first column in view", async () => {
    const boxOf = async (selector: string) => {
      const box = await page.locator(selector).first().boundingBox();
      return { x: Math.round(box?.x ?? -1), y: Math.round(box?.y ?? -1) };
    };
    const before = { head: await boxOf("thead th"), cell: await boxOf("tbody tr:first-child td") };
    await page.locator(".scroll").evaluate((frame) => (frame as unknown as Scrolls).scrollTo(200, 200));
    const after = { head: await boxOf("thead th"), cell: await boxOf("tbody tr:first-child td") };
    expect(after.head).toEqual(before.head);
    expect(after.cell.x).toBe(before.cell.x);
    expect(after.cell.y).toBeLessThan(before.cell.y);
    await page.locator(".scroll").evaluate((frame) => (frame as unknown as Scrolls).scrollTo(0, 0));
  });

  it("has all its columns in a window of 1400", async () => {
    const width = page.viewportSize();
    await page.setViewportSize({ width: 1400, height: 900 });
    const beyond = await page
      .locator(".scroll")
      .evaluate(
        (frame) => (frame as unknown as Scrolls).scrollWidth - (frame as unknown as Scrolls).clientWidth,
      );
    expect(beyond).toBe(0);
    if (width) await page.setViewportSize(width);
  });

  it("is exported whole, with its filters and every digit", async () => {
    const download = page.waitForEvent("download");
    await press("Export CSV");
    const file = await download;
    expect(file.suggestedFilename()).toBe("orders.csv");
    const [head = "", ...rows] = readFileSync(await file.path(), "utf8")
      .trimEnd()
      .split("\r\n");
    const names = head.split(",");
    expect(names).toEqual(expect.arrayContaining(["order.orderId", "order.quantity", "key.name"]));
    expect(rows).toHaveLength(ORDERS);
    expect(rows[1]?.split(",")[names.indexOf("order.quantity")]).toBe("2.000000000000000001");
    expect(lastOf("Orders")).toEqual({ operator: true, first: 100 });
    await eventuallyEquals(() => page.getByRole("button", { name: "Export CSV" }).count(), 1);
  });

  it("copies what it shortens", async () => {
    await page.locator('td[data-title="Order"] .copy').first().click();
    const search = page.getByRole("combobox", { name: "Search" });
    await search.focus();
    await page.keyboard.press("Control+V");
    expect(await search.inputValue()).toBe(ORDER_ID);
    await search.fill("");
    await pass(2_000);
  });

  it("says why it alone cannot be read, and is read again at a click", async () => {
    await page.route("**/graphql", (route) =>
      nameOf(route.request().postDataJSON().query) === "Orders"
        ? route.fulfill({ json: { errors: [{ message: "Too much", extensions: { retryable: true } }] } })
        : route.fallback(),
    );
    await pass(30_000);
    await eventuallyEquals(() => page.locator(".list .problem").textContent(), "Too much Try again");
    await eventuallyEquals(ageOf(".list"), expect.stringMatching(/^read [\d.]+ s ago$/));
    // Found before: on a slow machine the page may have come back by itself before a click arrives.
    const again = await page.getByRole("button", { name: "Try again" }).elementHandle();
    await page.unroute("**/graphql");
    await again?.evaluate((button) => (button as unknown as { click(): void }).click());
    await pass(2_000);
    await eventuallyEquals(() => page.locator(".list .problem, .list .stale").count(), 0);
  });

  it("shows no error of a filter that is set no more", async () => {
    await page.route("**/graphql", (route) =>
      route.request().postDataJSON().variables.symbol === "none"
        ? route.fulfill({ json: { errors: [{ message: "No such symbol" }] } })
        : route.fallback(),
    );
    const shown = () => page.locator(".list .problem").count();
    await page.evaluate('location.hash = "#/orders?symbol=none"');
    await eventuallyEquals(shown, 1);
    service.fallSilent();
    await page.evaluate('location.hash = "#/orders?symbol=AAPL"');
    await eventuallyEquals(() => lastOf("Orders")?.symbol, "AAPL");
    await eventuallyEquals(shown, 0);
    service.speak();
    await page.unroute("**/graphql");
    await opened.go("#/orders");
  });

  it("has its age where the service is away, which the strip alone says, and comes back with it", async () => {
    service.isDown = true;
    await pass(30_000);
    await eventuallyEquals(() => page.locator(".strip").textContent(), "The service does not answer.");
    await eventuallyEquals(ageOf(".list"), expect.stringMatching(/^read \d+ s ago$/));
    expect(await page.locator(".list .problem").count()).toBe(0);
    expect((await statuses()).length).toBe(25);
    service.isDown = false;
    await pass(4_000);
    await eventuallyEquals(() => page.locator(".strip li").count(), 1);
    await pass(2_000);
    await eventuallyEquals(() => page.locator(".list .stale").count(), 0);
  });

  it("says of what time the rows of an earlier visit are, while it is read", async () => {
    await opened.go("#/keys");
    await pass(60_000);
    service.fallSilent();
    await page.evaluate('location.hash = "#/orders"');
    await eventuallyEquals(ageOf(".list"), expect.stringMatching(/^Loading… read [67]\d s ago$/));
    expect((await statuses()).length).toBe(25);
    service.speak();
    await opened.isRead();
    await eventuallyEquals(() => page.locator(".list .stale").count(), 0);
  });
});

describe("every view", () => {
  it.each(["overview", "operations", "sends", "balances", "keys", "events", "audit"])(
    "is read: %s",
    async (view) => {
      await opened.go(`#/${view}`);
      await eventuallyEquals(() => page.locator("tbody tr").count(), expect.any(Number));
      expect(await page.locator("tbody tr").count()).toBeGreaterThan(0);
      expect(await page.locator('nav [aria-current="page"]').getAttribute("href")).toBe(`#/${view}`);
      expect(await page.locator(".problem").count()).toBe(0);
    },
  );

  it("says what is wrong now, in words, with a link to where", async () => {
    const links = () => page.locator(".strip a").allTextContents();
    for (const view of ["orders", "keys"]) {
      await opened.go(`#/${view}`);
      await eventuallyEquals(links, ["Chain 31338 is not indexed", "and 3 more"]);
    }
    await opened.go("#/overview");
    await eventuallyEquals(links, [
      "Chain 31338 is not indexed",
      `Sending on chain 31338 is halted by an operator: ${MARKUP}`,
      `Wallet 0xcdcd…cdcd on chain 31337 is halted: ${MARKUP}`,
      "2 webhooks fail",
    ]);
    expect(await page.locator(".strip a").nth(2).getAttribute("href")).toBe(
      `#/wallet/${WALLET}?chainId=31337`,
    );
    expect(await page.locator(".strip").getAttribute("data-tone")).toBe("bad");
    expect(await page.locator(".strip li .age").allTextContents()).toEqual([
      expect.stringMatching(/^ for [\d.]+ (s|min)$/),
      " for 2 h",
    ]);
  });

  it("says how old the block is that its data is of", async () => {
    await eventuallyEquals(
      () => page.locator(".live .age").textContent(),
      expect.stringMatching(/^ · block \d+ s old$/),
    );
  });

  it("says at once that it does not know, and nothing of before", async () => {
    await opened.go("#/overview");
    const strip = () => page.locator(".strip").textContent();
    service.fallSilent();
    await pass(9_000);
    await eventuallyEquals(
      strip,
      expect.stringMatching(/^The service has not answered since \d\d:\d\d:\d\d UTC$/),
    );
    service.failure = "The database does not answer";
    service.speak();
    await eventuallyEquals(strip, "The database does not answer");
    const badge = () => page.locator(".live .badge").textContent();
    // The stream may still be reconnecting after the outage of an earlier test.
    await eventuallyEquals(badge, "Not current");
    // The strip alone has the cause; each panel has the age of what it shows.
    const main = await page.locator("main").textContent();
    expect(main?.match(/does not answer/g)).toHaveLength(1);
    for (const place of [".title", ".plot", ".breakdowns .panel", "main > .panel"]) {
      await eventuallyEquals(ageOf(place), expect.stringMatching(/^read \d+ (s|min) ago$/));
    }
    expect(await page.locator(".strip").getAttribute("data-tone")).toBe("bad");
    service.failure = null;
    await pass(6_000);
    await eventuallyEquals(() => page.locator(".strip li").count(), 4);
    await eventuallyEquals(badge, "Live");
    // Its block is new, but not all is well.
    expect(await page.locator(".live .badge").getAttribute("data-tone")).toBe("bad");
  });

  it.each([
    [`#/order/${ORDER_ID}`, "orders"],
    ["#/send/request-1", "sends"],
    [`#/user/${USER}`, "balances"],
    ["#/key/id-of-acme", "keys"],
    ["#/request/uuid-2", "requests"],
    ["#/webhook/webhook-1", "webhooks"],
    ["#/deliveries?webhookId=webhook-1", "webhooks"],
    ["#/chain/31337", "overview"],
  ])("marks the entry that a page is below: %s", async (view, entry) => {
    await opened.go(view);
    const marked = page.locator("nav [aria-current]");
    expect(await marked.evaluateAll((links) => links.map((link) => link.getAttribute("href")))).toEqual([
      `#/${entry}`,
    ]);
    expect(await marked.getAttribute("aria-current")).toBe("true");
  });

  it("of deliveries asks for a webhook before it asks the service", async () => {
    await opened.go("#/deliveries");
    const hint = page.locator("main .empty");
    expect(await hint.textContent()).toBe("Deliveries are of one webhook. Choose a webhook.");
    expect(await hint.getByRole("link").getAttribute("href")).toBe("#/webhooks");
    await pass(2_000);
    expect({ asked: lastOf("Deliveries"), problems: await page.locator(".problem").count() }).toEqual({
      asked: undefined,
      problems: 0,
    });
  });

  it("that is not there says so", async () => {
    await opened.go("#/nowhere");
    expect(await page.locator("main").textContent()).toContain("no view “nowhere”");
  });
});

describe("the overview", () => {
  /** Returns the number of drawn pixels of a plot. */
  const drawn = (title: string) =>
    page
      .locator(".plot", { hasText: title })
      .locator("canvas")
      .evaluate((canvas) => {
        if (!(canvas instanceof HTMLCanvasElement)) return 0;
        const { data } = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? {
          data: [],
        };
        return data.filter((value, index) => index % 4 === 3 && value > 0).length;
      });

  it.each([
    "Orders by status",
    "Volume of orders",
    "Requests to send",
    "Lag of the index",
    "Depth of the queues",
  ])("draws %s", async (title) => {
    await opened.go("#/overview?range=1h");
    await eventuallyEquals(() => page.locator(".plot", { hasText: title }).locator("canvas").count(), 1);
    expect(await drawn(title)).toBeGreaterThan(1_000);
  });

  it("counts in whole numbers", async () => {
    await opened.go("#/keys");
    await page.evaluate(() => {
      const { prototype } = CanvasRenderingContext2D;
      const { fillText } = prototype;
      prototype.fillText = function (this: CanvasRenderingContext2D, text: string, ...at) {
        const plot = this.canvas.closest(".plot");
        if (plot) plot.setAttribute("data-drawn", `${plot.getAttribute("data-drawn") ?? ""} ${text}`);
        fillText.call(this, text, ...at);
      };
    });
    await opened.go("#/overview?range=1h");
    const texts = () =>
      page.locator(".plot", { hasText: "Depth of the queues" }).first().getAttribute("data-drawn");
    await eventuallyEquals(texts, expect.stringMatching(/ 0 1 2( |$)/));
    expect(await texts()).not.toContain(".");
  });

  it("begins with figures of the whole time, and their change", async () => {
    await opened.go("#/overview?range=1h");
    const tile = (title: string) =>
      page.locator(".tile", { has: page.locator("dt", { hasText: new RegExp(`^${title}$`) }) });
    await eventuallyEquals(() => tile("Orders").locator("b").textContent(), "1,770");
    await eventuallyEquals(() => tile("Orders").locator(".before").textContent(), "±0%, before: 1,770");
    expect(await tile("Filled").textContent()).toMatch(/^Filled100 %/);
    expect(await tile("Volume").locator("b").getAttribute("title")).toBe("1770.00000000000000006");
    const status = page.locator(".plot", { hasText: "Orders by status" });
    expect(await status.locator(".legend b").textContent()).toBe("1,770");
  });

  it("breaks orders down by partner, stock and chain, and says where there was no request", async () => {
    await opened.go("#/overview?range=1h");
    const panel = (title: string) =>
      page.locator(".panel", { has: page.getByRole("heading", { name: title, exact: true }) });
    const cellsOf = (title: string) =>
      panel(title).locator("tbody tr").first().locator("td").allTextContents();
    await eventuallyEquals(async () => (await cellsOf("Orders by chain")).slice(1, 3), ["1,770", "100 %"]);
    expect((await cellsOf("Orders by partner")).slice(1, 3)).toEqual(["1,770", "100 %"]);
    const [cause, , count] = await cellsOf("Refusals");
    expect({ cause, count }).toEqual({ cause: MARKUP, count: "3" });
    expect((await cellsOf("Orders by stock")).slice(0, 4)).toEqual([MARKUP, "1,770", "100 %", "–"]);
    expect(await panel("Endpoints").locator(".empty").textContent()).toBe("No requests in this time.");
  });

  it("says where the last sample is old, and shows its value as none of now", async () => {
    const shown = (title: string) => page.locator(".plot", { hasText: title }).first();
    const depth = shown("Depth of the queues");
    await eventuallyEquals(
      () => depth.locator(".old").textContent(),
      expect.stringMatching(/^Last sample \d+ (min|h) ago$/),
    );
    expect(await depth.locator(".legend b").allTextContents()).toEqual(["–", "–"]);
    const lag = shown("Lag of the index");
    expect(await lag.locator(".old").count()).toBe(0);
    expect(await lag.locator(".legend b").allTextContents()).toEqual(["3", "3"]);
  });

  it("says where there is nothing to draw", async () => {
    const plot = page.locator(".plot", { hasText: "Latency" });
    await eventuallyEquals(() => plot.locator(".blank").textContent(), "No requests in this time.");
    expect(await plot.locator("canvas").count()).toBe(0);
  });

  it("has the exact values as a table, and moves along a plot by keys", async () => {
    const plot = page.locator(".plot", { hasText: "Volume of orders" });
    await plot.getByText("Table").click();
    expect(await plot.locator("tbody tr").first().textContent()).toBe(
      "2026-01-05 10:0059.000000000000000001",
    );
    await plot.locator(".canvas").focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await eventuallyEquals(() => plot.locator(".legend b").textContent(), "58.000000000000000001");
  });

  it("asks for the time that is chosen", async () => {
    await page.getByRole("link", { name: "7 d" }).click();
    const spans = () => asked.filter(({ name }) => name === "OrderSeries").map(({ variables }) => variables);
    const week = 7 * 86_400;
    // A poll may have asked for the time chosen before.
    await eventuallyEquals(() => spans().some(({ from, to }) => Number(to) - Number(from) === week), true);
    const now = Number(await page.evaluate("Date.now() / 1000"));
    const from = Number(spans().findLast(({ to }) => to === undefined)?.from);
    expect(Math.abs(now - week - from)).toBeLessThan(5);
    // And for the one before it, with which it is compared.
    const before = spans().findLast(({ to }) => to !== undefined);
    expect(Math.abs(now - week - Number(before?.to))).toBeLessThan(5);
    expect(Number(before?.to) - Number(before?.from)).toBe(week);
    expect(await hash()).toBe("#/overview?range=7d");
  });
});

describe("a timeline", () => {
  it("shows steps, what is next and why it stands still, and links only to the web", async () => {
    await opened.go(`#/order/${ORDER_ID}?chainId=31337`);
    await eventuallyEquals(() => page.locator(".steps li").count(), 3);
    await eventuallyEquals(() => lastOf("TimelineOf"), {
      operator: true,
      kind: "order",
      id: ORDER_ID,
      chainId: 31337,
    });
    const states = await page
      .locator(".steps li")
      .evaluateAll((steps) => steps.map((step) => step.getAttribute("data-state")));
    expect(states).toEqual(["done", "done", "expected"]);
    expect(await page.locator(".callout").allTextContents()).toEqual([
      `It stands still. Its wallet is halted ${MARKUP}`,
      "Next: The broker fills it.",
    ]);
    const away = page.locator(".steps a");
    expect(await away.evaluateAll((links) => links.map((link) => link.getAttribute("href")))).toEqual([
      "https://explorer.example/tx/1",
    ]);
    expect(await page.locator(".steps .gap").allTextContents()).toEqual([" +60 s"]);
  });

  it("says where there is no such object", async () => {
    await opened.go("#/send/nowhere");
    await eventuallyEquals(
      () => page.locator(".empty").textContent(),
      expect.stringMatching(/^There is no request/),
    );
  });

  it.each([`#/user/${"0x"}${"ab".repeat(20)}`, "#/key/id-of-acme"])(
    "is beside pages of users and keys: %s",
    async (view) => {
      await opened.go(view);
      await eventuallyEquals(async () => (await opened.column("Orders", "Status")).length, 25);
      expect(lastOf("Orders")).toMatchObject(
        view.startsWith("#/user") ? { userAddress: expect.any(String) } : { keyId: "id-of-acme" },
      );
    },
  );
});

it("shows a user's delegations, their keys, and beside a key all keys of its name", async () => {
  await opened.go(`#/user/${USER}`);
  await eventuallyEquals(() => opened.column("Delegations", "State"), ["blocked"]);
  await eventuallyEquals(() => opened.column("Keys", "Name"), [MARKUP]);
  expect(lastOf("Delegations")).toEqual({ userAddress: USER });
  // A refresh asks for all keys, too, whose names lists show.
  const keysAsked = () => asked.flatMap(({ name, variables }) => (name === "Keys" ? [variables] : []));
  expect(keysAsked()).toContainEqual(expect.objectContaining({ userAddress: USER }));
  await opened.go("#/key/id-of-acme");
  await eventuallyEquals(
    () => page.locator("h2").allTextContents(),
    expect.arrayContaining(["Keys of this name"]),
  );
  await eventuallyEquals(keysAsked, expect.arrayContaining([expect.objectContaining({ name: MARKUP })]));
});

describe("commands", () => {
  it("are filled in, to be copied: the page itself changes nothing", async () => {
    await opened.go("#/key/id-of-acme");
    const commands = () => page.locator(".commands code").allTextContents();
    await eventuallyEquals(commands, [
      "partner-trading-admin policies show pk",
      "partner-trading-admin audit list --subject pk",
    ]);
    await opened.go("#/overview");
    await eventuallyEquals(commands, [
      "partner-trading-admin sending halt --chain 31337 --reason <why>",
      `partner-trading-admin wallets resume 31337 ${WALLET}`,
      "partner-trading-admin sending resume --chain 31338",
    ]);
  });
});

describe("the search", () => {
  const field = () => page.getByRole("combobox", { name: "Search" });
  const hits = () => page.getByRole("option").allTextContents();

  it("opens by a key, and goes straight to an only hit", async () => {
    await opened.go("#/keys");
    await page.keyboard.press("/");
    await page.keyboard.type(ORDER_ID);
    await page.keyboard.press("Enter");
    await eventuallyEquals(hash, `#/order/${ORDER_ID}?chainId=31337`);
    await eventuallyEquals(() => lastOf("Search"), { text: ORDER_ID });
    expect(await field().inputValue()).toBe("");
  });

  it("lets the keyboard choose among several", async () => {
    await field().fill("several");
    await eventuallyEquals(async () => (await hits()).length, 3);
    await page.keyboard.press("Enter");
    expect(await hash()).toBe(`#/order/${ORDER_ID}?chainId=31337`);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await eventuallyEquals(hash, `#/user/0x${"ab".repeat(20)}`);
  });

  it("says where nothing is found, and Escape closes it", async () => {
    await field().fill("nothing");
    await eventuallyEquals(
      () => page.locator(".hits").textContent(),
      expect.stringMatching(/^Nothing has this id.*deliveries, events and requests/),
    );
    await page.keyboard.press("Escape");
    await eventuallyEquals(() => page.locator(".hits").count(), 0);
    await field().fill("");
  });
});

describe("the page of an object", () => {
  const facts = async () => {
    const names = await page.locator("dl.facts dt").allTextContents();
    const values = await page.locator("dl.facts dd").allTextContents();
    return Object.fromEntries(names.map((name, index) => [name, values[index]]));
  };
  const commands = () => page.locator(".commands code").allTextContents();

  it.each([
    [
      "a key",
      "#/key/id-of-acme",
      MARKUP,
      {
        Reads: "7 of 100 in 10 s",
        Writes: "no limit",
        "In flight": "20 at most",
        "Left today": "999.99 mUSD",
      },
      ["partner-trading-admin policies show pk", "partner-trading-admin audit list --subject pk"],
    ],
    [
      "a refused request",
      "#/request/uuid-1",
      "GET /orders/:orderId",
      { Error: "ORDER_NOT_FOUND", Field: "orderId", "HTTP status": "400", Took: "3 ms" },
      ["grep uuid-1 api.log"],
    ],
    [
      "a request that wrote",
      "#/request/uuid-2",
      "POST /orders/send",
      { Error: "–", "HTTP status": "200", "Request to send": "request-1" },
      ["grep uuid-2 api.log", "partner-trading-admin queue show request-1"],
    ],
    [
      "a webhook",
      "#/webhook/webhook-1",
      `Webhook of ${MARKUP}`,
      { Events: "order.*", Reason: "–" },
      ["partner-trading-admin webhooks list", "partner-trading-admin webhooks pause webhook-1"],
    ],
    [
      "a delivery",
      "#/delivery/delivery-1",
      "Delivery of order.filled",
      { Attempts: "3", "Last answer": MARKUP },
      [],
    ],
    [
      "a sending wallet",
      `#/wallet/${WALLET}?chainId=31337`,
      "Sending wallet",
      { "Next nonce": "9", "Nonce on chain": "7", Lasts: "36 h", Queue: "accepted 2, broadcast 1" },
      [`partner-trading-admin wallets resume 31337 ${WALLET}`],
    ],
    [
      "a chain",
      "#/chain/31337",
      "Chain 31337",
      { "Indexed block": "7", "Final after": "6 blocks" },
      [
        "partner-trading-admin sending halt --chain 31337 --reason <why>",
        `partner-trading-admin wallets resume 31337 ${WALLET}`,
      ],
    ],
  ])("shows %s with its facts and the operator's commands", async (_what, view, title, shown, offered) => {
    await opened.go(view);
    expect(await page.locator("h1").textContent()).toBe(title);
    expect(await facts()).toMatchObject(shown);
    expect(await commands()).toEqual(offered);
    const { texts, poor } = await page.evaluate(findPoorTexts);
    expect({ view, poor }).toEqual({ view, poor: [] });
    expect(texts).toBeGreaterThan(20);
  });

  it("counts what a key was refused by endpoint, with links to these requests", async () => {
    await opened.go("#/key/id-of-acme");
    await eventuallyEquals(() => opened.column("Refused and written within a day", "Refused"), ["4"]);
    const link = page.getByRole("link", { name: "GET /orders/:orderId" }).first();
    expect(await link.getAttribute("href")).toBe("#/requests?keyId=id-of-acme&route=%2Forders%2F%3AorderId");
    await eventuallyEquals(() => lastOf("Requests"), { first: 25, keyId: "id-of-acme" });
  });

  it("lists the open streams of a key, with what each sends", async () => {
    await opened.go("#/key/id-of-acme");
    await eventuallyEquals(
      () => opened.column("Open streams", "Types or symbols"),
      ["all", `AAPL, ${MARKUP}`],
    );
    expect(await opened.column("Open streams", "State")).toEqual(["behind", "up to date"]);
    expect(await opened.column("Open streams", "Last sent")).toEqual(["–", expect.stringMatching(/ago|now/)]);
  });

  it("lists a webhook's deliveries, each with its next attempt, and a wallet's requests", async () => {
    await opened.go("#/webhook/webhook-1");
    await eventuallyEquals(() => opened.column("Deliveries", "State"), ["pending"]);
    expect(await opened.column("Deliveries", "Next attempt")).toEqual([
      expect.stringMatching(/^in \d+ (s|min)$/),
    ]);
    expect(lastOf("Deliveries")).toEqual({ first: 25, webhookId: "webhook-1" });
    await opened.go(`#/wallet/${WALLET}?chainId=31337`);
    await eventuallyEquals(() => opened.column("Sends", "State"), ["failed"]);
    expect(lastOf("Sends")).toMatchObject({ wallet: WALLET, chainId: 31337 });
  });

  it.each([
    "#/request/nowhere",
    "#/webhook/nowhere",
    "#/delivery/nowhere",
    "#/wallet/nowhere",
    "#/chain/nowhere",
  ])("says that there is none: %s", async (view) => {
    await opened.go(view);
    await eventuallyEquals(
      () => page.locator("main .empty").textContent(),
      expect.stringMatching(/^There is no .* with the id nowhere\./),
    );
  });
});

it("has room for the whole hint of the search in a window of 768", async () => {
  const tablet = await openPage(browser, server.baseUrl, { viewport: { width: 768, height: 800 } });
  await tablet.signIn(TOKEN);
  const { room, text } = await tablet.page.getByRole("combobox", { name: "Search" }).evaluate((field) => {
    if (!(field instanceof HTMLInputElement)) return { room: 0, text: 1 };
    const { font, paddingLeft, paddingRight } = getComputedStyle(field);
    const pen = document.createElement("canvas").getContext("2d");
    if (pen) pen.font = font;
    return {
      room: field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight),
      text: pen?.measureText(field.placeholder).width ?? 0,
    };
  });
  expect(text).toBeGreaterThan(100);
  expect(text).toBeLessThanOrEqual(room);
  await tablet.page.context().close();
});

describe("axe", () => {
  /** Rules beyond colours hold in both themes alike. */
  const THEMES: readonly ["light" | "dark", axe.RunOptions][] = [
    ["light", {}],
    ["dark", LONG ? {} : { runOnly: ["color-contrast", "link-in-text-block"] }],
  ];
  it.each(THEMES)("finds no fault in a page of an object: %s", async (colorScheme, rules) => {
    // The policy would keep axe from styling what it measures.
    const tested = await openPage(browser, server.baseUrl, { bypassCSP: true, colorScheme });
    await tested.signIn(TOKEN);
    await tested.page.evaluate(axe.source);
    const options = JSON.stringify({ ...rules, resultTypes: ["violations"] });
    for (const view of [...OBJECTS, "#/request/nowhere", "#/requests", "#/webhooks"]) {
      await tested.go(view);
      const { violations } = (await tested.page.evaluate(`axe.run(${options})`)) as axe.AxeResults;
      const faults = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
      expect({ view, faults }).toEqual({ view, faults: [] });
    }
    await tested.page.context().close();
  });
});

describe("the stream", () => {
  const mode = () => page.locator(".badge").getAttribute("data-mode");
  const flashes = () => page.locator("tr.flash").count();

  it("refreshes what an event concerns at once, and shows which row changed", async () => {
    await opened.go("#/orders");
    await pass(2_000);
    await eventuallyEquals(mode, "live");
    service.world.newest = "Filled";
    tell("order.filled");
    await eventuallyEquals(async () => {
      await pass(200);
      return (await statuses())[0];
    }, "Filled");
    await eventuallyEquals(flashes, 1);
    await pass(2_500);
    await eventuallyEquals(flashes, 0);
  });

  it("leaves alone what an event does not concern", async () => {
    // Behind a poll, so that the next one is far: the page's clock also runs by itself.
    await eventuallyEquals(async () => {
      await pass(500);
      return asked.some(({ name }) => name === "Orders");
    }, true);
    await opened.isRead();
    asked.length = 0;
    tell("webhook.disabled");
    tell("delegation.enabled");
    await pass(1_000);
    // Problems are polled.
    expect(asked.filter(({ name }) => name !== "Problems")).toEqual([]);
  });

  it("connects again after it ended, from where it was, and polls meanwhile", async () => {
    const before = service.opened;
    service.isDown = true;
    hangUp();
    await eventuallyEquals(mode, "reconnecting");
    service.isDown = false;
    const request = page.waitForRequest(/events\/stream/);
    await pass(3_000);
    expect((await request).headers()["last-event-id"]).toBe("7");
    await eventuallyEquals(mode, "live");
    expect(service.opened).toBe(before + 1);
  });

  it("rests where the reader says so, and says how old the data is", async () => {
    await press("Pause");
    asked.length = 0;
    // The age is updated once a second.
    await pass(62_000);
    expect(asked).toEqual([]);
    // At least the passed time: the page's clock also runs by itself.
    expect(await page.locator(".live").textContent()).toMatch(/^Stopped · block ([6-9]\d|\d{3}) s old/);
    expect(await page.locator(".strip").textContent()).toMatch(/^This page is paused/);
    await press("Resume");
    await pass(100);
    await eventuallyEquals(mode, "live");
    await eventuallyEquals(() => asked.some(({ name }) => name === "Orders"), true);
  });
});

describe("the keyboard", () => {
  it("goes to views, moves in tables, and opens a row", async () => {
    await page.locator("main").focus();
    await page.keyboard.press("g");
    await page.keyboard.press("k");
    await eventuallyEquals(hash, "#/keys");
    await eventuallyEquals(() => page.locator('tr[data-row="id-of-acme"]').count(), 1);
    await page.keyboard.press("j");
    expect(await page.locator(":focus").getAttribute("data-row")).toBe("id-of-acme");
    await page.keyboard.press("Enter");
    await eventuallyEquals(hash, "#/key/id-of-acme");
  });

  it("shows its keys, and Escape closes them", async () => {
    await page.keyboard.press("?");
    await eventuallyEquals(() => page.getByRole("dialog").isVisible(), true);
    await page.keyboard.press("Escape");
    await eventuallyEquals(() => page.getByRole("dialog").isVisible(), false);
  });
});

describe("a phone", () => {
  const UNNAMED = /^–|^(?!Block's time|Last sent)[^\n]*\n(in )?–$/;

  it.each(["light", "dark"] as const)(
    "has all of it in its width, every text readable: %s",
    async (colorScheme) => {
      const phone = await openPage(browser, server.baseUrl, {
        viewport: { width: 400, height: 800 },
        colorScheme,
      });
      await phone.signIn(TOKEN);
      for (const view of [
        "#/overview",
        "#/orders",
        "#/sends",
        "#/operations",
        `#/order/${ORDER_ID}`,
        ...OBJECTS,
      ]) {
        await phone.go(view);
        await eventuallyEquals(
          () =>
            phone.page
              .locator("main .copy")
              .count()
              .then((count) => count > 0),
          true,
        );
        expect({
          view,
          scrollWidth: await phone.page.evaluate("document.documentElement.scrollWidth"),
        }).toEqual({ view, scrollWidth: 400 });
        // Filters are folded, so that the list begins in the first half of the screen.
        const fold = phone.page.getByRole("button", { name: "Filters" });
        if ((await fold.count()) > 0) {
          const status = phone.page.locator(".filters select").first();
          expect({ view, isVisible: await status.isVisible() }).toEqual({ view, isVisible: false });
          const { y } = (await phone.page.locator(".cards li").first().boundingBox()) ?? { y: 800 };
          expect({ view, y, isInFirstHalf: y < 400 }).toEqual({ view, y, isInFirstHalf: true });
          await fold.click();
          expect({ view, isVisible: await status.isVisible() }).toEqual({ view, isVisible: true });
        }
        // A card has no headings: a dash without a name would say nothing.
        const lines = await phone.page.locator(".cards .line").allInnerTexts();
        expect({ view, unnamed: lines.filter((line) => UNNAMED.test(line)) }).toEqual({ view, unnamed: [] });
        const { texts, poor } = await phone.page.evaluate(findPoorTexts);
        expect({ view, poor }).toEqual({ view, poor: [] });
        expect(texts).toBeGreaterThan(20);
      }
      expect(phone.problems).toEqual([]);
      await phone.page.context().close();
    },
  );
});

describe("a card on a phone", () => {
  it("has four lines, so that 25 orders are within 3,000 px, and the keyboard opens it", async () => {
    const phone = await openPage(browser, server.baseUrl, { viewport: { width: 390, height: 800 } });
    await phone.signIn(TOKEN);
    await phone.go("#/orders");
    const cards = phone.page.locator(".cards li");
    expect(await cards.count()).toBe(25);
    expect(await cards.first().locator(".line").count()).toBe(4);
    const { height } = (await phone.page.locator(".cards").boundingBox()) ?? { height: 0 };
    expect(height).toBeGreaterThan(1_000);
    expect(height).toBeLessThan(3_000);
    expect(await cards.nth(1).locator(".line").allTextContents()).toEqual([
      "Buy 2 AAPLNew",
      "Limit 180.50 mUSDnot filled",
      expect.stringMatching(/\d (s|min) ago$/),
      expect.stringMatching(/^0xabab…abab0x0b0b…0b0b$/),
    ]);
    await phone.page.keyboard.press("j");
    await phone.page.keyboard.press("Enter");
    await eventuallyEquals(() => phone.page.evaluate("location.hash"), `#/order/${ORDER_ID}?chainId=31337`);
    await phone.page.context().close();
  });
});

describe("a viewer", () => {
  it("is shown no user address and no audit log, and asks for neither", async () => {
    service.world.role = "viewer";
    const viewer = await openPage(browser, server.baseUrl);
    await viewer.signIn(TOKEN);
    expect(await viewer.page.locator("nav a").allTextContents()).not.toEqual(
      expect.arrayContaining(["Audit log"]),
    );
    await viewer.go("#/orders");
    await eventuallyEquals(async () => (await viewer.column("Orders", "User"))[0], "–");
    expect(viewer.asked.findLast(({ name }) => name === "Orders")?.variables).toMatchObject({
      operator: false,
    });
    for (const view of ["#/audit", "#/balances", "#/user/0x"]) {
      await viewer.go(view);
      await eventuallyEquals(() => viewer.page.locator("h1").textContent(), "For operators alone");
    }
    expect(viewer.asked.filter(({ name }) => ["Audit", "Balances"].includes(name))).toEqual([]);
    expect(viewer.problems).toEqual([]);
    await viewer.page.context().close();
    service.world.role = "operator";
  });
});

describe("the end", () => {
  it("comes with a token that is not accepted any more, and a sign-in leads back", async () => {
    await opened.go("#/orders?status=Filled");
    service.token = "another";
    await pass(40_000);
    await eventuallyEquals(problem, expect.stringMatching(/expired or was revoked/));
    expect(await page.locator("tbody tr").count()).toBe(0);
    asked.length = 0;
    await pass(60_000);
    expect(asked).toEqual([]);
    await opened.enter("another");
    await eventuallyEquals(() => page.locator("h1").textContent(), "Orders");
    await opened.isRead();
    expect(await statuses()).toEqual(["Filled"]);
  });

  it("comes when the reader says so", async () => {
    await press("Sign out");
    expect(await page.getByLabel("Dashboard token").inputValue()).toBe("");
    expect(await page.content()).not.toContain("onerror");
  });
});
