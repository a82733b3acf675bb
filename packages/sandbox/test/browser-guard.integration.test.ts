import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Browser } from "playwright-core";
import { WebSocket } from "ws";
import { until } from "../../../test/support/assert/until.ts";
import { newPage, startBrowser } from "../../../test/support/http/browser.ts";
import { contextWithoutService } from "../../../test/support/sandbox/control-context.ts";
import { type Anvil, startAnvil } from "../src/anvil.ts";
import { type ControlServer, startControl } from "../src/control/server.ts";
import { createMarket, type Market } from "../src/feed/market.ts";
import { newMarketState } from "../src/feed/state.ts";
import { rpc } from "../src/rpc.ts";

/** Access of a page in a browser of this machine to a sandbox: none, unless its origin is allowed. */
const FOREIGN = "http://evil.example";
let allowed: string;
let page: Server;
let anvil: Anvil;
let control: ControlServer;
let market: Market;

/** Serves an empty page. */
async function servePage(): Promise<{ server: Server; origin: string }> {
  const server = createServer((_request, response) =>
    response.setHeader("content-type", "text/html").end("<!doctype html>"),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

beforeAll(async () => {
  const served = await servePage();
  [page, allowed] = [served.server, served.origin];
  // Prices move with the clock: this one stands still.
  const nowMs = Date.now();
  const now = () => nowMs;
  market = createMarket({ state: newMarketState(), save: () => undefined, now });
  const admitted = { origins: [allowed], hosts: ["sandbox"] };
  anvil = await startAnvil({ chainId: 31337, guard: { allowed: admitted } });
  const context = contextWithoutService({ desks: new Map(), market, now, allowed: admitted });
  control = await startControl(0, "127.0.0.1", context);
});

afterAll(async () => {
  page.close();
  await Promise.all([anvil.stop(), control.close()]);
});

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Sends exactly the given headers, even `host`, which fetch would not. */
function ask(url: string, { method = "POST", headers = {}, body = "" }: Sent) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }>(
    (resolve, reject) => {
      const sent = request(url, { method, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part) => (text += part));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        );
      });
      sent.on("error", reject);
      sent.end(body);
    },
  );
}

const JSON_TYPE = { "content-type": "application/json" };
const call = (method: string, params: unknown[] = []) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
const height = async () => Number(await rpc(anvil.rpcUrl, "eth_blockNumber"));
const pinned = async () => {
  const { body } = await ask(`${control.url}/feed/quotes/AAPL`, { method: "GET" });
  return (JSON.parse(body) as { price: string }).price;
};

const refused: [string, number, Record<string, string>][] = [
  ["a foreign Host", 403, { ...JSON_TYPE, host: "evil.example" }],
  ["a foreign Host with a port", 403, { ...JSON_TYPE, host: "evil.example:8545" }],
  ["a Host that begins like ours", 403, { ...JSON_TYPE, host: "127.0.0.1.evil.example" }],
  ["a Host that ends like ours", 403, { ...JSON_TYPE, host: "evil.localhost" }],
  ["a Host that ends like an allowed one", 403, { ...JSON_TYPE, host: "evil.sandbox:4000" }],
  ["an allowed Host, of a page of a foreign Origin", 403, { ...JSON_TYPE, host: "sandbox", origin: FOREIGN }],
  ["a foreign Origin", 403, { ...JSON_TYPE, origin: FOREIGN }],
  ["the Origin of a sandboxed frame", 403, { ...JSON_TYPE, origin: "null" }],
  ["an Origin of another port", 403, { ...JSON_TYPE, origin: "http://127.0.0.1:1" }],
  ["no Origin, from another site", 403, { ...JSON_TYPE, "sec-fetch-site": "cross-site" }],
  ["a form's type", 415, { "content-type": "application/x-www-form-urlencoded" }],
  ["plain text", 415, { "content-type": "text/plain" }],
  ["a type that begins like JSON's", 415, { "content-type": "application/json-seq" }],
  ["no type", 415, {}],
];

it("a chain announces the calls that change it, and no others", async () => {
  const heard: string[] = [];
  const unsubscribe = anvil.changes?.subscribe((change) => void heard.push(change));
  await rpc(anvil.rpcUrl, "evm_setAutomine", [true]);
  await height();
  await until("it is announced", () => heard.length > 0);
  expect(heard).toEqual(["mined"]);
  const before = await height();
  await anvil.mining.beat();
  expect(heard).toEqual(["mined", "mined"]);
  expect(await height()).toBe(before + 1);
  unsubscribe?.();
});

describe.each(["the chain", "the control"] as const)("%s", (which) => {
  const send = (headers: Record<string, string>) =>
    which === "the chain"
      ? ask(anvil.rpcUrl, { headers, body: call("evm_mine") })
      : ask(`${control.url}/price`, { headers, body: '{"symbol":"AAPL","price":"4711"}' });
  const happened = async () => (which === "the chain" ? await height() : await pinned());

  it.each(refused)("refuses %s", async (_what, status, headers) => {
    const before = await happened();
    const answer = await send(headers);
    expect(answer.status).toBe(status);
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    expect(await happened()).toEqual(before);
  });

  it("answers no preflight of a foreign origin, and one of an allowed origin", async () => {
    const url = which === "the chain" ? anvil.rpcUrl : `${control.url}/price`;
    const asked = {
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type",
    };
    const foreign = await ask(url, { method: "OPTIONS", headers: { origin: FOREIGN, ...asked } });
    expect(foreign.status).toBe(403);
    expect(foreign.headers["access-control-allow-origin"]).toBeUndefined();
    const ours = await ask(url, { method: "OPTIONS", headers: { origin: allowed, ...asked } });
    expect(ours.status).toBe(204);
    expect(ours.headers["access-control-allow-origin"]).toBe(allowed);
  });

  it("serves programs, which send no Origin", async () => {
    const before = await happened();
    expect((await send(JSON_TYPE)).status).toBe(200);
    expect(await happened()).not.toEqual(before);
    await ask(`${control.url}/price`, { headers: JSON_TYPE, body: '{"symbol":"AAPL","price":null}' });
  });

  it.each(["sandbox", "Sandbox:4000"])("serves programs that call it %s, which is allowed", async (host) => {
    const before = await happened();
    expect((await send({ ...JSON_TYPE, host })).status).toBe(200);
    expect(await happened()).not.toEqual(before);
    await ask(`${control.url}/price`, { headers: JSON_TYPE, body: '{"symbol":"AAPL","price":null}' });
  });
});

describe("a page of an allowed origin", () => {
  const send = (body: string) => ask(anvil.rpcUrl, { headers: { ...JSON_TYPE, origin: allowed }, body });

  it("may call what real nodes have, and read the answer", async () => {
    const answer = await send(call("eth_chainId"));
    expect(answer).toMatchObject({ status: 200, body: '{"jsonrpc":"2.0","id":1,"result":"0x7a69"}' });
    expect(answer.headers["access-control-allow-origin"]).toBe(allowed);
    expect((await send(call("net_version"))).status).toBe(200);
    expect((await send(`[${call("eth_chainId")},${call("eth_blockNumber")}]`)).status).toBe(200);
  });

  it.each([
    call("anvil_setBalance", ["0x0000000000000000000000000000000000000001", "0x1"]),
    call("anvil_reset"),
    call("evm_mine"),
    call("hardhat_mine", ["0x1"]),
    call("debug_traceTransaction", [`0x${"00".repeat(32)}`]),
    call("txpool_content"),
    call("eth_subscribe", ["newHeads"]),
    `[${call("eth_chainId")},${call("evm_mine")}]`,
    '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[],"method":"evm_mine"}',
  ])("may not call %s", async (body) => {
    const before = await height();
    expect((await send(body)).status).toBe(403);
    expect(await height()).toBe(before);
  });

  it("does not get past the check by naming two methods", async () => {
    const before = await height();
    const { body } = await send(
      '{"jsonrpc":"2.0","id":1,"method":"evm_mine","params":[],"method":"eth_chainId"}',
    );
    expect(JSON.parse(body)).toEqual({ jsonrpc: "2.0", id: 1, result: "0x7a69" });
    expect(await height()).toBe(before);
  });
});

describe("the chain's server", () => {
  it("keeps answers apart, however many calls are in flight and however long they are", async () => {
    const state = String(await rpc(anvil.rpcUrl, "anvil_dumpState"));
    expect(state.length).toBeGreaterThan(500);
    const calls = Array.from({ length: 60 }, (_, index) =>
      rpc(anvil.rpcUrl, "web3_sha3", [`0x${index + 10}`]),
    );
    const answers = await Promise.all([...calls, rpc(anvil.rpcUrl, "anvil_dumpState")]);
    expect(new Set(answers.slice(0, 60)).size).toBe(60);
    expect(answers[60]).toBe(state);
  });

  it.each([
    ["no JSON", "{"],
    ["no call", "[]"],
    [
      "a call without an id, which would get no answer",
      '{"jsonrpc":"2.0","method":"eth_chainId","params":[]}',
    ],
    ["a number", "7"],
  ])("refuses %s", async (_what, body) => {
    const answer = await ask(anvil.rpcUrl, { headers: JSON_TYPE, body });
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: -32600 } });
  });

  it("answers 404 for logs of a block that it does not have, which clients do not ask for again", async () => {
    const logsOf = (blockHash: string) =>
      ask(anvil.rpcUrl, {
        headers: JSON_TYPE,
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getLogs", params: [{ blockHash }] }),
      });
    const missing = await logsOf(`0x${"ab".repeat(32)}`);
    expect(missing.status).toBe(404);
    expect(JSON.parse(missing.body)).toMatchObject({ id: 1, error: { message: "unknown block" } });
    const { hash } = (await rpc(anvil.rpcUrl, "eth_getBlockByNumber", ["latest", false])) as { hash: string };
    const present = await logsOf(hash);
    expect(present.status).toBe(200);
    expect(JSON.parse(present.body)).toMatchObject({ result: [] });
  });

  it("refuses what is too long", async () => {
    const body = " ".repeat(3 * 1024 * 1024);
    expect(
      (await ask(anvil.rpcUrl, { headers: { ...JSON_TYPE, "transfer-encoding": "chunked" }, body })).status,
    ).toBe(413);
  });

  it("announces blocks to programs over WebSockets, beside answers", async () => {
    const messages = await socketMessages();
    messages.send(call("eth_subscribe", ["newHeads"]));
    await until("the subscription", () => messages.received.length === 1 || undefined);
    const subscription = messages.received[0]?.result;
    expect(subscription).toMatch(/^0x/);
    messages.send(call("anvil_mine", ["0x1"]));
    await until("an answer and a head", () => messages.received.length === 3 || undefined);
    expect(messages.received).toContainEqual({ jsonrpc: "2.0", id: 1, result: null });
    expect(messages.received).toContainEqual({
      jsonrpc: "2.0",
      method: "eth_subscription",
      params: {
        subscription,
        result: expect.objectContaining({ number: `0x${(await height()).toString(16)}` }),
      },
    });
    messages.close();
  });

  it("answers a WebSocket's message that it does not take: no call, or a subscription among others", async () => {
    const messages = await socketMessages();
    messages.send("{");
    messages.send(`[${call("eth_subscribe", ["newHeads"])}, ${call("eth_chainId")}]`);
    await until("two answers", () => messages.received.length === 2 || undefined);
    for (const message of messages.received) expect(message).toMatchObject({ error: { code: -32600 } });
    messages.close();
  });

  it.each([
    ["a foreign page", { origin: FOREIGN }],
    ["a page whose name was rebound to this machine", { host: "evil.example" }],
    ["a page of an allowed origin", {}],
  ])("offers %s no WebSocket", async (_what, headers) => {
    const page = Object.keys(headers).length === 0 ? { origin: allowed } : headers;
    const upgrade = new WebSocket(anvil.rpcUrl.replace("http", "ws"), { headers: page });
    await expect(once(upgrade, "open")).rejects.toThrow("403");
  });

  it("is the only way to the chain: nobody can connect to a port of anvil's own", async () => {
    const addresses = listeningAddresses(anvil.pid);
    expect(addresses.length).toBeGreaterThan(0);
    for (const { host, port } of addresses) {
      const connected = new Promise<void>((resolve, reject) => {
        const socket = connect(port, host, () => resolve());
        socket.on("error", reject);
      });
      await expect(connected).rejects.toThrow();
    }
  });
});

/** Connects over a WebSocket, and keeps the messages. */
async function socketMessages() {
  const socket = new WebSocket(anvil.rpcUrl.replace("http", "ws"));
  const received: Record<string, unknown>[] = [];
  socket.on("message", (data) => received.push(JSON.parse(`${data}`)));
  await once(socket, "open");
  return {
    received,
    send: (text: string) => socket.send(text),
    close: () => socket.terminate(),
  };
}

/** Returns the IPv4 addresses where a process listens. Linux only. */
function listeningAddresses(pid: number): { host: string; port: number }[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`).match(/^socket:\[(\d+)\]$/)?.[1] ?? [];
      } catch {
        return [];
      }
    }),
  );
  return readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === "0A" && sockets.has(fields[9] ?? ""))
    .map(([, local = ""]) => {
      const [address = "", port = ""] = local.split(":");
      const host = (address.match(/../g) ?? [])
        .reverse()
        .map((byte) => Number.parseInt(byte, 16))
        .join(".");
      return { host, port: Number.parseInt(port, 16) };
    });
}

describe("in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    // A name that resolves to this machine.
    browser = await startBrowser(["--host-resolver-rules=MAP rebound.example 127.0.0.1"]);
  });
  afterAll(() => browser.close());

  /** Returns a page's result of a POST from `url`: a status, "opaque" where it may not read, or "blocked". */
  async function postFrom(
    url: string,
    target: string,
    body: string,
    simple = false,
  ): Promise<number | string> {
    const { page: tab } = await newPage(browser);
    try {
      await tab.goto(url);
      return await tab.evaluate(
        async ([to, text, isSimple]) => {
          const init: RequestInit = isSimple
            ? { mode: "no-cors", headers: { "content-type": "text/plain" } }
            : { headers: { "content-type": "application/json" } };
          try {
            const response = await fetch(to as string, { method: "POST", body: text as string, ...init });
            return response.type === "opaque" ? "opaque" : response.status;
          } catch {
            return "blocked";
          }
        },
        [target, body, simple] as const,
      );
    } finally {
      await tab.context().close();
    }
  }

  it("a foreign page changes nothing, with simple requests or others", async () => {
    const { server, origin } = await servePage();
    try {
      const before = [await height(), await pinned()];
      const price = '{"symbol":"AAPL","price":"4712"}';
      expect(await postFrom(origin, anvil.rpcUrl, call("evm_mine"))).toBe("blocked");
      expect(await postFrom(origin, anvil.rpcUrl, call("evm_mine"), true)).toBe("opaque");
      expect(await postFrom(origin, `${control.url}/price`, price)).toBe("blocked");
      expect(await postFrom(origin, `${control.url}/price`, price, true)).toBe("opaque");
      expect([await height(), await pinned()]).toEqual(before);
    } finally {
      server.close();
    }
  });

  it("a page whose name was rebound to this machine is refused", async () => {
    const before = [await height(), await pinned()];
    const chain = anvil.rpcUrl.replace("127.0.0.1", "rebound.example");
    const script = control.url.replace("127.0.0.1", "rebound.example");
    expect(await postFrom(chain, chain, call("evm_mine"))).toBe(403);
    expect(await postFrom(script, `${script}/price`, '{"symbol":"AAPL","price":"4713"}')).toBe(403);
    expect([await height(), await pinned()]).toEqual(before);
  });

  it("a page of an allowed origin calls the chain as a dapp does, and none of anvil's own methods", async () => {
    expect(await postFrom(allowed, anvil.rpcUrl, call("eth_chainId"))).toBe(200);
    expect(await postFrom(allowed, anvil.rpcUrl, call("evm_mine"))).not.toBe(200);
    expect(await postFrom(allowed, `${control.url}/price`, '{"symbol":"AAPL","price":null}')).toBe(200);
  });
});
