import { afterAll, afterEach, beforeAll, expect, it } from "@jest/globals";
import type { Browser, Page, Request } from "playwright-core";
import { SIGNING_HEADERS } from "../../src/protocol/signing.ts";
import { eventuallyEquals } from "../support/assert/eventually-equals.ts";
import { present } from "../support/assert/until.ts";
import { newPage, startBrowser } from "../support/http/browser.ts";
import { openApi } from "../support/http/openapi.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";

/** A partner's developer before the reference: the page in a real browser, over the running sandbox. */
const state = readSandboxState();
const key = present(state.keys[0], "a key");

let browser: Browser;
let page: Page;
let problems: string[];
const requested: string[] = [];
beforeAll(async () => {
  browser = await startBrowser();
  ({ page, problems } = await newPage(browser, { viewport: { width: 1500, height: 1000 } }));
  page.on("request", (request) => requested.push(request.url()));
  await page.goto(`${state.baseUrl}/docs/reference`);
  await page.getByRole("heading", { name: "Partner trading API" }).waitFor();
});
afterAll(() => browser?.close());
afterEach(() => {
  // The content security policy reports requests to other origins as problems.
  expect(problems).toEqual([]);
  const isOurs = (url: string) => url.startsWith(`${state.baseUrl}/`) || url.startsWith("data:");
  expect(requested.filter((url) => !isOurs(url))).toEqual([]);
});

const field = (name: string) => page.locator(`#credentials input[name="${name}"]`);

async function enter(apiSecret: string): Promise<void> {
  await field("apiKey").fill(key.apiKey);
  await field("apiSecret").fill(apiSecret);
  await field("chainId").fill(String(key.chainId));
  await field("productType").fill(key.productType);
}

/** Opens an operation's window for test requests. */
async function openTest(method: string, path: string): Promise<void> {
  const operation = page.locator(`section[id$="/${method}/api/v1${path}"]`);
  await operation.getByRole("button", { name: /Test Request/ }).click();
  await send().waitFor();
}

const send = () =>
  page.getByRole("dialog").locator("button", { hasText: `Send` }).and(page.locator(".scalar-button-solid"));

/** Sends the request that the window shows. */
async function sendTest(): Promise<{ code: number; request: Request }> {
  const answered = page.waitForResponse((response) => response.url().includes("/api/v1/"));
  await send().click();
  const response = await answered;
  const { code } = (await response.json()) as { code: number };
  return { code, request: response.request() };
}

it("comes under a policy that names this origin only", async () => {
  const answer = await fetch(`${state.baseUrl}/docs/reference`);
  expect((answer.headers.get("content-security-policy") ?? "").split(";").sort()).toEqual([
    "base-uri 'none'",
    "connect-src 'self'",
    "default-src 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "img-src 'self' data:",
    "script-src 'self'",
    "style-src 'self'",
  ]);
});

it("shows every tag of the document, styled, and the samples of an operation", async () => {
  const tags = (openApi.tags as { name: string }[]).map(({ name }) => name);
  for (const tag of tags) await page.getByText(tag, { exact: true }).first().waitFor();
  expect(await page.evaluate("document.adoptedStyleSheets.length")).toBeGreaterThan(2);
  await page.getByText("trading.key.get()").first().waitFor();
});

it("sends no request without credentials, and leads to the field that is missing, beside the open window", async () => {
  await openTest("GET", "/key");
  await send().click();
  await page.getByRole("dialog").getByText("Enter your API key").first().waitFor();
  expect(requested.filter((url) => url.includes("/api/v1/"))).toEqual([]);
  // Scalar logs what it shows.
  expect(problems.splice(0)).toEqual([expect.stringContaining("Enter your API key")]);
  await field("apiSecret").click();
  expect(await page.evaluate("document.activeElement?.getAttribute('name')")).toBe("apiSecret");
});

it("signs a test request in the browser", async () => {
  await enter(key.apiSecret);
  const { code, request } = await sendTest();
  expect(code).toBe(200);
  expect(
    Object.keys(request.headers())
      .filter((name) => name.startsWith("x-api-"))
      .sort(),
  ).toEqual(Object.values(SIGNING_HEADERS).sort());
  await page.getByRole("dialog").getByText("200 OK").waitFor();
  expect(await page.locator("#hint").isVisible()).toBe(false);
});

it("says why the sandbox refuses a wrong secret", async () => {
  await enter(`${key.apiSecret}x`);
  expect((await sendTest()).code).toBe(401);
  const hint = page.locator("#hint");
  await eventuallyEquals(() => hint.textContent(), expect.stringContaining("signature wrong"));
  await enter(key.apiSecret);
  expect((await sendTest()).code).toBe(200);
  await eventuallyEquals(() => hint.isVisible(), false);
});

it("keeps no secret: not in its storage, not in a URL", async () => {
  expect(requested.filter((url) => url.includes(key.apiSecret) || url.includes(key.apiKey))).toEqual([]);
  expect(page.url()).not.toContain(key.apiKey);
  const kept = JSON.stringify(await page.context().storageState({ indexedDB: true }));
  expect(kept).not.toContain(key.apiSecret);
  expect(kept).not.toContain(key.apiKey);
});
