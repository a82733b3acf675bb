import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import type { Browser } from "playwright-core";
import { eventuallyEquals } from "../support/assert/eventually-equals.ts";
import { startBrowser } from "../support/http/browser.ts";
import { type OpenPage, openPage } from "./open.ts";
import { createService, type PageServer, servePage, USER } from "./server.ts";

/** What the page looks like in a real browser, and that it needs no mouse. */
const TOKEN = "the-right-token";
const LONG = "W".repeat(400);
const service = createService(TOKEN);
let server: PageServer;
let browser: Browser;
let opened: OpenPage;

beforeAll(async () => {
  server = await servePage(service.router);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});
afterEach(async () => {
  Object.assign(service, { everyValue: null, failure: null });
  expect(opened.problems).toEqual([]);
  await opened.page.context().close();
});

describe.each([1280, 380])("a window of %i pixels", (width) => {
  it("is as wide as the page, whatever is in the tables: they move within", async () => {
    opened = await openPage(browser, server.baseUrl, { viewport: { width, height: 800 } });
    const { page } = opened;
    const expectToFit = async () =>
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    await expectToFit();
    await opened.enter(TOKEN);
    await opened.isRead();
    await expectToFit();

    await page.locator("#balances").getByRole("textbox", { name: "User" }).fill(USER);
    await page.keyboard.press("Enter");
    service.everyValue = LONG;
    await page.clock.runFor(5_000);
    await opened.isRead();
    await expectToFit();
    for (const region of await page.locator(".scroll").all()) {
      const [moved, beyond] = await region.evaluate((element) => {
        element.scrollLeft = element.scrollWidth;
        const last = element.querySelector("th:last-child")?.getBoundingClientRect().right ?? Number.NaN;
        return [element.scrollLeft, last - element.getBoundingClientRect().right];
      });
      expect(moved).toBeGreaterThan(0);
      expect(beyond).toBeLessThan(1);
    }
    await expectToFit();

    service.failure = LONG;
    await page.clock.runFor(5_000);
    await eventuallyEquals(() => page.locator("#keys .problem").textContent(), expect.stringContaining(LONG));
    await expectToFit();
  });
});

/** Runs in the page: how many texts show, and those that contrast less than 4.5 to 1 with their ground. */
function findPoorTexts(): { texts: number; poor: string[] } {
  const parse = (colour: string) => [...colour.matchAll(/[\d.]+/g)].map(Number);
  const linear = (part: number) => (part <= 10.3 ? part / 3_294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  const lightOf = ([red = 0, green = 0, blue = 0]: number[]) =>
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  const groundOf = (element: Element | null): number[] => {
    if (!element) return [];
    const colour = parse(getComputedStyle(element).backgroundColor);
    return colour[3] === 0 ? groundOf(element.parentElement) : colour;
  };
  const hasText = (element: Element) =>
    element.matches("input, select") ||
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim());
  const texts = [...document.querySelectorAll("body *")]
    .filter((element) => element.checkVisibility() && hasText(element))
    .flatMap((element) =>
      [null, "::placeholder"].slice(0, element.matches("input") ? 2 : 1).map((part) => ({ element, part })),
    );
  const poor = texts.filter(({ element, part }) => {
    const text = lightOf(parse(getComputedStyle(element, part).color));
    const ground = lightOf(groundOf(element));
    return (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05) < 4.5;
  });
  return { texts: texts.length, poor: poor.map(({ element, part }) => `${element.outerHTML} ${part}`) };
}

describe.each(["light", "dark"] as const)("in the %s scheme", (colorScheme) => {
  it("every text stands out from its ground", async () => {
    opened = await openPage(browser, server.baseUrl, { colorScheme });
    const { page } = opened;
    const expectToStandOut = async (textsMin: number) => {
      const { texts, poor } = await page.evaluate(findPoorTexts);
      expect(poor).toEqual([]);
      expect(texts).toBeGreaterThan(textsMin);
    };
    await opened.enter("wrong");
    await eventuallyEquals(
      () => page.locator("#entry-problem").textContent(),
      expect.stringMatching(/^Wrong/),
    );
    await expectToStandOut(5);
    await opened.enter(TOKEN);
    await opened.isRead();
    await expectToStandOut(150);
    const ground = await page.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor);
    expect(ground).toBe({ light: "rgb(255, 255, 255)", dark: "rgb(20, 23, 26)" }[colorScheme]);
  });
});

describe("the keyboard", () => {
  it("is enough", async () => {
    opened = await openPage(browser, server.baseUrl);
    const { page } = opened;
    const focus = page.locator(":focus");
    await page.keyboard.type(TOKEN);
    await page.keyboard.press("Enter");
    await opened.isRead();
    expect(await focus.textContent()).toBe("Pause");

    const summary = page.locator("#chains summary");
    for (let steps = 0; steps < 3; steps++) await page.keyboard.press("Tab");
    expect(await focus.textContent()).toBe(await summary.textContent());
    await page.keyboard.press("Enter");
    await eventuallyEquals(() => page.locator("#chains table").isVisible(), false);
    opened.asked.length = 0;
    await page.keyboard.press("Space");
    await eventuallyEquals(() => page.locator("#chains table").isVisible(), true);
    await eventuallyEquals(() => opened.asked, [{ panel: "Chains", variables: {} }]);

    await page.locator("#orders").getByLabel("Status").focus();
    await page.keyboard.type("Part");
    await eventuallyEquals(() => opened.asked.at(-1)?.variables, { first: 25, status: "Partial filled" });
    await page.locator("#balances").getByRole("textbox", { name: "User" }).focus();
    await page.keyboard.type(USER);
    await page.keyboard.press("Enter");
    await eventuallyEquals(async () => (await opened.rows("balances")).length, 2);

    const region = page.locator("#orders .scroll");
    await region.focus();
    await page.keyboard.press("ArrowRight");
    await eventuallyEquals(() => region.evaluate(({ scrollLeft }) => scrollLeft > 0), true);
  });

  it("reaches whatever can be worked, and shows where it is", async () => {
    opened = await openPage(browser, server.baseUrl);
    const { page } = opened;
    await page.keyboard.type(TOKEN);
    await page.keyboard.press("Enter");
    await opened.isRead();
    const controls = page.locator("button:enabled:visible, summary, input:visible, select:visible, .scroll");
    const wanted = await controls.evaluateAll((found) => found.map((element) => element.outerHTML));
    const reached: string[] = [];
    for (const _control of wanted) {
      const [html, outline] = await page
        .locator(":focus")
        .evaluate((element) => [element.outerHTML, getComputedStyle(element).outlineStyle]);
      reached.push(html);
      expect([html, outline]).toEqual([html, "solid"]);
      await page.keyboard.press("Tab");
    }
    expect(reached).toEqual(wanted);
    expect(wanted.length).toBeGreaterThan(40);
  });
});
