import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { eventuallyEquals } from "../../../../test/support/assert/eventually-equals.ts";
import { newPage } from "../../../../test/support/http/browser.ts";
import { NOW } from "./answers.ts";
import { nameOf } from "./server.ts";

export interface OpenPage {
  page: Page;
  /** See newPage. */
  problems: string[];
  /** Queries that the page sent to /graphql. */
  asked: { name: string; variables: Record<string, unknown> }[];
  /** Types a token, and sends it. */
  enter(token: string): Promise<void>;
  /** Signs in with a token that the service accepts, and waits until the view is read. */
  signIn(token: string): Promise<void>;
  /** Goes to a view, and waits until it is read. */
  go(hash: string): Promise<void>;
  /** Waits until nothing on the page is being read. */
  isRead(): Promise<void>;
  /** Returns the texts of a column's cells, by the name of the table. */
  column(table: string, title: string): Promise<string[]>;
}

/** Opens the page in a browser without storage. Its clock begins at a set time, and a test may move it forward. */
export async function openPage(
  browser: Browser,
  baseUrl: string,
  { hash = "", ...options }: BrowserContextOptions & { hash?: string } = {},
): Promise<OpenPage> {
  const { page, problems } = await newPage(browser, options);
  const asked: OpenPage["asked"] = [];
  page.on("request", (request) => {
    if (!request.url().endsWith("/graphql")) return;
    const { query, variables } = request.postDataJSON();
    asked.push({ name: nameOf(query), variables });
  });
  await page.clock.install({ time: NOW * 1_000 });
  await page.goto(`${baseUrl}/trading/dashboard${hash}`);
  const isRead = () => eventuallyEquals(() => page.locator("[aria-busy=true], .loading").count(), 0);
  const enter = async (token: string) => {
    await page.getByLabel("Dashboard token").fill(token);
    await page.getByRole("button", { name: "Sign in" }).click();
  };
  return {
    page,
    problems,
    asked,
    isRead,
    enter,
    signIn: async (token) => {
      await enter(token);
      await page.waitForSelector("nav");
      await isRead();
    },
    go: async (view) => {
      await page.evaluate(`location.hash = ${JSON.stringify(view)}`);
      await eventuallyEquals(() => page.locator("main h1").count(), 1);
      await isRead();
    },
    column: (table, title) =>
      page.locator(`section[aria-label="${table}"] td[data-title="${title}"]`).allTextContents(),
  };
}
