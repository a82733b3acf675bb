import { afterAll, afterEach, beforeAll, expect, it } from "@jest/globals";
import type { Browser, Page, Request } from "playwright-core";
import { SIGNING_HEADERS } from "../../src/protocol/signing.ts";
import { eventuallyEquals } from "../support/assert/eventually-equals.ts";
import { present } from "../support/assert/until.ts";
import { newPage, startBrowser } from "../support/http/browser.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";

/** A partner's developer before the reference: the page in a real browser, over the running sandbox. */
const state = readSandboxState();
const key = present(
  state.keys.find(({ access }) => access === "WRITABLE"),
  "a WRITABLE key",
);

let browser: Browser;
let page: Page;
let problems: string[];
const requested: string[] = [];
beforeAll(async () => {
  browser = await startBrowser();
  ({ page, problems } = await newPage(browser, { viewport: { width: 1500, height: 1000 } }));
  page.on("request", (request) => requested.push(request.url()));
  await page.goto(`${state.baseUrl}/docs/reference`);
  await page.getByRole("heading", { name: "Reference" }).waitFor();
});
afterAll(() => browser?.close());
afterEach(() => {
  // The content security policy reports requests to other origins as problems.
  expect(problems).toEqual([]);
  const isOurs = (url: string) => url.startsWith(`${state.baseUrl}/`);
  expect(requested.filter((url) => !isOurs(url))).toEqual([]);
});

const credentials = () => page.getByRole("form", { name: "Credentials for test requests" });

async function enter(apiSecret: string): Promise<void> {
  const form = credentials();
  await form.getByLabel("API key").fill(key.apiKey);
  await form.getByLabel("API secret").fill(apiSecret);
  await form.getByLabel("Chain").fill(String(key.chainId));
  await form.getByLabel("Product").fill(key.productType);
}

/** The part of an operation, its form, and where its answer appears. */
function operation(method: string, path: string) {
  const name = `Test request: ${method} /api/v1${path}`;
  const form = page.locator(`form[aria-label="${name}"]`);
  const test = page.locator("details.test", { has: form });
  const open = () => test.getByText("Test request", { exact: true }).click();
  const send = () => form.getByRole("button", { name: "Send" }).click();
  return { open, form, send, answer: test.getByRole("status") };
}

/** Sends what a form says. Returns the request, and the code of its answer. */
async function sendTest({ send }: ReturnType<typeof operation>): Promise<{ code: number; request: Request }> {
  const answered = page.waitForResponse((response) => response.url().includes("/api/v1/"));
  await send();
  const response = await answered;
  const { code } = (await response.json()) as { code: number };
  return { code, request: response.request() };
}

const config = () => operation("GET", "/config");

it("sends no request without credentials, and leads to the field that is missing", async () => {
  await config().open();
  await config().send();
  await config().answer.getByText("Enter your API key").waitFor();
  expect(requested.filter((url) => url.includes("/api/v1/"))).toEqual([]);
  expect(await page.evaluate("document.activeElement?.getAttribute('name')")).toBe("apiKey");
});

it("signs a test request in the browser", async () => {
  await enter(key.apiSecret);
  const { code, request } = await sendTest(config());
  expect(code).toBe(200);
  expect(
    Object.keys(request.headers())
      .filter((name) => name.startsWith("x-api-"))
      .sort(),
  ).toEqual(Object.values(SIGNING_HEADERS).sort());
  await config().answer.getByText('"stockRouter"').waitFor();
});

it("sends what is typed: in the path, the query, headers and body", async () => {
  const history = operation("GET", "/prices/{symbol}/history");
  await history.open();
  await history.form.getByLabel("symbol").fill("AAPL");
  await history.form.getByLabel("limit").fill("3");
  await history.form.getByLabel("x-min-block").fill("1");
  const read = await sendTest(history);
  expect({
    code: read.code,
    path: new URL(read.request.url()).pathname,
    search: new URL(read.request.url()).search,
  }).toEqual({
    code: 200,
    path: "/api/v1/prices/AAPL/history",
    search: "?limit=3",
  });
  expect(read.request.headers()["x-min-block"]).toBe("1");
  const calldata = operation("POST", "/orders/calldata");
  await calldata.open();
  const built = await sendTest(calldata);
  expect(built.code).toBe(200);
  expect(built.request.postDataJSON()).toMatchObject({ symbol: "AAPL", side: "Buy" });
});

it("says why the sandbox refuses a wrong secret", async () => {
  await enter(`${key.apiSecret}x`);
  expect((await sendTest(config())).code).toBe(401);
  await config().answer.getByText("signature wrong").waitFor();
  await enter(key.apiSecret);
  expect((await sendTest(config())).code).toBe(200);
  await eventuallyEquals(() => config().answer.textContent(), expect.not.stringContaining("signature wrong"));
});

it("keeps no secret: not in its storage, not in a URL", async () => {
  expect(requested.filter((url) => url.includes(key.apiSecret) || url.includes(key.apiKey))).toEqual([]);
  expect(page.url()).not.toContain(key.apiKey);
  const kept = JSON.stringify(await page.context().storageState({ indexedDB: true }));
  expect(kept).not.toContain(key.apiSecret);
  expect(kept).not.toContain(key.apiKey);
});
