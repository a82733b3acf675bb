import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { eventuallyEquals } from "../support/assert/eventually-equals.ts";
import { newPage } from "../support/http/browser.ts";
import { panelOf } from "./server.ts";

export interface OpenPage {
  page: Page;
  /** See newPage. */
  problems: string[];
  /** What the page asked /graphql. */
  asked: { panel: string; variables: Record<string, unknown> }[];
  /** Types a token, and sends it. */
  enter(token: string): Promise<void>;
  /** Waits until everything that is open was read at the time that the page's clock shows. */
  isRead(): Promise<void>;
  /** The texts of a panel's cells. */
  rows(panel: string): Promise<string[][]>;
}

/** Opens the page in a browser that remembers nothing. Its clock stands still, save where a test makes it run. */
export async function openPage(
  browser: Browser,
  baseUrl: string,
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  const { page, problems } = await newPage(browser, options);
  const asked: OpenPage["asked"] = [];
  page.on("request", (request) => {
    if (!request.url().endsWith("/graphql")) return;
    const { query, variables } = request.postDataJSON();
    asked.push({ panel: panelOf(query), variables });
  });
  await page.clock.install({ time: "2026-01-05T10:00:00Z" });
  await page.goto(`${baseUrl}/trading/dashboard`);
  // The clock ran while the page loaded: a minute outlasts that on any machine, and nothing is due before a token is typed.
  await page.clock.pauseAt("2026-01-05T10:01:00Z");
  return {
    page,
    problems,
    asked,
    enter: async (token) => {
      await page.getByLabel("Dashboard token").fill(token);
      await page.getByRole("button", { name: "Open" }).click();
    },
    isRead: async () => {
      const now = await page.evaluate("new Date().toISOString().slice(11, 19)");
      await eventuallyEquals(() => page.locator("#refreshed-at").textContent(), now);
    },
    rows: (panel) =>
      page
        .locator(`#${panel} tbody tr`)
        .evaluateAll((found) => found.map((row) => [...row.children].map((cell) => cell.textContent))),
  };
}
