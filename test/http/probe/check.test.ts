import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import {
  DEFECTS,
  type Defect,
  type ProbedScope,
  probeRead,
  probeRefusal,
} from "../../../src/http/probe/check.ts";
import { sign, TIMESTAMP_WINDOW_MS } from "../../../src/protocol/signing.ts";

const NOW = 1_800_000_000_000;
const SECRET = "a secret of the prober";
const address = (digit: string) => `0x${digit.repeat(40)}` as const;
const contracts = {
  stockRouter: address("a"),
  cashier: address("b"),
  stock: address("c"),
  oneClickRouter: address("d"),
};
const scope: ProbedScope = { chainId: 7, productType: "Stocks", contracts };
const config = {
  ...scope,
  contracts: { ...contracts, stock: address("C"), cashSpender: address("a") },
  more: 1,
};
const stamp = { uuid: "u-1", t: NOW + 3_000 };
const success = { code: 200, errMsg: "", data: config, ...stamp };
const unauthorized = { code: 401, errMsg: "Unauthorized", data: null, ...stamp };

let server: Server;
let url: string;
let answer: (response: ServerResponse) => void;
let seen: { target: string; headers: IncomingHttpHeaders; connections: Set<unknown> };

beforeAll(async () => {
  server = createServer((request, response) => {
    seen = {
      target: request.url ?? "",
      headers: request.headers,
      connections: seen.connections.add(request.socket),
    };
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/trading`;
});
beforeEach(() => {
  seen = { target: "", headers: {}, connections: new Set() };
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const target = () => ({ url, apiKey: "pk_1", apiSecret: SECRET, now: () => NOW });
const json = (status: number, body: object, headers: Record<string, string> = {}) => {
  answer = (response) => response.writeHead(status, headers).end(JSON.stringify(body));
};
const READ = { "x-indexed-block": "12" };

describe("a read", () => {
  it("is signed, without the prefix, over a connection of its own, and answered right", async () => {
    json(200, success, READ);
    const outcome = await probeRead(target(), scope);
    expect(outcome).toMatchObject({
      check: "read",
      result: "ok",
      block: 12n,
      clockOffsetSeconds: 3,
      certificateExpiresAt: null,
    });
    expect(seen.target).toBe("/trading/api/v1/config");
    const parts = { method: "GET", uri: "/api/v1/config", timestamp: String(NOW), nonce: outcome.nonce };
    expect(seen.headers).toMatchObject({
      "x-api-key": "pk_1",
      "x-api-ts": String(NOW),
      "x-api-nonce": outcome.nonce,
      "x-api-chain-id": "7",
      "x-api-p": "Stocks",
      "x-api-sign": await sign(SECRET, parts, ""),
    });
    await probeRead(target(), scope);
    expect(seen.connections.size).toBe(2);
  });

  it.each([
    ["another chain", { ...success, data: { ...config, chainId: 8 } }, READ, "another scope"],
    ["another product", { ...success, data: { ...config, productType: "stocks" } }, READ, "another scope"],
    [
      "another contract",
      { ...success, data: { ...config, contracts: { ...contracts, stock: address("e") } } },
      READ,
      "stock is not the contract",
    ],
    ["a contract less", { ...success, data: { ...config, contracts: {} } }, READ, "stockRouter is not"],
    ["no configuration", { ...success, data: null }, READ, "no configuration"],
    ["no block", success, {}, "names no block"],
    ["the block in words", success, { "x-indexed-block": "latest" }, "names no block"],
    ["a failure as a success", { ...success, code: 10_000 }, READ, "no envelope"],
    ["a page of somebody else", { hello: "world" }, READ, "no envelope"],
  ])("that is answered with %s is wrong, and names no block", async (_what, body, headers, reason) => {
    json(200, body, headers);
    expect(await probeRead(target(), scope)).toMatchObject({
      result: "wrong",
      block: null,
      why: { status: 200, reason: expect.stringContaining(reason) },
    });
  });

  it.each([
    [503, { code: 10_010, errMsg: "", data: null, errCode: "INDEXER_BEHIND", ...stamp }, "INDEXER_BEHIND"],
    [400, unauthorized, undefined],
    [429, { code: 429, errMsg: "", data: null, errCode: "RATE_LIMITED", ...stamp }, "RATE_LIMITED"],
  ])("that is refused with %i failed, and the log names the answer", async (status, body, errCode) => {
    json(status, body, READ);
    const outcome = await probeRead(target(), scope);
    expect(outcome).toMatchObject({ result: "failed", block: null, why: { status, uuid: "u-1" } });
    expect(outcome.why.errCode).toBe(errCode);
  });

  it("that a proxy answers with a page failed", async () => {
    answer = (response) => response.writeHead(502).end("<html>");
    expect(await probeRead(target(), scope)).toMatchObject({
      result: "failed",
      clockOffsetSeconds: null,
      why: { status: 502 },
    });
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ["nothing", (response) => response.destroy()],
    [
      "half of it",
      (response) => {
        response.writeHead(200, { "content-length": "100" }).write("{");
        setImmediate(() => response.destroy());
      },
    ],
  ])("that is answered with %s is unreachable, with the error", async (_what, reply) => {
    answer = reply;
    expect(await probeRead(target(), scope)).toMatchObject({
      result: "unreachable",
      why: { err: expect.objectContaining({ code: "ECONNRESET" }) },
    });
  });
});

describe("a request that must be refused", () => {
  const refuse = (defect: Defect) => probeRefusal(target(), scope, defect, "used-nonce");

  it.each(DEFECTS)("is wrong in its %s alone, and its refusal is right", async (defect) => {
    json(400, unauthorized);
    expect(await refuse(defect)).toMatchObject({ check: "refusal", result: "ok", why: { defect } });
    const { "x-api-ts": timestamp = "", "x-api-nonce": nonce = "", "x-api-sign": signature } = seen.headers;
    const right = await sign(
      SECRET,
      { method: "GET", uri: "/api/v1/config", timestamp: String(timestamp), nonce: String(nonce) },
      "",
    );
    expect({
      signature: signature !== right,
      timestamp: Math.abs(Number(timestamp) - NOW) > TIMESTAMP_WINDOW_MS,
      nonce: nonce === "used-nonce",
    }).toEqual({ signature: false, timestamp: false, nonce: false, [defect]: true });
  });

  it.each([
    ["answered", 200, success, "wrong"],
    ["refused in another way", 404, { ...unauthorized, code: 404 }, "wrong"],
    ["refused with data", 400, { ...unauthorized, data: config }, "wrong"],
    ["not judged", 503, { ...unauthorized, code: 10_010 }, "failed"],
    ["limited", 429, { ...unauthorized, code: 429 }, "failed"],
  ])("and is %s: %i", async (_what, status, body, result) => {
    json(status, body, READ);
    expect(await refuse("signature")).toMatchObject({ result, block: null });
  });
});
