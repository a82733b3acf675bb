import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, jest } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import { freePort } from "../../packages/sandbox/src/ports.ts";
import { present, until } from "../support/assert/until.ts";
import { DASHBOARD_TOKEN } from "../support/http/api.ts";
import { newPage, startBrowser } from "../support/http/browser.ts";
import type { Partner } from "../support/http/partner.ts";
import { startFeed, type TestFeed } from "../support/sandbox/feed.ts";
import { enableUser, marketBuy, withKey } from "../support/sender/sending.ts";
import { type Stack, type Started, startStack, untilReady } from "../support/sender/stack.ts";

// docs/faults.md, row 90: each program, the node, the provider and the database stop in turn while the dashboard is open.
jest.setTimeout(600_000);
/** With nothing else running, a cause is named within 15 s: the heartbeats are overdue after 8, a block after 10, and the page asks every 3. */
const NAMED_MS = 15_000;
const WORKS = "Everything works: all chains are indexed, and every wallet sends.";

let stack: Stack;
let feed: TestFeed;
let api: Started;
let worker: Started;
let deliverer: Started;
let partner: Partner;
let browser: Browser;
let page: Page;
let operatorPort: number;

beforeAll(async () => {
  feed = await startFeed();
  feed.setQuote("SPY", { price: "500" });
  operatorPort = await freePort();
  stack = await startStack({ ownServer: true, blockTimeSeconds: 1, env: { MARKET_DATA_URL: feed.url } });
  [api, worker, deliverer] = await Promise.all([
    stack.startApi({ OPERATOR_PORT: String(operatorPort) }),
    stack.startWorker(),
    stack.startDeliverer(),
  ]);
  await untilReady(api.url);
  partner = await enableUser(stack.sending, api.url, present(stack.product.users[0], "a user"));
  await stack.pool.query(
    `INSERT INTO app.webhook (key_id, chain_id, product_type, url, types, cursor)
     SELECT key_id, chain_id, product_type, 'https://partner.example/', 'none', 0 FROM app.api_key_scope`,
  );
  browser = await startBrowser();
  ({ page } = await newPage(browser));
  await page.goto(`http://127.0.0.1:${operatorPort}/dashboard`);
  await page.getByLabel("Dashboard token").fill(DASHBOARD_TOKEN);
  await page.keyboard.press("Enter");
  await strip(WORKS);
});
afterAll(async () => {
  await browser?.close();
  await stack?.close();
  await feed?.stop();
});

const stripText = async () => (await page.locator(".strip").allTextContents()).join();

/** Waits until the strip says this, and nothing that contradicts it. */
const strip = (wanted: string | RegExp, withinMs = 60_000) =>
  until(
    `the page says ${wanted}`,
    async () => {
      const text = await stripText();
      return typeof wanted === "string" ? text === wanted : wanted.test(text) && !text.includes("Everything");
    },
    withinMs,
  );

const go = (hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

interface Outage {
  begin: () => Promise<unknown>;
  named: RegExp;
  end: () => Promise<unknown>;
}

const killed = async ({ program }: Started) => {
  program.kill("SIGKILL");
  await program.exited;
};

const OUTAGES: Record<string, Outage> = {
  "the worker": {
    begin: () => killed(worker),
    named: /^No worker is alive: nothing is sent, and no event is written/,
    end: async () => {
      worker = await stack.startWorker();
    },
  },
  "the deliverer": {
    begin: () => killed(deliverer),
    named: /^No deliverer is alive: no webhook is delivered/,
    end: async () => {
      deliverer = await stack.startDeliverer();
    },
  },
  "the indexer": {
    begin: () => stack.indexer().stop(),
    named: /^The index of chain \d+ is \d+ blocks behind/,
    end: async () => void stack.restartIndexer(),
  },
  "the node": {
    begin: async () => {
      stack.proxy.rule = () => "lose-request";
    },
    named: /^No node of chain \d+ answers/,
    end: async () => {
      stack.proxy.rule = null;
    },
  },
  "a chain that makes no block": {
    begin: () => stack.chain.setIntervalMining({ interval: 0 }),
    named: /^Chain \d+ has no new block, by its nodes/,
    end: () => stack.chain.setIntervalMining({ interval: 1 }),
  },
  "the provider of market data": {
    begin: () => feed.setDown(true),
    named: /^Does not answer: market data \(sandbox\)/,
    end: () => feed.setDown(false),
  },
  "the database": {
    begin: () => present(stack.server, "a server").kill(),
    named: /database/i,
    end: () => present(stack.server, "a server").restart(),
  },
  "the api": {
    begin: () => killed(api),
    named: /^The service does not answer/,
    end: async () => {
      api = await stack.startApi({ OPERATOR_PORT: String(operatorPort), PORT: new URL(api.url).port });
    },
  },
};

describe.each(Object.entries(OUTAGES))("row 90: %s stops", (name, { begin, named, end }) => {
  it("is named on the page, and over once it is", async () => {
    await begin();
    const startedMs = Date.now();
    await strip(named, NAMED_MS);
    process.stdout.write(`${name}: named after ${((Date.now() - startedMs) / 1_000).toFixed(1)} s\n`);
    await go("#/orders");
    await strip(named);
    await go("#/overview");
    await strip(named);
    await end();
    await strip(WORKS, 120_000);
  });
});

it("row 90: a request that waits for a worker says so, and blames no wallet", async () => {
  await killed(worker);
  await strip(/^No worker is alive/, NAMED_MS);
  const { data } = (
    await partner.post<{ requestId: string }>(
      "/orders/send",
      marketBuy(stack.sending, "25"),
      withKey("waits"),
    )
  ).body;
  await go(`#/send/${present(data, "an answer").requestId}`);
  await until("the timeline names the cause", async () =>
    (await page.locator(".callout").allTextContents()).some((text) => text.includes("No worker is alive")),
  );
  worker = await stack.startWorker();
  await go("#/overview");
  await strip(WORKS, 120_000);
});

const QUIET_MS = 3_600_000;
/** Nothing fills these orders: an hour of them locks less than the user has. */
const BETWEEN_ORDERS_MS = 1_000;

it(
  "row 90: while a partner trades and all works, nothing is named",
  async () => {
    await strip(WORKS);
    const endsMs = Date.now() + QUIET_MS;
    const said = new Set<string>();
    for (let count = 0; Date.now() < endsMs; count++) {
      await partner.must(
        partner.post("/orders/send", marketBuy(stack.sending, `1.${count}`), withKey(`calm-${count}`)),
      );
      said.add(await stripText());
      await setTimeout(BETWEEN_ORDERS_MS);
    }
    expect([...said]).toEqual([WORKS]);
  },
  2 * QUIET_MS,
);
