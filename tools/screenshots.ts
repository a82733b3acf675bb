import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { PartnerTrading } from "../packages/client/src/index.ts";
import { newPage, startBrowser } from "../test/support/http/browser.ts";

/**
 * `npm run screenshots`: writes pictures of the dashboard to docs/images, from a running sandbox (SANDBOX_DIR). With a number of
 * seconds as its argument, the sandbox's bound user first trades for so long: `npm run screenshots 600`.
 */
const IMAGES = fileURLToPath(new URL("../docs/images/", import.meta.url));

interface State {
  baseUrl: string;
  dashboardUrl: string;
  dashboardToken: string;
  keys: {
    access: string;
    userAddress: string | null;
    apiKey: string;
    apiSecret: string;
    chainId: number;
    productType: string;
  }[];
}

const SYMBOLS = ["AAPL", "MSFT", "AMZN", "IBM", "GOOG"];
const PAUSE_MS = 2_500;
const VIEWS = [
  { width: 1400, height: 1000, name: "" },
  { width: 400, height: 860, name: "-phone" },
] as const;

/** Performs one action, a different one for each number. */
async function act(trading: PartnerTrading, number: number): Promise<void> {
  const shared = { symbol: SYMBOLS[number % SYMBOLS.length], deadline: Math.floor(Date.now() / 1_000) + 600 };
  if (number % 7 !== 3) {
    await trading.orders.send({
      ...shared,
      side: "Buy",
      type: "Market",
      notional: String(20 + ((number * 37) % 180)),
    });
    return;
  }
  const limit = { type: "Limit", quantity: "1", price: "1.5", timeInForce: "DAY" } as const;
  const order = await trading.orders.waitFor(
    await trading.orders.send({ ...shared, ...limit, side: "Buy" }),
    "New",
  );
  if (number % 2 === 0) await trading.request("DELETE", `/orders/${order.orderId}/send`);
}

async function trade({ baseUrl, keys }: State, seconds: number): Promise<void> {
  const key = keys.find(({ access, userAddress }) => access === "WRITABLE" && userAddress !== null);
  if (!key) throw new Error("the sandbox has no key of a bound user");
  const trading = new PartnerTrading({ ...key, baseUrl });
  const endMs = Date.now() + seconds * 1_000;
  for (let number = 0; Date.now() < endMs; number++) {
    await act(trading, number);
    await sleep(PAUSE_MS);
  }
}

async function open(browser: Browser, state: State, options: object): Promise<Page> {
  const { page } = await newPage(browser, options);
  await page.goto(`${state.dashboardUrl}#/overview?range=1h`);
  await page.getByLabel("Dashboard token").fill(state.dashboardToken);
  await page.keyboard.press("Enter");
  await page.locator(".plot canvas").nth(5).waitFor();
  return page;
}

/** Waits until nothing is being read, and one more frame is drawn. */
async function isStill(page: Page): Promise<void> {
  await page.waitForFunction("!document.querySelector('[aria-busy=true], .loading')");
  await sleep(1_000);
}

async function picture(browser: Browser, state: State): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const { width, height, name } of VIEWS) {
      const page = await open(browser, state, { viewport: { width, height }, colorScheme });
      const shoot = async (what: string) => {
        await isStill(page);
        const suffix = `${name}${colorScheme === "dark" ? "-dark" : ""}`;
        await page.screenshot({ path: join(IMAGES, `${what}${suffix}.png`) });
      };
      await shoot("dashboard");
      await page.goto(`${state.dashboardUrl}#/orders?status=Filled`);
      await page.locator(".list a[data-open]").first().click();
      await page.locator(".steps li").first().waitFor();
      await shoot("dashboard-timeline");
      await page.context().close();
    }
  }
}

const state: State = JSON.parse(
  readFileSync(join(process.env.SANDBOX_DIR ?? ".sandbox", "state.json"), "utf8"),
);
await trade(state, Number(process.argv[2] ?? 0));
const browser = await startBrowser();
try {
  await picture(browser, state);
} finally {
  await browser.close();
}
