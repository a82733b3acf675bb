import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { createBatches, type RpcCall } from "../../src/chain/rpc.ts";

// Requests that share a batch to a node, over a fetch that each test answers.

const URL = "http://node.invalid/";
const real = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = real;
  jest.restoreAllMocks();
});

interface Asked {
  id: number;
  method: string;
  params: unknown[];
}

/** Posted bodies, each a call or a batch of them. */
let posted: (Asked | Asked[])[];

/** Answers every request from now on: with a value as JSON, or with a given response. */
function answering(answer: (body: Asked | Asked[]) => unknown): void {
  posted = [];
  globalThis.fetch = async (_url, init) => {
    const body: Asked | Asked[] = JSON.parse(String(init?.body));
    posted.push(body);
    const given = answer(body);
    return given instanceof Response ? given : new Response(JSON.stringify(given));
  };
}

const callsOf = (...numbers: number[]): RpcCall[] =>
  numbers.map((number) => ({ method: "eth_test", params: [number] }));
const resultOf = ({ id, params }: Asked) => ({ jsonrpc: "2.0", id, result: params[0] });
const values = (...numbers: number[]) => numbers.map((value) => ({ kind: "result", value }));
const numbered = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Returns a node that takes batches, and changes its answers to them. */
const taking =
  (change: (answers: object[], asked: Asked[]) => unknown = (answers) => answers) =>
  (body: Asked | Asked[]) =>
    Array.isArray(body) ? change(body.map(resultOf), body) : resultOf(body);

describe.each(["ask", "askInOrder"] as const)("several questions (%s)", (how) => {
  it("are one request, and its answers are told apart by their ids", async () => {
    answering(taking((answers) => answers.reverse()));
    expect(await createBatches(5_000)[how](URL, callsOf(5, 6, 7))).toEqual(values(5, 6, 7));
    expect(posted).toHaveLength(1);
  });

  it("are several requests where they are more than nodes take at once", async () => {
    answering(taking());
    const numbers = numbered(201);
    expect(await createBatches(5_000)[how](URL, callsOf(...numbers))).toEqual(values(...numbers));
    expect({ callsPerPost: posted.map((body) => [body].flat().length) }).toEqual({
      callsPerPost: [100, 100, 1],
    });
  });

  it("that are one go without a batch", async () => {
    answering(taking());
    expect(await createBatches(5_000)[how](URL, callsOf(5))).toEqual(values(5));
    expect(posted).toMatchObject([{ method: "eth_test", params: [5] }]);
  });

  it.each([
    ["an error", () => ({ jsonrpc: "2.0", id: null, error: { code: -32600, message: "no batches" } })],
    ["status 400", () => new Response("no", { status: 400 })],
    ["status 413", () => new Response("too large", { status: 413 })],
  ])(
    "are asked one by one of a node that refuses them together by %s, for a minute",
    async (_how, refusal) => {
      const time = jest.spyOn(Date, "now");
      time.mockImplementation(() => 1_000_000);
      answering((body) => (Array.isArray(body) ? refusal() : resultOf(body)));
      const batches = createBatches(5_000);
      expect(await batches[how](URL, callsOf(5, 6))).toEqual(values(5, 6));
      expect({ isBatch: posted.map(Array.isArray) }).toEqual({ isBatch: [true, false, false] });
      expect(await batches[how](URL, callsOf(7, 8))).toEqual(values(7, 8));
      expect({ isBatch: posted.map(Array.isArray) }).toEqual({ isBatch: [true, false, false, false, false] });
      time.mockImplementation(() => 1_060_000);
      expect(await batches[how](URL, callsOf(9, 10))).toEqual(values(9, 10));
      expect({ isBatch: posted.map(Array.isArray).slice(5) }).toEqual({ isBatch: [true, false, false] });
    },
  );

  it("that a node left without an answer, or called too many, are asked again alone", async () => {
    answering(
      taking(([, ...others], [asked]) => [
        { id: asked?.id, error: { code: -32600, message: "batch too large" } },
        ...others.slice(1),
      ]),
    );
    expect(await createBatches(5_000)[how](URL, callsOf(5, 6, 7))).toEqual(values(5, 6, 7));
    expect(posted.slice(1)).toMatchObject([{ params: [5] }, { params: [6] }]);
  });

  it.each([
    ["a status of its own", () => new Response("busy", { status: 503 }), "HTTP 503"],
    ["too many requests", () => new Response("slowly", { status: 429 }), "HTTP 429"],
    ["nothing", () => Promise.reject(new TypeError("fetch failed")), "TypeError"],
  ])("are not asked again where the node answers the batch with %s", async (_how, answer, reason) => {
    posted = [];
    globalThis.fetch = async (_url, init) => {
      posted.push(JSON.parse(String(init?.body)));
      return answer();
    };
    const failed = { kind: "unreachable", reason };
    expect(await createBatches(5_000)[how](URL, callsOf(5, 6))).toEqual([failed, failed]);
    expect(posted).toHaveLength(1);
  });
});

describe("questions in their order", () => {
  it("end where one gets no answer, at a node that takes no batches", async () => {
    answering((body) => {
      if (Array.isArray(body) || body.params[0] === 6) return new Response("no", { status: 400 });
      return resultOf(body);
    });
    expect(await createBatches(5_000).askInOrder(URL, callsOf(5, 6, 7, 8))).toEqual([
      ...values(5),
      { kind: "unreachable", reason: "HTTP 400" },
      null,
      null,
    ]);
    expect(posted).toHaveLength(3);
  });

  it("end with the batch that gets no answer", async () => {
    answering((body) =>
      [body].flat().some(({ params }) => params[0] === 50)
        ? new Response("no", { status: 503 })
        : taking()(body),
    );
    const answers = await createBatches(5_000).askInOrder(URL, callsOf(...numbered(150)));
    expect(answers.map((answer) => answer?.kind ?? null)).toEqual([
      ...numbered(100).map(() => "unreachable"),
      ...numbered(50).map(() => null),
    ]);
    expect(posted).toHaveLength(1);
  });
});

describe("a request that is observed", () => {
  const seen: [url: string, methods: readonly string[], results: readonly string[]][] = [];
  const observe = (url: string, methods: readonly string[]) => (results: readonly string[]) =>
    void seen.push([url, methods, results]);
  beforeEach(() => void seen.splice(0));

  it("ends with the result of each of its calls", async () => {
    answering(taking((answers) => [answers[0], { id: 1, error: { code: 3, message: "reverted" } }]));
    await createBatches(5_000, observe).ask(URL, callsOf(1, 2));
    expect(seen).toEqual([[URL, ["eth_test", "eth_test"], ["ok", "error"]]]);
  });

  it("is one of each call where the node takes no batch, and nobody's where nothing answers", async () => {
    answering((body) => (Array.isArray(body) ? new Response("", { status: 400 }) : resultOf(body)));
    await createBatches(5_000, observe).askInOrder(URL, callsOf(1, 2));
    expect(seen.map(([, methods, results]) => [methods.length, results])).toEqual([
      [2, ["unreachable", "unreachable"]],
      [1, ["ok"]],
      [1, ["ok"]],
    ]);
    seen.splice(0);
    answering(() => new Response("", { status: 503 }));
    await createBatches(5_000, observe).ask(URL, callsOf(1));
    expect(seen).toEqual([[URL, ["eth_test"], ["unreachable"]]]);
  });
});
