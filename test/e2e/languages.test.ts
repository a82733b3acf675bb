import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { buildGo, quoted, runProgram, runShell } from "../../packages/client/test/examples.ts";
import { type Python, type Settings, startPython } from "../../packages/client/test/python/driver.ts";
import { present, until } from "../support/assert/until.ts";
import type { OrderList } from "../support/http/answers.ts";
import { createPartner } from "../support/http/partner.ts";
import { describeWhere } from "../support/program/describe-where.ts";
import { ensureDelegation } from "../support/sandbox/delegation.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";

/** Clients and examples of other languages than this one, against the running sandbox. */
const state = readSandboxState();
const key = present(
  state.keys.find(({ access, userAddress }) => access === "WRITABLE" && userAddress),
  "a bound key",
);
const partner = createPartner(state.baseUrl, key);
const inAnHour = () => Math.floor(Date.now() / 1000) + 3_600;
const environment = {
  PARTNER_TRADING_BASE_URL: state.baseUrl,
  PARTNER_TRADING_API_KEY: key.apiKey,
  PARTNER_TRADING_API_SECRET: key.apiSecret,
  PARTNER_TRADING_CHAIN_ID: String(key.chainId),
  PARTNER_TRADING_PRODUCT: key.productType,
};

it("examples/sandbox-env.mjs prints the variables of the key that sends for a user", async () => {
  const SANDBOX_DIR = dirname(present(process.env.E2E_STATE_FILE, "the sandbox's state"));
  const printed = await runProgram(process.execPath, ["examples/sandbox-env.mjs"], { SANDBOX_DIR });
  const lines = Object.entries(environment).map(([name, value]) => `export ${name}=${quoted(value)}`);
  expect(printed.trim().split("\n")).toEqual(lines);
});

describeWhere("python3", "the Python client", () => {
  const settings: Settings = {
    base_url: state.baseUrl,
    api_key: key.apiKey,
    api_secret: key.apiSecret,
    chain_id: key.chainId,
    product_type: key.productType,
  };
  const order = () => ({ symbol: "AAPL", side: "Buy", type: "Market", notional: "25", deadline: inAnHour() });
  let python: Python;
  beforeAll(async () => {
    python = startPython();
    await ensureDelegation(partner, state);
  });
  afterAll(() => python.close());

  it("sends an order, waits until it is filled, and finds it in the log of events", async () => {
    const sent = await python.ask("request", settings, "POST", "/orders/send", null, order(), null);
    expect(sent).toHaveProperty("value.data.requestId");
    const { data } = sent.value as { data: { mapping: { createdAt: number } } };
    const filled = await python.ask("wait_for_order", settings, data, "Filled", 60);
    expect(filled).toHaveProperty("value.status", "Filled");
    const { orderId } = filled.value as { orderId: string };
    const { createdAt } = data.mapping;
    const types = ["order.filled"];
    // The log follows the index: an order is answered as filled before its event is appended.
    const event = await until("the log has the fill", async () => {
      const log = await python.ask("pages", settings, "/events", { types, limit: 100 }, 10_000);
      return (log.value as { data: { orderId: string } }[]).find(({ data }) => data.orderId === orderId);
    });
    expect(event.data).toEqual(filled.value);
    const rows = (await python.ask("pages", settings, "/orders", { from: createdAt, limit: 1 }, 1_000)).value;
    const query = { from: createdAt, limit: 100 };
    expect(rows).toEqual((await partner.must(partner.get<OrderList>("/orders", query))).rows);
  });

  it("raises a refusal, and names the cause of a 401", async () => {
    const expired = { ...order(), deadline: 1 };
    expect(await python.ask("post", settings, "/orders/calldata", expired)).toMatchObject({
      error: "ApiError",
      err_code: "DEADLINE_EXPIRED",
      param: "deadline",
      uuid: expect.any(String),
    });
    const wrong = { ...settings, api_secret: "sk_wrong" };
    expect(await python.ask("request", wrong, "GET", "/key")).toMatchObject({
      error: "AuthenticationError",
      cause: "signature wrong",
    });
  });
});

describeWhere("openssl", "examples/curl.sh", () => {
  it("gets a list by an unsorted query, posts, and is refused with a wrong secret", async () => {
    const body = JSON.stringify({
      symbol: "AAPL",
      side: "Buy",
      type: "Market",
      notional: "25",
      deadline: inAnHour(),
      clientOrderId: "shell-1",
    });
    const script = [
      "partner GET '/orders?status=Partial%20filled&limit=5'; echo",
      `partner POST /orders/calldata ${quoted(body)}; echo`,
      "partner DELETE /orders/0x01/send '' -H 'Idempotency-Key: cancel-1'; echo",
      "PARTNER_TRADING_API_SECRET=wrong; partner GET /key",
    ].join("\n");
    const answers = (await runShell("/bin/sh", script, environment))
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(answers).toMatchObject([
      { code: 200, data: { rows: expect.any(Array) } },
      { code: 200, data: { callData: expect.stringMatching(/^0x[0-9a-f]+$/) } },
      { code: 10000, errCode: "VALIDATION_FAILED", param: "orderId" },
      { code: 401 },
    ]);
  });
});

describeWhere("go", "examples/go", () => {
  it("lists orders and builds a transaction, and is refused with a wrong secret", async () => {
    const program = await buildGo();
    expect(await runProgram(program, [], environment)).toMatch(
      /^\d+ orders are partly filled\nsend 0x\w{40} with \d+ bytes of calldata\n$/,
    );
    const wrong = { ...environment, PARTNER_TRADING_API_SECRET: "wrong" };
    await expect(runProgram(program, [], wrong)).rejects.toThrow("401 : Unauthorized");
    await rm(dirname(program), { recursive: true });
  });
});
