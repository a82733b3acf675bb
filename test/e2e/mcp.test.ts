import { randomUUID } from "node:crypto";
import { afterEach, beforeAll, expect, it } from "@jest/globals";
import { z } from "zod";
import { connectStdio, type StdioClient } from "../../packages/mcp/test/stdio-client.ts";
import { ROOT } from "../../src/config/root.ts";
import { until } from "../support/assert/until.ts";
import type { Order, OrderList } from "../support/http/answers.ts";
import { createControl } from "../support/http/control.ts";
import { createPartner, type Partner } from "../support/http/partner.ts";
import { environmentOf } from "../support/program/partner-command.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";

/** The server for models, as a program of a model runs it, against the running sandbox and a user of its own. */
const state = readSandboxState();
const BIN = `${ROOT}packages/mcp/bin.mjs`;
const userSchema = z.object({
  apiKey: z.string(),
  apiSecret: z.string(),
  chainId: z.number(),
  productType: z.string(),
});
const order = (clientOrderId: string) => ({
  symbol: "AAPL",
  side: "Buy",
  type: "Limit",
  timeInForce: "DAY",
  quantity: "1",
  price: "10",
  deadline: Math.floor(Date.now() / 1000) + 3_600,
  clientOrderId,
});

let partner: Partner;
let env: Record<string, string>;
let client: StdioClient | undefined;
beforeAll(async () => {
  const user = userSchema.parse(await createControl(state.controlUrl).post("/users", {}));
  partner = createPartner(state.baseUrl, user);
  env = { PATH: process.env.PATH ?? "", ...environmentOf(state.baseUrl, user) };
});
afterEach(async () => {
  await client?.close();
  client = undefined;
});

it("reads the configuration, and refuses to place an order", async () => {
  client = await connectStdio([BIN], env);
  const names = await client.toolNames();
  expect(names).toContain("config");
  expect(names).not.toContain("orderSend");
  const { isError, text } = await client.call("config");
  expect({ isError, answer: JSON.parse(text) }).toMatchObject({
    isError: false,
    answer: { data: { chainId: Number(env.PARTNER_TRADING_CHAIN_ID) } },
  });
  const refused = await client.call("orderSend", order(randomUUID()));
  expect(refused).toEqual({ isError: true, text: expect.stringContaining("this server reads alone") });
  expect((await partner.must(partner.get<OrderList>("/orders"))).total).toBe(0);
});

it("places an order where it may trade, once for an idempotencyKey", async () => {
  client = await connectStdio([BIN, "--trading"], env);
  expect(await client.toolNames()).toContain("orderSend");
  const clientOrderId = randomUUID();
  const wanted = order(clientOrderId);
  const { isError, text } = await client.call("orderSend", wanted);
  const { data, idempotencyKey } = JSON.parse(text);
  expect({ isError, data }).toMatchObject({ isError: false, data: { requestId: expect.any(String) } });
  const placed = await until("the order rests", async () => {
    const found = await partner.must(partner.get<Order>(`/orders/client/${clientOrderId}`));
    return found.status === "New" ? found : undefined;
  });
  expect(placed.openOrder).toMatchObject({ side: "Buy", quantity: "1", price: "10" });
  const again = await client.call("orderSend", { ...wanted, idempotencyKey });
  expect(again.text).toContain(data.requestId);
  expect((await partner.must(partner.get<OrderList>("/orders"))).total).toBe(1);
});
