import { afterAll, afterEach, beforeAll, expect, it } from "@jest/globals";
import { JsonRpcProvider, NonceManager, Wallet } from "ethers";
import type { Browser, Page } from "playwright-core";
import { eventuallyEquals } from "../support/assert/eventually-equals.ts";
import { present, until } from "../support/assert/until.ts";
import type { Calldata } from "../support/http/answers.ts";
import { newPage, startBrowser } from "../support/http/browser.ts";
import { createPartner } from "../support/http/partner.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";
import { submitCall } from "../support/sender/submit.ts";

/** The operator at his screen: the page in a real browser, over the running sandbox, while a partner trades. */
const state = readSandboxState();
const [chain, otherChain] = [present(state.chains[0], "a chain"), present(state.chains[1], "a second chain")];
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

/** What a panel's table shows: a row each, by heading. */
async function rows(panel: string): Promise<Record<string, string>[]> {
  const headings = await page.locator(`#${panel} th`).allTextContents();
  const cells: string[][] = await page
    .locator(`#${panel} tbody tr`)
    .evaluateAll((found) => found.map((row) => [...row.children].map((cell) => cell.textContent ?? "")));
  return cells.map((row) =>
    Object.fromEntries(headings.map((heading, index) => [heading, row[index] ?? ""])),
  );
}
const orderOf = async (txHash: string) =>
  (await rows("orders")).find(({ Transaction }) => Transaction === txHash) ?? null;
const filter = (panel: string, name: string) => page.locator(`#${panel} [name="${name}"]`);

async function enter(token: string): Promise<void> {
  await page.getByLabel("Dashboard token").fill(token);
  await page.keyboard.press("Enter");
}

it("tells who has a wrong token", async () => {
  await enter(`${state.dashboardToken}x`);
  const problem = page.locator("#entry-problem");
  await eventuallyEquals(() => problem.textContent(), expect.stringMatching(/^Wrong token/));
  expect(await page.locator("#view").isVisible()).toBe(false);
});

it("shows both chains ready, each with a wallet that sends", async () => {
  await enter(state.dashboardToken);
  const chainIds = state.chains.map(({ chainId }) => String(chainId));
  await eventuallyEquals(
    async () => (await rows("chains")).map(({ Chain, Ready }) => [Chain, Ready]),
    chainIds.map((chainId) => [chainId, "ready"]),
  );
  await eventuallyEquals(
    async () => [...new Set((await rows("queues")).map(({ Chain }) => Chain))],
    chainIds,
  );
});

it("shows a new order within seconds, and what becomes of it, with nobody touching the page", async () => {
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
  await eventuallyEquals(
    () => orderOf(txHash),
    expect.objectContaining({
      Chain: String(chain.chainId),
      Key: key.name,
      Status: "New",
      Side: "Buy",
      Type: "Limit",
      Quantity: "3",
      Price: "1.25",
    }),
  );

  await filter("orders", "chainId").selectOption(String(otherChain.chainId));
  await eventuallyEquals(() => orderOf(txHash), null);
  await filter("orders", "chainId").selectOption(String(chain.chainId));
  const shown = await until("the order", async () => (await orderOf(txHash)) ?? undefined);
  expect(new Set((await rows("orders")).map(({ Chain }) => Chain))).toEqual(new Set([String(chain.chainId)]));

  const cancel = await partner.must(partner.delete<Calldata>(`/orders/${shown.Order}/calldata`));
  await submitCall(wallet, cancel);
  await eventuallyEquals(() => orderOf(txHash), expect.objectContaining({ Status: "Canceled" }));
});

it.each(state.keys.map(({ name, access, chainId }) => [name, access, chainId] as const))(
  "shows the key %s",
  async (name, access, chainId) => {
    await filter("keys", "name").fill(name);
    await page.keyboard.press("Enter");
    await eventuallyEquals(
      async () => (await rows("keys")).map((row) => [row.Name, row.Status, row.Access, row.Scopes]),
      expect.arrayContaining([[name, "active", access, `Sandbox on ${chainId}`]]),
    );
  },
);

it("shows a user's balances to whoever types the address", async () => {
  await filter("balances", "userAddress").fill(user.address);
  await page.keyboard.press("Enter");
  await eventuallyEquals(
    async () =>
      (await rows("balances"))
        .filter(({ Asset }) => Asset === "mUSD")
        .map(({ Chain }) => Chain)
        .sort(),
    state.chains.map(({ chainId }) => String(chainId)),
  );
});

it("holds no secret, and keeps none", async () => {
  const secrets = [state.dashboardToken, ...state.keys.map(({ apiSecret }) => apiSecret)];
  const content = await page.content();
  expect(secrets.filter((secret) => content.includes(secret) || page.url().includes(secret))).toEqual([]);
  expect(await page.context().storageState({ indexedDB: true })).toEqual({ cookies: [], origins: [] });
});
