import { createServer, type Server } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { z } from "zod";
import { partnerCommand } from "../../../../test/support/program/partner-command.ts";
import { OUTAGE_PARTS } from "../../../sandbox/src/outages.ts";

/** Requests of the command to a control, and how answers and refusals are shown. */
const ORDER = `0x${"ab".repeat(32)}`;
let server: Server;
let url: string;
let received: { method: string; path: string; body: unknown }[] = [];
let answer = { status: 200, body: "{}" };

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const { method = "", url: path = "" } = request;
    const body = await text(request);
    received.push({ method, path, body: body === "" ? null : JSON.parse(body) });
    const isState = path === "/sandbox";
    response.writeHead(isState ? 200 : answer.status);
    response.end(isState ? JSON.stringify({ chains: [{ chainId: 31337 }] }) : answer.body);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${z.object({ port: z.number() }).parse(server.address()).port}`;
});
afterAll(() => void server.close());

function run(...args: string[]) {
  received = [];
  return partnerCommand(["sandbox", ...args], { env: { PARTNER_TRADING_SANDBOX: url } });
}

const CALLS: [args: string[], path: string, body: object][] = [
  [["fill", ORDER], `/orders/${ORDER}/fill`, {}],
  [
    ["fill", ORDER, "--quantity", "1.5", "--price", "180.5"],
    `/orders/${ORDER}/fill`,
    { quantity: "1.5", price: "180.5" },
  ],
  [["reject", ORDER], `/orders/${ORDER}/reject`, {}],
  [["reject", ORDER, "--reason", "7"], `/orders/${ORDER}/reject`, { reason: 7 }],
  [["price", "AAPL", "180.5"], "/price", { symbol: "AAPL", price: "180.5" }],
  [["price", "AAPL", "release"], "/price", { symbol: "AAPL", price: null }],
  [["reorg", "3"], "/reorg", { chainId: 31337, depth: 3 }],
  [
    ["reorg", "3", "--keep", "--chain-id", "31338"],
    "/reorg",
    { chainId: 31338, depth: 3, transactions: "keep" },
  ],
  [["clock", "3600"], "/clock", { chainId: 31337, seconds: 3600 }],
  [["clock", "soon", "--chain-id", "31338"], "/clock", { chainId: 31338, seconds: "soon" }],
  ...OUTAGE_PARTS.map(
    (part) => [["outage", part, "30"], "/outage", { part, seconds: 30 }] as [string[], string, object],
  ),
];

it.each(CALLS)("sandbox %j", async (args, path, body) => {
  answer = { status: 200, body: '{"done":true}' };
  expect(await run(...args)).toEqual({ code: 0, out: '{\n  "done": true\n}\n', err: "" });
  expect(received.filter(({ method }) => method === "POST")).toEqual([{ method: "POST", path, body }]);
  expect((await run(...args, "--json")).out).toBe('{"done":true}\n');
});

it("sandbox trigger prints what happened, and with --json the whole event", async () => {
  const event = { eventId: "e1", sequence: 3, type: "order.filled", data: { orderId: ORDER } };
  answer = { status: 200, body: JSON.stringify(event) };
  const { code, out } = await run("trigger", "order.filled", "--key", "trader-31337");
  const { sequence: _, ...shown } = event;
  expect({ code, shown: JSON.parse(out) }).toEqual({ code: 0, shown });
  expect(received).toEqual([
    { method: "POST", path: "/trigger", body: { type: "order.filled", key: "trader-31337" } },
  ]);
  expect((await run("trigger", "order.filled", "--json")).out).toBe(`${JSON.stringify(event)}\n`);
});

it("shows a refusal, and where to look", async () => {
  answer = { status: 404, body: '{"error":"there is no order"}' };
  expect(await run("fill", ORDER)).toEqual({
    code: 1,
    out: "",
    err: `there is no order (HTTP 404)\n  ${url}/state lists open orders and operations.\n`,
  });
  answer = { status: 502, body: "<html>" };
  expect(await run("fill", ORDER)).toMatchObject({
    code: 1,
    err: "no answer of a sandbox's control: <html> (HTTP 502)\n",
  });
});

it("says what to do where no sandbox runs, or the part is none", async () => {
  expect(await partnerCommand(["sandbox", "price", "AAPL", "1"])).toMatchObject({
    code: 1,
    err: expect.stringContaining("There is no sandbox here: start one with `npm start`"),
  });
  expect(await run("outage", "moon", "1")).toMatchObject({
    code: 2,
    err: expect.stringContaining("Allowed choices are node"),
  });
});
