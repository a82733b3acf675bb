import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { DOCS_PATHS } from "../../../../src/http/pages/docs.ts";
import { newPage, startBrowser } from "../../../../test/support/http/browser.ts";
import { type DocsServer, startDocs } from "./server.ts";

/** Every page for partners fits narrow and wide screens, and has no fault that axe finds, in both themes. */
const WIDTHS = [390, 768, 1400];
const THEMES = ["light", "dark"] as const;
/** One of each kind; the others differ by their text. */
const KINDS = [
  "/docs",
  "/docs/guides/webhooks",
  "/docs/errors",
  "/docs/errors/RATE_LIMITED",
  "/docs/reference",
];
const PAGES = DOCS_PATHS.filter((path) => !path.includes("."));

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
async function faults(): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as axe.AxeResults;
  return violations.map(
    ({ id, impact, nodes }) => `${impact} ${id}: ${nodes.length}, first ${nodes[0]?.html}`,
  );
}

/** Returns what is wider than the screen. */
const wide = () =>
  page.evaluate(
    "[...document.querySelectorAll('body *')].filter((each) => each.getBoundingClientRect().right > innerWidth + 0.5 && !each.closest('.skip')).map((each) => each.outerHTML.slice(0, 120))",
  );

describe.each(THEMES)("%s", (colorScheme) => {
  it.each(KINDS)("axe finds nothing in %s at any width", async (path) => {
    await page.emulateMedia({ colorScheme });
    await open(path);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 1000 });
      expect({ width, wide: await wide(), faults: await faults() }).toEqual({ width, wide: [], faults: [] });
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
