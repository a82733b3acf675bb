import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { type RpcServer, startRpcServer } from "../src/rpc-server.ts";

// Calls of the sandbox itself, to a node whose answers each test gives.

let folder: string;
let node: Server;
let server: RpcServer;
let answer: object;
let asked: unknown[];
const announced: (readonly string[])[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "rpc-server-"));
  const ipcPath = join(folder, "ipc");
  node = createServer((socket) => {
    socket.on("data", (data) => {
      asked.push(JSON.parse(`${data}`));
      if ("hangUp" in answer) socket.destroy();
      else socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, ...answer })}\n`);
    });
  });
  await new Promise<void>((resolve) => node.listen(ipcPath, resolve));
  const onAnswered = (methods: readonly string[]) => void announced.push(methods);
  server = await startRpcServer({ ipcPath, port: 0, allowed: { origins: [], hosts: [] }, onAnswered });
});

afterAll(async () => {
  await server?.close();
  node?.close();
  rmSync(folder, { recursive: true, force: true });
});

it("go to the node past HTTP, are announced as others are, and return its result", async () => {
  [asked, answer] = [[], { result: { pending: "0x1" } }];
  expect(await server.call("txpool_status")).toEqual({ pending: "0x1" });
  answer = { result: null };
  expect(await server.call("evm_mine", [1])).toBeNull();
  expect(asked).toEqual([
    { jsonrpc: "2.0", id: 1, method: "txpool_status", params: [] },
    { jsonrpc: "2.0", id: 1, method: "evm_mine", params: [1] },
  ]);
  expect(announced).toEqual([["txpool_status"], ["evm_mine"]]);
});

it("fail with the node's message, and where it hangs up", async () => {
  [asked, answer] = [[], { error: { code: -32601, message: "no such method" } }];
  await expect(server.call("evm_mine")).rejects.toThrow("no such method");
  answer = { hangUp: true };
  await expect(server.call("evm_mine")).rejects.toThrow("the chain has ended");
});
