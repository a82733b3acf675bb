import { afterAll, afterEach, beforeAll, expect, it } from "@jest/globals";
import { JsonRpcProvider, NonceManager, Wallet } from "ethers";
import type { Browser, Page } from "playwright-core";
import { eventuallyEquals } from "../support/assert/eventually-equals.ts";
import { present } from "../support/assert/until.ts";
import type { Calldata } from "../support/http/answers.ts";
import { newPage, startBrowser } from "../support/http/browser.ts";
import { createPartner } from "../support/http/partner.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";
import { submitCall } from "../support/sender/submit.ts";

// The operator's page in a real browser, over the running sandbox, while a partner trades.
const state = readSandboxState();
const chain = present(state.chains[0], "a chain");
const otherChain = present(state.chains[1], "a second chain");
const key = present(
  state.keys.find(({ chainId, access }) => chainId === chain.chainId && access === "WRITABLE"),
  "a WRITABLE key of this chain",
);
const user = present(
  state.users.find(({ address }) => address === (key.userAddress ?? state.users[0]?.address)),
  "the key's user",
);
const partner = createPartner(state.baseUrl, key);
const provider = new JsonRpcProvider(chain.rpcUrl, chain.chainId, {
  staticNetwork: true,
  pollingInterval: 50,
});
const wallet = new NonceManager(new Wallet(user.privateKey, provider));

let browser: Browser;
let page: Page;
let problems: string[];
beforeAll(async () => {
  browser = await startBrowser();
  ({ page, problems } = await newPage(browser));
  await page.goto(state.dashboardUrl);
});
afterAll(async () => {
  provider.destroy();
  await browser?.close();
});
afterEach(() => {
  expect(problems).toEqual([]);
});

/** Returns the rows of a table, each with its cells by heading. */
async function rows(table: string): Promise<Record<string, string>[]> {
  return page
    .locator(`section[aria-label="${table}"] tbody tr`)
    .evaluateAll((found) =>
      found.map((row) =>
        Object.fromEntries(
          [...row.querySelectorAll("td")].map((cell) => [cell.dataset.title ?? "", cell.textContent ?? ""]),
        ),
      ),
    );
}
const go = (hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

async function enter(token: string): Promise<void> {
  await page.getByLabel("Dashboard token").fill(token);
  await page.keyboard.press("Enter");
}

it("tells who has a wrong token", async () => {
  await enter(`${state.dashboardToken}x`);
  const problem = page.locator("#entry-problem");
  await eventuallyEquals(() => problem.textContent(), expect.stringMatching(/^Wrong token/));
  expect(await page.locator("nav").count()).toBe(0);
});

it("shows both chains, each with wallets that send", async () => {
  await enter(state.dashboardToken);
  const chainIds = state.chains.map(({ chainId }) => String(chainId));
  await eventuallyEquals(async () => (await rows("Chains")).map(({ Chain }) => Chain), chainIds);
  await eventuallyEquals(
    async () => [...new Set((await rows("Send queues")).map(({ Chain }) => Chain))],
    chainIds,
  );
});

it("shows a new order and what becomes of it with nobody touching the page, and finds it with its whole story", async () => {
  const call = await partner.must(
    partner.post<Calldata>("/orders/calldata", {
      stockAddress: present(chain.stockTokens[0], "a stock token").address,
      side: "Buy",
      type: "Limit",
      quantity: "3",
      price: "1.25",
      timeInForce: "DAY",
      deadline: Math.floor(Date.now() / 1000) + 3600,
      userAddress: user.address,
    }),
  );
  const txHash = await submitCall(wallet, call);
  await go(`#/orders?txHash=${txHash}`);
  await eventuallyEquals(
    () => rows("Orders"),
    [
      expect.objectContaining({
        "Chain, product": expect.stringContaining(String(chain.chainId)),
        Key: key.name,
        Status: "New",
        Side: "Buy",
        Type: "Limit",
        Size: "3",
        Limit: "1.25 mUSD",
      }),
    ],
  );

  await go(`#/orders?txHash=${txHash}&chainId=${otherChain.chainId}`);
  await eventuallyEquals(() => rows("Orders"), []);
  await go(`#/orders?txHash=${txHash}`);
  const { orderId } = await partner.must(partner.get<{ orderId: string }>(`/orders/tx/${txHash}`));
  await eventuallyEquals(async () => (await rows("Orders")).length, 1);

  const cancel = await partner.must(partner.delete<Calldata>(`/orders/${orderId}/calldata`));
  await submitCall(wallet, cancel);
  await eventuallyEquals(() => rows("Orders"), [expect.objectContaining({ Status: "Canceled" })]);

  await page.keyboard.press("/");
  await page.keyboard.type(orderId);
  await page.keyboard.press("Enter");
  await eventuallyEquals(() => page.evaluate("location.hash"), expect.stringContaining(orderId));
  await eventuallyEquals(() => page.locator("main").textContent(), expect.stringContaining("order.canceled"));
});

it.each(state.keys.map(({ name, access, chainId }) => [name, access, chainId] as const))(
  "shows the key %s",
  async (name, access, chainId) => {
    await go(`#/keys?name=${name}`);
    await eventuallyEquals(
      async () => (await rows("Keys")).map((row) => [row.Name, row.Status, row.Access, row.Scopes]),
      expect.arrayContaining([[name, "active", access, `Sandbox on ${chainId}`]]),
    );
  },
);

it("shows a user's balances to whoever types the address", async () => {
  await go(`#/balances?userAddress=${user.address}`);
  await eventuallyEquals(
    async () =>
      (await rows("Balances"))
        .filter(({ Asset }) => Asset === "mUSD")
        .map((row) => row["Chain, product"])
        .sort(),
    state.chains.map(({ chainId }) => `${chainId} Sandbox`),
  );
});

it("holds no secret, and keeps none", async () => {
  const secrets = [state.dashboardToken, ...state.keys.map(({ apiSecret }) => apiSecret)];
  const content = await page.content();
  expect(secrets.filter((secret) => content.includes(secret) || page.url().includes(secret))).toEqual([]);
  expect(await page.context().storageState({ indexedDB: true })).toEqual({ cookies: [], origins: [] });
});
