import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { Browser, Locator, Page } from "playwright-core";
import { eventuallyEquals } from "../support/assert/eventually-equals.ts";
import { startBrowser } from "../support/http/browser.ts";
import { type OpenPage, openPage } from "./open.ts";
import { createService, MARKUP, type PageServer, servePage, USER } from "./server.ts";

/** What the page does, in a real browser, over a service of the tests' own. */
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
  opened = await openPage(browser, server.baseUrl);
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
  expect(opened.problems).toEqual([]);
});

const enter = (token: string) => opened.enter(token);
const isRead = () => opened.isRead();
const rows = (panel: string) => opened.rows(panel);
const attributes = (found: Locator, name: string): Promise<(string | null)[]> =>
  found.evaluateAll((elements, wanted) => elements.map((element) => element.getAttribute(wanted)), name);
/** The entry, and the tables. */
const visible = () => Promise.all(["#entry", "#view"].map((id) => page.locator(id).isVisible()));
const CLOSED = [true, false];
const OPEN = [false, true];
const press = (name: string, root: Page | Locator = page) => root.getByRole("button", { name }).click();
const pass = (ms: number) => page.clock.runFor(ms);
const panels = () => asked.map(({ panel }) => panel).sort();
const count = (panel: string) => panels().filter((name) => name === panel).length;

describe("the token", () => {
  it("is asked for before anything else is", async () => {
    for (const panel of await page.locator("details").all()) await panel.dispatchEvent("toggle");
    await pass(60_000);
    expect(asked).toEqual([]);
    expect(await visible()).toEqual(CLOSED);
    expect(await page.locator("#entry-problem").textContent()).toBe("");
  });

  it.each(["wrong", "not a token \u20ac"])("is refused in clear words: %s", async (token) => {
    await enter(token);
    await eventuallyEquals(
      () => page.locator("#entry-problem").textContent(),
      expect.stringMatching(/^Wrong token/),
    );
    expect(await visible()).toEqual(CLOSED);
  });

  it("is not blamed where the service is away", async () => {
    service.isDown = true;
    await enter(TOKEN);
    await eventuallyEquals(
      () => page.locator("#entry-problem").textContent(),
      "The service does not answer.",
    );
    service.isDown = false;
  });

  it("opens the page", async () => {
    await enter(` ${TOKEN} `);
    await isRead();
    expect(await visible()).toEqual(OPEN);
  });
});

describe("the tables", () => {
  it("show what was answered", async () => {
    expect((await rows("chains")).map((row) => row.slice(0, 7))).toEqual([
      ["31337", `Spot, ${MARKUP}`, "ready", "7", "-", "3.1 s", "0"],
      ["31338", "Spot", "missing: indexer of chain 31338", "-", "-", "-", "-"],
    ]);
    expect(await rows("queues")).toEqual([
      ["31337", USER, "halted", MARKUP, "accepted 2, broadcast 1", "2 h", "1.5", "9", "7", "-", "-"],
    ]);
    expect((await rows("orders"))[0]).toEqual(
      expect.arrayContaining(["2023-11-14 22:13:20", "31337", "New", "0xnewer"]),
    );
    expect((await rows("keys"))[0]).toEqual(
      expect.arrayContaining(["revoked", "Spot on 31337", "never", "stopped"]),
    );
  });

  it("have as many cells in a row as headings", async () => {
    for (const id of await attributes(page.locator("details"), "id")) {
      const headings = await page.locator(`#${id} th`).count();
      for (const row of await rows(String(id))) expect([id, row.length]).toEqual([id, headings]);
    }
  });

  it("show markup as the text it is", async () => {
    expect(await page.locator("img").count()).toBe(0);
    expect((await rows("sends"))[0]).toEqual(expect.arrayContaining([MARKUP, `X, ${MARKUP}`]));
  });

  it("offer the chains, products and keys that there are, once", async () => {
    await pass(1_000);
    await press("Refresh now");
    await isRead();
    const choice = page.locator('#orders select[name="chainId"] option');
    expect(await attributes(choice, "value")).toEqual(["", "31337", "31338"]);
    const offered = page.locator("#known-keys option");
    expect(await attributes(offered, "value")).toEqual(["id-of-acme"]);
    expect(await offered.allTextContents()).toEqual([MARKUP]);
  });

  it("go to older rows and back", async () => {
    const shown = async () => (await rows("orders"))[0];
    const orders = page.locator("#orders");
    await press("Older", orders);
    await eventuallyEquals(shown, expect.arrayContaining(["0xolder"]));
    await orders.getByRole("button", { name: "Older" }).click({ force: true });
    expect(asked).toEqual([{ panel: "Orders", variables: { first: 25, after: "cursor-1" } }]);
    await press("Newest", orders);
    await eventuallyEquals(shown, expect.arrayContaining(["0xnewer"]));
    expect(asked.slice(1)).toEqual([{ panel: "Orders", variables: { first: 25 } }]);
  });

  it("ask with what is filled in, and nothing else, once for each change", async () => {
    const orders = page.locator("#orders");
    await orders.getByLabel("Status").selectOption("Partial filled");
    await orders.getByRole("textbox", { name: "User" }).pressSequentially(` ${USER} `);
    await page.keyboard.press("Enter");
    await eventuallyEquals(
      () => asked,
      [
        { panel: "Orders", variables: { first: 25, status: "Partial filled" } },
        { panel: "Orders", variables: { first: 25, status: "Partial filled", userAddress: USER } },
      ],
    );
  });

  it("do not ask with what is still being typed", async () => {
    const user = page.locator("#orders").getByRole("textbox", { name: "User" });
    await user.fill("0xab");
    await pass(5_000);
    await isRead();
    const ofOrders = asked.filter(({ panel }) => panel === "Orders");
    expect(ofOrders).toMatchObject([{ variables: { userAddress: USER } }]);
    await user.blur();
    await eventuallyEquals(() => asked.at(-1), {
      panel: "Orders",
      variables: expect.objectContaining({ userAddress: "0xab" }),
    });
  });

  it("ask for balances only when a user is typed in", async () => {
    const balances = page.locator("#balances");
    expect(await balances.textContent()).toContain("Type an address");
    await balances.getByRole("textbox", { name: "User" }).pressSequentially(USER);
    await page.keyboard.press("Enter");
    await eventuallyEquals(
      async () => (await rows("balances")).map((row) => row.slice(2, 4)),
      [
        ["mUSD", "250.5"],
        [MARKUP, "-"],
      ],
    );
    expect(asked).toEqual([{ panel: "Balances", variables: { first: 25, userAddress: USER } }]);
  });
});

describe("the refresh", () => {
  it("comes every few seconds, for open tables", async () => {
    const keys = page.locator("#keys summary");
    await keys.click();
    await pass(5_000);
    await isRead();
    expect(panels()).toEqual(["Balances", "Chains", "Operations", "Orders", "Queues", "Sends"]);
    await keys.click();
    await eventuallyEquals(() => count("Keys"), 1);
  });

  it("rests while it is paused, and goes on", async () => {
    await press("Pause");
    await pass(60_000);
    expect(asked).toEqual([]);
    await press("Refresh now");
    await isRead();
    await pass(60_000);
    expect(count("Orders")).toBe(1);
    await press("Go on");
    await isRead();
    expect(count("Orders")).toBe(2);
    await pass(5_000);
    await isRead();
    expect(count("Orders")).toBe(3);
  });

  it("says what is wrong, keeps the rows, and comes back by itself", async () => {
    const problem = () => page.locator("#orders .problem").textContent();
    service.isDown = true;
    await pass(5_000);
    await eventuallyEquals(problem, "The service does not answer.");
    expect(await rows("orders")).toHaveLength(1);
    await isRead();
    service.isDown = false;
    await pass(5_000);
    await eventuallyEquals(problem, "");
    await isRead();
  });
});

describe("the end", () => {
  it("comes with a token that is not accepted any more: nothing stays on the page, nothing is asked", async () => {
    service.token = "another";
    await pass(5_000);
    await eventuallyEquals(visible, CLOSED);
    expect(await page.locator("#entry-problem").textContent()).toMatch(/does not accept this token any more/);
    expect(await page.content()).not.toContain("onerror");
    expect(await page.locator("tbody tr").count()).toBe(0);
    asked.length = 0;
    await pass(60_000);
    expect(asked).toEqual([]);
  });

  it("comes when the reader says so", async () => {
    await enter("another");
    await isRead();
    const status = page.locator("#orders").getByLabel("Status");
    await status.selectOption("New");
    expect(await rows("chains")).toHaveLength(2);
    await press("Forget the token");
    expect(await rows("chains")).toEqual([]);
    expect(await visible()).toEqual(CLOSED);
    expect(await status.inputValue()).toBe("");
    service.token = TOKEN;
  });
});
