import { afterEach, describe, expect, it, jest } from "@jest/globals";
import type { z } from "zod";
import { ask } from "../../../src/chain/rpc.ts";
import {
  createNodes,
  hash,
  type Node,
  NodeRefused,
  type NodesOptions,
  NodeUnreachable,
  quantity,
  transactionCount,
} from "../../../src/sending/sender/nodes.ts";
import {
  answers,
  createFakeChain,
  DOWN,
  type FakeChain,
  fails,
  toHex,
} from "../../support/chain/fake-chain.ts";

const chains: FakeChain[] = [];
afterEach(() => {
  for (const chain of chains.splice(0)) chain.close();
});

function nodesOf(count: number, options: Partial<NodesOptions> = {}) {
  const chain = createFakeChain({ nodes: count });
  chains.push(chain);
  const { chainId, urls } = chain;
  const nodes = createNodes({ chainId, rpcUrls: urls, confirmations: 3, timeoutMs: 5_000, ...options });
  return { chain, nodes, urls };
}

const answeredBy = (chain: FakeChain) => chain.asked.map(({ node }) => node);

/** Lets one node answer nothing, or something else. */
function cut(chain: FakeChain, node: number, answer = DOWN, method?: string): void {
  chain.intercept = (asked) =>
    asked.node === node && (method === undefined || asked.method === method) ? answer : undefined;
}

describe("a node", () => {
  it("is opened at its head, of the right chain", async () => {
    const { chain, nodes, urls } = nodesOf(1);
    const node = await nodes.open();
    expect(node.url).toBe(urls[0]);
    expect(node.head).toEqual({
      number: 100n,
      hash: chain.hashOf(100n),
      timestamp: 1_800_000_100n,
      baseFee: 1_000_000_000n,
      gasLimit: 30_000_000n,
    });
    expect(nodes).toMatchObject({ chainId: 31337, confirmations: 3 });
    expect(chain.asked.map(({ method, params }) => [method, params])).toEqual([
      ["eth_chainId", []],
      ["eth_getBlockByNumber", ["latest", false]],
    ]);
  });

  it("of a chain without base fees has none", async () => {
    const { chain, nodes } = nodesOf(1);
    const head = { number: "0x1", hash: `0x${"AB".repeat(32)}`, timestamp: "0x1", gasLimit: "0x1" };
    cut(chain, 0, answers(head), "eth_getBlockByNumber");
    expect((await nodes.open()).head).toMatchObject({ baseFee: 0n, hash: `0x${"ab".repeat(32)}` });
    cut(chain, 0, answers({ ...head, baseFeePerGas: null }), "eth_getBlockByNumber");
    expect((await nodes.open()).head.baseFee).toBe(0n);
  });

  it("of another chain is not used, and is told of", async () => {
    const wrong: string[] = [];
    const { chain, nodes } = nodesOf(1, { onWrongChain: (answered) => wrong.push(answered) });
    cut(chain, 0, answers("0x1"), "eth_chainId");
    await expect(nodes.open()).rejects.toThrow(
      "no node of chain 31337 answers: a node of chain 1 answers for chain 31337",
    );
    expect(wrong).toEqual(["1"]);
    const silent = nodesOf(1);
    cut(silent.chain, 0, answers("0x1"), "eth_chainId");
    await expect(silent.nodes.open()).rejects.toThrow("a node of chain 1 answers for chain 31337");
  });

  it("is told apart by what it answers: a value, an error, something else, or nothing", async () => {
    const { chain, nodes } = nodesOf(1);
    const node = await nodes.open();
    expect(await node.ask("eth_getBalance", ["0x1", "latest"], quantity)).toBe(10n ** 18n);
    expect(chain.asked.at(-1)).toEqual({ node: 0, method: "eth_getBalance", params: ["0x1", "latest"] });
    cut(chain, 0, fails("no", "0x12"));
    const refused = await node.ask("eth_getBalance", [], quantity).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(NodeRefused);
    expect(refused).toMatchObject({ name: "NodeRefused", message: "no", code: -32000, data: "0x12" });
    cut(chain, 0, answers("ten"));
    await expect(node.ask("eth_getBalance", [], quantity)).rejects.toThrow(
      new NodeUnreachable("eth_getBalance: an answer of another shape"),
    );
    cut(chain, 0);
    await expect(node.ask("eth_getBalance", [], quantity)).rejects.toThrow(
      new NodeUnreachable("eth_getBalance: TypeError"),
    );
  });
});

describe("several nodes", () => {
  it("are used in the order of the file: the first that answers, and one that did not comes back after a comparison", async () => {
    const { chain, nodes, urls } = nodesOf(3, { compareMs: 1e12 });
    await nodes.compare();
    cut(chain, 0);
    expect((await nodes.open()).url).toBe(urls[1]);
    chain.intercept = () => undefined;
    expect((await nodes.open()).url).toBe(urls[1]);
    await nodes.compare();
    expect((await nodes.open()).url).toBe(urls[0]);
    cut(chain, 0);
    await nodes.compare();
    chain.intercept = () => undefined;
    expect((await nodes.open()).url).toBe(urls[1]);
  });

  it("that all fail are named with their reasons, and tried again", async () => {
    const { chain, nodes } = nodesOf(2, { compareMs: 1e12 });
    chain.intercept = ({ node }) => (node === 0 ? DOWN : fails("busy"));
    await expect(nodes.open()).rejects.toThrow(
      "no node of chain 31337 answers: eth_chainId: TypeError; busy",
    );
    chain.intercept = () => undefined;
    await nodes.open();
  });

  it("are not used while they are more than five blocks behind, which is told", async () => {
    const stale: object[] = [];
    const { chain, nodes, urls } = nodesOf(3, { onStale: (each) => stale.push(each), compareMs: 1e12 });
    const at = (number: bigint) => ({
      number: toHex(number),
      hash: chain.hashOf(number),
      timestamp: "0x1",
      gasLimit: "0x1",
    });
    const heads = [100n, 95n, 94n];
    chain.intercept = ({ node, method }) =>
      method === "eth_getBlockByNumber" ? answers(at(heads[node] ?? 0n)) : undefined;
    await nodes.compare();
    expect(stale).toEqual([{ node: 3, blocksBehind: "6" }]);
    chain.asked.length = 0;
    await nodes.askAll(urls[0] ?? "", "eth_getBalance", []);
    expect({ nodes: answeredBy(chain) }).toEqual({ nodes: [0, 1] });
    const untold = createNodes({ chainId: 31337, rpcUrls: urls, confirmations: 3, timeoutMs: 5_000 });
    await untold.compare();
  });

  it("are compared beside the work, and not again before time", async () => {
    const time = jest.spyOn(Date, "now");
    const { chain, nodes, urls } = nodesOf(2, { compareMs: 1_000 });
    let nowMs = 1_000_000;
    time.mockImplementation(() => nowMs);
    const opened = async () => {
      chain.asked.length = 0;
      await nodes.open();
      await new Promise((resolve) => setTimeout(resolve, 20));
      return answeredBy(chain).filter((node) => node === 1).length > 0;
    };
    expect(await opened()).toBe(true);
    nowMs += 999;
    expect(await opened()).toBe(false);
    nowMs += 1;
    expect(await opened()).toBe(true);
    const alone = nodesOf(1, { compareMs: 0 });
    await alone.nodes.open();
    await alone.nodes.open();
    expect(alone.chain.asked).toHaveLength(4);
    expect(urls).toHaveLength(2);
    time.mockRestore();
  });

  it("leave one out for as long as told", async () => {
    const time = jest.spyOn(Date, "now");
    let nowMs = 1_000_000;
    time.mockImplementation(() => nowMs);
    const { nodes, urls } = nodesOf(2, { compareMs: 1e12 });
    await nodes.compare();
    nodes.avoid(urls[0] ?? "", 500);
    expect((await nodes.open()).url).toBe(urls[1]);
    nowMs += 499;
    await nodes.compare();
    expect((await nodes.open()).url).toBe(urls[1]);
    nowMs += 1;
    await nodes.compare();
    expect((await nodes.open()).url).toBe(urls[0]);
    time.mockRestore();
  });
});

describe("a node that serves its head, and fails to answer otherwise", () => {
  const ask = (node: Node, method: string) => node.ask(method, [], quantity).catch(() => undefined);

  it.each([
    ["eth_getTransactionCount", fails("busy")],
    ["eth_call", DOWN],
    ["eth_call", answers({ surprise: true })],
  ])("is left out for a minute: %s", async (method, answer) => {
    const { chain, nodes, urls } = nodesOf(2, { compareMs: 1e12 });
    await nodes.compare();
    cut(chain, 0, answer, method);
    await ask(await nodes.open(), method);
    // A later failure does not end it.
    nodes.avoid(urls[0] ?? "", 0);
    await nodes.compare();
    expect((await nodes.open()).url).toBe(urls[1]);
  });

  it("is used on where it answers with an error that is the question's", async () => {
    const { chain, nodes, urls } = nodesOf(2, { compareMs: 1e12 });
    cut(chain, 0, fails("execution reverted"), "eth_call");
    await ask(await nodes.open(), "eth_call");
    expect((await nodes.open()).url).toBe(urls[0]);
  });

  it("of another chain is asked nothing, also where none is usable, until it is of the right one", async () => {
    const { chain, nodes, urls } = nodesOf(2, { compareMs: 1e12 });
    const calls = [{ method: "eth_getBlockByNumber", params: ["0x1", false] }];
    cut(chain, 1, answers("0x1"), "eth_chainId");
    await nodes.compare();
    nodes.avoid(urls[0] ?? "", 60_000);
    expect(await nodes.askOthers(urls[0] ?? "", calls)).toEqual([]);
    expect((await nodes.open()).url).toBe(urls[0]);
    chain.intercept = () => undefined;
    await nodes.compare();
    expect(await nodes.askOthers(urls[0] ?? "", calls)).toHaveLength(1);
  });

  it("is opened again where no node was of the right chain", async () => {
    const { chain, nodes, urls } = nodesOf(1);
    cut(chain, 0, answers("0x1"), "eth_chainId");
    await expect(nodes.open()).rejects.toThrow("a node of chain 1 answers");
    chain.intercept = () => undefined;
    expect((await nodes.open()).url).toBe(urls[0]);
  });

  it("comes later the longer it is left out, where none is usable", async () => {
    const { nodes, urls } = nodesOf(3, { compareMs: 1e12 });
    for (const [index, ms] of [60_000, 1_000, 30_000].entries()) nodes.avoid(urls[index] ?? "", ms);
    expect((await nodes.open()).url).toBe(urls[1]);
  });

  it("comes after the others also where none is usable", async () => {
    const { chain, nodes, urls } = nodesOf(3, { compareMs: 1e12 });
    cut(chain, 0, DOWN, "eth_call");
    await ask(await nodes.open(), "eth_call");
    expect((await nodes.open()).url).toBe(urls[1]);
  });
});

describe("what is asked of several nodes", () => {
  const isValue = (answer: { kind: string }) => answer.kind === "result";

  it("begins with the first one, and ends with an answer that is enough", async () => {
    const { chain, nodes, urls } = nodesOf(3);
    cut(chain, 1, fails("no"));
    const calls = [{ method: "eth_getBalance", params: [] }];
    expect((await nodes.sendUntil(urls[1] ?? "", calls, isValue))[0]).toHaveLength(2);
    expect({ nodes: answeredBy(chain) }).toEqual({ nodes: [1, 0] });
    chain.asked.length = 0;
    expect((await nodes.sendUntil(urls[1] ?? "", calls, () => false))[0]).toHaveLength(3);
    expect({ nodes: answeredBy(chain) }).toEqual({ nodes: [1, 0, 2] });
  });

  it("goes to all of them, or to each of the file until one is enough", async () => {
    const { chain, nodes, urls } = nodesOf(3);
    expect(await nodes.askAll(urls[2] ?? "", "eth_getBalance", [])).toHaveLength(3);
    expect({ nodes: answeredBy(chain) }).toEqual({ nodes: [2, 0, 1] });
    await nodes.compare();
    cut(chain, 0);
    await nodes.askAll(urls[0] ?? "", "eth_getBalance", []);
    chain.asked.length = 0;
    await nodes.askAll(urls[1] ?? "", "eth_getBalance", []);
    expect({ nodes: answeredBy(chain) }).toEqual({ nodes: [1, 2] });
    chain.asked.length = 0;
    const answer = await nodes.askEach(urls[1] ?? "", "eth_getBalance", [], () => false);
    expect({ nodes: answeredBy(chain) }).toEqual({ nodes: [1, 0, 2] });
    expect(answer).toEqual(answers("0xde0b6b3a7640000"));
    expect(await nodes.askEach(urls[0] ?? "", "eth_getBalance", [], (each) => !isValue(each))).toMatchObject({
      kind: "unreachable",
    });
  });

  it("is sent to all of them in one order, and each answer is its call's", async () => {
    const { chain, nodes, urls } = nodesOf(2);
    const calls = ["eth_chainId", "eth_getBalance"].map((method) => ({ method, params: [] }));
    expect(await nodes.sendAll(urls[1] ?? "", calls)).toEqual([
      [answers("0x7a69"), answers("0x7a69")],
      [answers("0xde0b6b3a7640000"), answers("0xde0b6b3a7640000")],
    ]);
    expect(new Set(answeredBy(chain))).toEqual(new Set([0, 1]));
  });

  it.each(["sendUntil", "sendAll"] as const)(
    "has no answer of a node to what was not sent, because that node was cut before (%s)",
    async (how) => {
      const { chain, nodes, urls } = nodesOf(2);
      cut(chain, 0);
      // More than a batch: the second is not sent.
      const calls = Array.from({ length: 101 }, () => ({ method: "eth_getBalance", params: [] }));
      const given = await nodes[how](urls[0] ?? "", calls, isValue);
      expect(given[0]?.map(({ kind }) => kind)).toEqual(["unreachable", "result"]);
      expect(given[100]?.map(({ kind }) => kind)).toEqual(["result"]);
    },
  );

  it.each(["sendUntil", "sendAll", "askOthers"] as const)(
    "is asked no more of a node that left one of its calls without an answer (%s)",
    async (how) => {
      const { chain, nodes, urls } = nodesOf(3, { compareMs: 1e12 });
      await nodes.compare();
      // In the batch, it is one too many; asked alone, it gets no answer.
      const balances = [{ ...fails("batch too large"), code: -32_600 }, DOWN];
      chain.intercept = ({ node, method }) =>
        node === 1 && method === "eth_getBalance" ? balances.shift() : undefined;
      const calls = ["eth_chainId", "eth_getBalance"].map((method) => ({ method, params: [] }));
      await nodes[how](urls[0] ?? "", calls, () => false);
      chain.asked.length = 0;
      await nodes.askAll(urls[0] ?? "", "eth_chainId", []);
      expect(answeredBy(chain)).toEqual([0, 2]);
    },
  );

  it.each(["sendUntil", "sendAll", "askOthers"] as const)(
    "is asked again of nodes that answered, with an error, too (%s)",
    async (how) => {
      const { chain, nodes, urls } = nodesOf(2, { compareMs: 1e12 });
      await nodes.compare();
      cut(chain, 1, fails("no"));
      const calls = ["eth_chainId", "eth_getBalance"].map((method) => ({ method, params: [] }));
      await nodes[how](urls[0] ?? "", calls, () => false);
      chain.asked.length = 0;
      await nodes.askAll(urls[0] ?? "", "eth_chainId", []);
      expect(answeredBy(chain)).toEqual([0, 1]);
    },
  );
});

describe("an answer over HTTP", () => {
  const real = globalThis.fetch;
  afterEach(() => {
    globalThis.fetch = real;
  });
  const URL = "http://node.invalid/secret-key";
  let asked: Parameters<typeof fetch>[1];
  function respond(body: string, status = 200) {
    globalThis.fetch = async (_url, init) => {
      asked = init;
      return new Response(body, { status });
    };
    return ask(URL, "eth_chainId", [1], 5_000);
  }

  it("is asked for as JSON-RPC, in time, and never from elsewhere", async () => {
    expect(await respond('{"jsonrpc":"2.0","id":1,"result":"0x1"}')).toEqual({
      kind: "result",
      value: "0x1",
    });
    expect(asked).toMatchObject({
      method: "POST",
      headers: { "Content-Type": "application/json" },
      redirect: "error",
      signal: expect.any(AbortSignal),
    });
    expect(JSON.parse(String(asked?.body))).toEqual({
      jsonrpc: "2.0",
      id: expect.any(Number),
      method: "eth_chainId",
      params: [1],
    });
  });

  it.each([
    ['{"result":null}', 200, { kind: "result", value: null }],
    ['{"result":"0x1","error":null}', 200, { kind: "result", value: "0x1" }],
    [
      '{"error":{"code":-32000,"message":"no","data":"0x"}}',
      400,
      { kind: "error", code: -32000, message: "no", data: "0x" },
    ],
    ['{"error":{"code":"?","message":7}}', 200, { kind: "error", code: 0, message: "", data: undefined }],
    ['{"error":{"code":"?","message":7}}', 500, { kind: "unreachable", reason: "HTTP 500" }],
    ['{"error":"no"}', 200, { kind: "unreachable", reason: "not JSON-RPC" }],
    ['{"result":"0x1"}', 500, { kind: "unreachable", reason: "HTTP 500" }],
    ["{}", 200, { kind: "unreachable", reason: "not JSON-RPC" }],
    ["[]", 200, { kind: "unreachable", reason: "not JSON-RPC" }],
    ["<html>", 200, { kind: "unreachable", reason: "SyntaxError" }],
    ["<html>", 502, { kind: "unreachable", reason: "HTTP 502" }],
  ])("%s with status %i", async (body, status, expected) => {
    expect(await respond(body, status)).toEqual(expected);
  });

  it("that begins and never ends is given up in time", async () => {
    globalThis.fetch = async (_url, init) =>
      new Response(
        new ReadableStream({
          start: (stream) => {
            stream.enqueue(new TextEncoder().encode('{"result":'));
            init?.signal?.addEventListener("abort", () => stream.error(init.signal?.reason));
          },
        }),
      );
    expect(await ask(URL, "eth_chainId", [], 50)).toMatchObject({ kind: "unreachable" });
  });

  it("that fails is told by its code, or else its name, and never with the address", async () => {
    const failing = (error: unknown) => {
      globalThis.fetch = () => Promise.reject(error);
      return ask(URL, "eth_chainId", [], 5_000);
    };
    const cause = Object.assign(new Error(`connect ${URL}`), { code: "ECONNREFUSED" });
    const reasons = [
      await failing(new TypeError("fetch failed", { cause })),
      await failing(new TypeError(URL, { cause: new Error(URL) })),
      await failing(new TypeError(URL, { cause: URL })),
      await failing(URL),
    ];
    expect(reasons).toEqual(
      ["ECONNREFUSED", "TypeError", "TypeError", "unknown"].map((reason) => ({
        kind: "unreachable",
        reason,
      })),
    );
  });
});

describe("the shapes of nodes' values", () => {
  const parses = (shape: z.ZodType, text: string) => shape.safeParse(text).success;
  it("are hex quantities and 32-byte hashes, and nothing with more around them", () => {
    expect(quantity.parse("0xfF")).toBe(255n);
    const texts = ["", "0x", "ff", "0xg", " 0x1", "0x1 ", "10x1"];
    expect(texts.filter((text) => parses(quantity, text))).toEqual([]);
    const digits = "Ab".repeat(32);
    expect(hash.parse(`0x${digits}`)).toBe(`0x${digits.toLowerCase()}`);
    const others = [digits, `0x${digits}0`, `00x${digits}`, `0x${digits.slice(1)}`];
    expect(others.filter((text) => parses(hash, text))).toEqual([]);
  });

  it("are nonces up to the largest integer of PostgreSQL", () => {
    expect(transactionCount.parse("0x7fffffffffffffff")).toBe(2n ** 63n - 1n);
    expect(parses(transactionCount, "0x8000000000000000")).toBe(false);
  });
});
