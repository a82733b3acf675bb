import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { ROOT } from "../../../../src/config/root.ts";
import { DOCS_PATHS } from "../../../../src/http/pages/docs.ts";
import { LONG } from "../../../../test/support/assert/long.ts";
import { newPage, startBrowser } from "../../../../test/support/http/browser.ts";
import { type DocsServer, startDocs } from "./server.ts";

/** Every page for partners fits narrow and wide screens, and has no fault that axe finds, in both themes. */
const WIDTHS = [390, 768, 1400];
/** The rules for each theme: what is no matter of colours is the same in both. axe looks at these widths, in the long form at all. */
const THEMES: readonly ["light" | "dark", axe.RunOptions, number[]][] = [
  ["light", {}, LONG ? WIDTHS : [1400]],
  ["dark", { runOnly: ["color-contrast", "link-in-text-block"] }, LONG ? WIDTHS : [390]],
];
/** Longest page by far, whose colours axe looks at as long as at those of all others: dark in the long form alone. */
const REFERENCE = "/docs/reference";
/** One of each kind; the others differ by their text. */
const KINDS = ["/docs", "/docs/guides/webhooks", "/docs/errors", "/docs/errors/RATE_LIMITED", REFERENCE];
/** In the long form every page: those of errors have one form. */
const PAGES = DOCS_PATHS.filter((path) => !path.includes(".")).filter(
  (path) => LONG || KINDS.includes(path) || !path.startsWith("/docs/errors/"),
);

let docs: DocsServer;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  [docs, browser] = await Promise.all([startDocs(), startBrowser()]);
  // The policy would keep axe from styling what it measures; test/http/pages/docs.test.ts has the policies.
  ({ page } = await newPage(browser, { bypassCSP: true }));
});
afterAll(async () => {
  await browser?.close();
  await docs?.stop();
});

/** Opens a page with all that it folds. */
async function open(path: string): Promise<void> {
  await page.goto(`${docs.url}${path}`);
  await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
}

/** Returns what axe finds, with the first place of each. */
async function faults(rules: axe.RunOptions = {}): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
  const options = JSON.stringify({ ...rules, resultTypes: ["violations"] });
  const { violations } = (await page.evaluate(`axe.run(${options})`)) as axe.AxeResults;
  return violations.map(
    ({ id, impact, nodes }) => `${impact} ${id}: ${nodes.length}, first ${nodes[0]?.html}`,
  );
}

/** Returns what is wider than the screen. */
const wide = () =>
  page.evaluate(
    "[...document.querySelectorAll('body *')].filter((each) => each.getBoundingClientRect().right > innerWidth + 0.5 && !each.closest('.skip')).map((each) => each.outerHTML.slice(0, 120))",
  );

it("themes differ in colours alone", () => {
  const dark = /@media \(prefers-color-scheme: dark\) \{\n {2}:root \{\n([^}]*) {2}\}\n\}/;
  const css = readFileSync(`${ROOT}src/http/pages/docs.css`, "utf8");
  const others = (dark.exec(css)?.[1] ?? "not found").trim().split("\n");
  expect(others.filter((line) => !/^ *--[a-z]+: #[0-9a-f]{6};$/.test(line))).toEqual([]);
  expect(css.replace(dark, "")).not.toContain("prefers-color-scheme");
});

describe.each(THEMES)("%s", (colorScheme, rules, judged) => {
  const kinds = KINDS.filter((path) => LONG || colorScheme === "light" || path !== REFERENCE);
  it.each(kinds)("%s fits any width, and axe finds nothing", async (path) => {
    await page.emulateMedia({ colorScheme });
    await open(path);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 1000 });
      const found = {
        width,
        wide: await wide(),
        faults: judged.includes(width) ? await faults(rules) : [],
      };
      expect(found).toEqual({ width, wide: [], faults: [] });
    }
  });
});

it.each(PAGES)("%s fits a phone", async (path) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await open(path);
  expect(await wide()).toEqual([]);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
});

it("forms of test requests are shown, and so is the menu", async () => {
  await page.setViewportSize({ width: 1400, height: 1000 });
  await open("/docs/reference");
  expect(await page.getByLabel("API secret").isVisible()).toBe(true);
  expect(await page.getByRole("form", { name: "Test request: GET /api/v1/config" }).isVisible()).toBe(true);
  expect(await page.getByRole("navigation", { name: "All pages" }).getByRole("link").count()).toBeGreaterThan(
    50,
  );
});

describe("the search box", () => {
  const box = () => page.getByRole("searchbox", { name: "Search" });
  const results = () => page.getByRole("search").getByRole("link");

  it("is reached, read and left by keys, and leads to a heading", async () => {
    await page.setViewportSize({ width: 1400, height: 1000 });
    await page.goto(`${docs.url}/trading/docs/guides/quick-start`);
    await page.keyboard.press("/");
    await page.keyboard.type("verify webh");
    await page
      .getByRole("search")
      .getByText(/^\d+ found$/)
      .waitFor();
    expect(await faults()).toEqual([]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    expect(await page.evaluate("document.activeElement === document.querySelector('search a')")).toBe(true);
    await page.keyboard.press("Escape");
    expect(await box().inputValue()).toBe("");
    expect(await page.evaluate("document.activeElement === document.querySelector('search input')")).toBe(
      true,
    );
    await page.keyboard.type("idempotency key reused");
    await page.getByText("IDEMPOTENCY_KEY_REUSED", { exact: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`${docs.url}/trading/docs/errors/IDEMPOTENCY_KEY_REUSED`);
  });

  it("fits a phone, finds operations, and says where nothing is found", async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(`${docs.url}/docs/reference`);
    await box().fill("corporate action");
    await results().first().waitFor();
    expect(await results().first().textContent()).toContain("GET /api/v1/corporate-action");
    expect(await wide()).toEqual([]);
    await results().first().click();
    expect(await results().count()).toBe(0);
    expect(page.url()).toMatch(/#corporateAction/);
    await box().fill("zzzz");
    await page.getByText("Nothing found").waitFor();
  });
});
