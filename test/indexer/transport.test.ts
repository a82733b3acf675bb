import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "@jest/globals";
import { HttpRequestError } from "viem";
import { type Send, validatingRequest, validatingTransport } from "../../indexer/transport.ts";

const hex = (number: number) => `0x${number.toString(16)}`;
const latest = { method: "eth_getBlockByNumber", params: ["latest", true] };
const EMPTY_BLOOM = `0x${"0".repeat(512)}`;

/** Returns block `number` of a chain: forks of it differ in `fork`. */
const block = (number: number, fork = "a", logsBloom = EMPTY_BLOOM) => ({
  number: hex(number),
  hash: `${hex(number)}${fork}`,
  parentHash: `${hex(number - 1)}${fork}`,
  logsBloom,
});

const unreachable = () => new HttpRequestError({ url: "http://node", status: 502 });

/** Returns a node that answers by method, and counts its requests. */
function node(answers: Record<string, (params: unknown) => unknown>) {
  const asked: string[] = [];
  const send: Send = async ({ method, params }) => {
    asked.push(method);
    const answer = answers[method];
    if (!answer) throw new Error(`${method} was not expected`);
    return answer(params);
  };
  return { send, asked };
}

function ask(nodes: { send: Send }[], now = () => 0) {
  const warnings: string[] = [];
  const request = validatingRequest(
    nodes.map(({ send }) => send),
    now,
    ({ msg }) => warnings.push(msg),
  );
  return { request, warnings };
}

describe("a node that fails", () => {
  it("is passed over, and asked last for 30 s if it cannot be reached", async () => {
    let time = 1;
    const broken = node({
      eth_chainId: () => {
        throw unreachable();
      },
    });
    const sound = node({ eth_chainId: () => "0x1" });
    const { request } = ask([broken, sound], () => time);
    const chainId = { method: "eth_chainId" };
    expect(await request(chainId)).toBe("0x1");
    expect(await request(chainId)).toBe("0x1");
    expect(broken.asked).toHaveLength(1);
    time = 30_001;
    expect(await request(chainId)).toBe("0x1");
    expect(broken.asked).toHaveLength(2);
  });

  it("stays the first after an error that is an answer", async () => {
    const picky = node({
      eth_getLogs: () => {
        throw new Error("query exceeds max results");
      },
      eth_chainId: () => "0x1",
    });
    const other = node({ eth_getLogs: () => [{}] });
    const { request, warnings } = ask([picky, other]);
    expect(await request({ method: "eth_getLogs", params: [{}] })).toEqual([{}]);
    expect(await request({ method: "eth_chainId" })).toBe("0x1");
    expect({ asked: other.asked, warnings }).toEqual({ asked: ["eth_getLogs"], warnings: [] });
  });

  it("gives its own error where no other answers", async () => {
    const error = new Error("query exceeds max results");
    const fail = () => {
      throw error;
    };
    const { request } = ask([node({ eth_getLogs: fail }), node({ eth_getLogs: fail })]);
    await expect(request({ method: "eth_getLogs", params: [{}] })).rejects.toBe(error);
  });

  it("may simply not have a block, which the next one has", async () => {
    const byNumber = { method: "eth_getBlockByNumber", params: [hex(7), true] };
    const without = node({ eth_getBlockByNumber: () => null });
    const { request } = ask([without, node({ eth_getBlockByNumber: () => block(7) })]);
    expect(await request(byNumber)).toEqual(block(7));
    expect(await ask([without]).request(byNumber)).toBeNull();
  });
});

describe("a head", () => {
  const heads = (...answers: ReturnType<typeof block>[]) => {
    let next = 0;
    return node({ eth_getBlockByNumber: () => answers[Math.min(next++, answers.length - 1)] });
  };

  it("below the known one on the same chain is not believed: the known one stays", async () => {
    const { request, warnings } = ask([heads(block(8), block(9), block(8), block(3), block(10))]);
    const seen = [];
    for (let poll = 0; poll < 5; poll += 1) seen.push(await request(latest));
    expect(seen).toEqual([block(8), block(9), block(9), block(9), block(10)]);
    expect(warnings).toEqual(["a node is behind: its head is 8", "a node is behind: its head is 3"]);
  });

  it("of a node that is behind gives way to that of the next node", async () => {
    const { request } = ask([heads(block(9), block(5)), heads(block(11))]);
    expect(await request(latest)).toEqual(block(9));
    expect(await request(latest)).toEqual(block(11));
  });

  it("of a fork is believed, as high, higher or lower", async () => {
    const { request, warnings } = ask([
      heads(block(8), block(9), block(9, "b"), block(10, "c"), block(9, "d"), block(8, "d")),
    ]);
    const seen = [];
    for (let poll = 0; poll < 5; poll += 1) seen.push(await request(latest));
    expect(seen).toEqual([block(8), block(9), block(9, "b"), block(10, "c"), block(9, "d")]);
    expect(warnings).toEqual([]);
  });

  it("of a shorter fork makes the blocks above it unknown again", async () => {
    const { request } = ask([heads(block(9), block(8, "b"), block(9, "b"))]);
    expect(await request(latest)).toEqual(block(9));
    // 8 was only known as the parent of 9.
    expect(await request(latest)).toEqual(block(8, "b"));
    expect(await request(latest)).toEqual(block(9, "b"));
  });
});

describe("logs", () => {
  const range = { method: "eth_getLogs", params: [{ fromBlock: hex(1), toBlock: hex(50) }] };

  it("up to a block are not taken from a node that does not have it", async () => {
    const lookups: unknown[] = [];
    const behind = node({
      eth_getBlockByNumber: (params) => {
        lookups.push(params);
        return null;
      },
      eth_getLogs: () => [],
    });
    const ahead = node({ eth_getBlockByNumber: () => block(50), eth_getLogs: () => [{ logIndex: "0x0" }] });
    const { request, warnings } = ask([behind, ahead]);
    expect(await request(range)).toEqual([{ logIndex: "0x0" }]);
    expect(behind.asked).toEqual(["eth_getBlockByNumber"]);
    expect(lookups).toEqual([[hex(50), false]]);
    expect(warnings).toEqual(["a node is behind: it has no block 50"]);
    await expect(ask([behind]).request(range)).rejects.toThrow("it has no block 50");
    const sound = node({ eth_getBlockByNumber: () => block(50), eth_getLogs: () => [] });
    expect(await ask([sound]).request(range)).toEqual([]);
  });

  it("are none in a range when no other node has any", async () => {
    const pruned = node({ eth_getBlockByNumber: () => block(50), eth_getLogs: () => [] });
    const archive = node({ eth_getBlockByNumber: () => block(50), eth_getLogs: () => [{ logIndex: "0x0" }] });
    const broken = node({
      eth_getBlockByNumber: () => {
        throw unreachable();
      },
    });
    expect(await ask([pruned, archive, pruned]).request(range)).toEqual([{ logIndex: "0x0" }]);
    expect(pruned.asked).toHaveLength(2);
    expect(await ask([pruned, broken, pruned]).request(range)).toEqual([]);
  });

  it("that a block's bloom filter promises are not taken to be none", async () => {
    const full = block(9, "a", `0x${"0".repeat(511)}1`);
    const ofBlock = { method: "eth_getLogs", params: [{ blockHash: full.hash }] };
    const forgetful = node({ eth_getBlockByNumber: () => full, eth_getLogs: () => [] });
    const { request, warnings } = ask([forgetful, node({ eth_getLogs: () => [{ logIndex: "0x0" }] })]);
    await request(latest);
    expect(await request(ofBlock)).toEqual([{ logIndex: "0x0" }]);
    expect(warnings).toEqual([`a node has lost logs: none in block ${full.hash}`]);
  });

  it("may be none in a block whose bloom filter is empty, or of which nothing is known", async () => {
    const sound = node({ eth_getBlockByNumber: () => block(9), eth_getLogs: () => [] });
    const { request } = ask([sound]);
    await request(latest);
    expect(await request({ method: "eth_getLogs", params: [{ blockHash: block(9).hash }] })).toEqual([]);
    expect(await request({ method: "eth_getLogs", params: [{ blockHash: "0xelse" }] })).toEqual([]);
  });

  describe("of a block that was taken back", () => {
    const gone = block(5);
    const logs = { method: "eth_getLogs", params: [{ blockHash: gone.hash }] };
    const unknown = new Error("unknown block");
    /** Returns a node that had the block, and now has `now` in its place. */
    const forgetful = (now: unknown) => {
      let current: unknown = gone;
      return node({
        eth_getBlockByNumber: (params) => {
          if (current !== gone) expect(params).toEqual([gone.number, false]);
          const answer = current;
          current = now;
          return answer;
        },
        eth_getLogs: () => {
          throw unknown;
        },
      });
    };
    const lookedAt = async (nodes: { send: Send }[]) => {
      const { request } = ask(nodes);
      await request(latest);
      return request;
    };

    it("are not asked for again where another block stands in its place", async () => {
      const request = await lookedAt([forgetful(block(5, "b"))]);
      await expect(request(logs)).rejects.toMatchObject({
        code: -32004,
        message: `a reorg took block ${gone.hash} back`,
      });
    });

    it("are asked for again where the node only lags, still has the block, or does not answer", async () => {
      for (const now of [null, gone, undefined]) {
        const request = await lookedAt([forgetful(now)]);
        await expect(request(logs)).rejects.toBe(unknown);
      }
    });

    it("are asked for again where the node cannot be reached, which is not asked more then", async () => {
      const down = node({
        eth_getBlockByNumber: () => gone,
        eth_getLogs: () => {
          throw unreachable();
        },
      });
      const request = await lookedAt([down]);
      await expect(request(logs)).rejects.toBeInstanceOf(HttpRequestError);
      expect(down.asked).toEqual(["eth_getBlockByNumber", "eth_getLogs"]);
    });

    it("are taken from a node that still has them", async () => {
      const request = await lookedAt([forgetful(block(5, "b")), node({ eth_getLogs: () => [{}] })]);
      expect(await request(logs)).toEqual([{}]);
    });

    it("of which nothing is known are asked for again", async () => {
      const { request } = ask([forgetful(block(5, "b"))]);
      await expect(request(logs)).rejects.toBe(unknown);
    });
  });
});

it("the transport of a chain asks its nodes over HTTP", async () => {
  const methods: unknown[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { id, method } = JSON.parse(body);
    methods.push(method);
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: "0x1" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const transport = validatingTransport(["http://127.0.0.1:1", url], () => undefined)({});
    expect(await transport.request({ method: "eth_chainId" })).toBe("0x1");
    expect(methods).toEqual(["eth_chainId"]);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});
