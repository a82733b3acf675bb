import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { ROOT } from "../../../src/config/root.ts";
import { API_SECRET, UUID } from "../../client/test/fake-service.ts";
import { connectStdio } from "./stdio-client.ts";

const BIN = `${ROOT}packages/mcp/bin.mjs`;
const COMMAND = `${ROOT}packages/client/bin.mjs`;
const received: { request: string; headers: IncomingMessage["headers"] }[] = [];
const service = createServer((request, response) => {
  received.push({ request: `${request.method} ${request.url}`, headers: request.headers });
  request.resume();
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ code: 200, errMsg: "", data: [], uuid: UUID, t: Date.now() }));
});
let env: Record<string, string>;

beforeAll(async () => {
  service.listen(0, "127.0.0.1");
  await once(service, "listening");
  env = {
    PATH: process.env.PATH ?? "",
    PARTNER_TRADING_BASE_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
    PARTNER_TRADING_API_KEY: "pk_test_1",
    PARTNER_TRADING_API_SECRET: API_SECRET,
    PARTNER_TRADING_CHAIN_ID: "31337",
    PARTNER_TRADING_PRODUCT: "Sandbox",
  };
});
beforeEach(() => void received.splice(0));
afterAll(() => void service.close());

/** Runs a program to its end. */
async function run(args: string[], variables: Record<string, string>) {
  const child = spawn(process.execPath, args, { env: variables, cwd: ROOT });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data));
  child.stdin.end();
  const [code] = await once(child, "close");
  return { code, output };
}

describe.each([
  ["its own command", [BIN]],
  ["the partners' command", [COMMAND, "mcp"]],
])("%s", (_name, program) => {
  it.each([
    ["reads alone", [], false],
    ["trades", ["--trading"], true],
  ])("%s, on standard input and output", async (_what, flags, isTrading) => {
    const client = await connectStdio([...program, ...flags], env);
    const names = await client.toolNames();
    const answer = await client.call("symbols", { tradable: "true" });
    await client.close();
    expect(names.includes("orderSend")).toBe(isTrading);
    expect(answer.text).toContain(UUID);
    expect(received).toMatchObject([
      { request: "GET /api/v1/symbols?tradable=true", headers: { "x-api-key": "pk_test_1" } },
    ]);
    expect({
      hasSecret: [client.errors(), JSON.stringify([answer, received])].some((text) =>
        text.includes(API_SECRET),
      ),
    }).toEqual({
      hasSecret: false,
    });
  });

  it("ends with its input, and names what is missing in the environment, never the secret", async () => {
    expect(await run(program, env)).toEqual({ code: 0, output: "" });
    const { PARTNER_TRADING_CHAIN_ID: _chain, ...without } = env;
    const { code, output } = await run(program, without);
    expect({
      code,
      isNamed: output.includes("PARTNER_TRADING_CHAIN_ID"),
      hasSecret: output.includes(API_SECRET),
    }).toEqual({
      code: 1,
      isNamed: true,
      hasSecret: false,
    });
  });
});

it("another argument is refused", async () => {
  expect(await run([BIN, "--secret", API_SECRET], env)).toMatchObject({
    code: 2,
    output: expect.stringContaining("There is no --secret"),
  });
});
