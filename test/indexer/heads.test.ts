import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { type WebSocket, WebSocketServer } from "ws";
import { createPolls, followHeads } from "../../indexer/heads.ts";
import { present, until } from "../support/assert/until.ts";

/** Where clocks begin, milliseconds. */
const START_MS = 1_700_000_000_000;

describe("polls", () => {
  let timeMs: number;
  let ends: ((hash?: string) => void)[];
  let polls: ReturnType<typeof createPolls>;
  const endLast = async (hash?: string) => {
    present(ends.at(-1), "a poll")(hash);
    await new Promise(setImmediate);
  };

  beforeEach(() => {
    timeMs = 0;
    ends = [];
    const poll = () => new Promise<string | undefined>((resolve) => ends.push(resolve));
    polls = createPolls(poll, 200, () => START_MS + timeMs);
  });

  it("begin with each tick, also while one runs", () => {
    for (let tick = 0; tick < 3; tick++) polls.ticked();
    expect(ends).toHaveLength(3);
  });

  it("begin with an announcement at once", () => {
    polls.announced();
    expect(ends).toHaveLength(1);
  });

  it("of announcements begin one after the other, and one for all that waited", async () => {
    for (let block = 0; block < 5; block++) polls.announced();
    expect(ends).toHaveLength(1);
    await endLast();
    expect(ends).toHaveLength(2);
    await endLast();
    expect(ends).toHaveLength(2);
  });

  it("of an announcement wait for one by the clock", async () => {
    polls.ticked();
    polls.announced();
    expect(ends).toHaveLength(1);
    await endLast();
    expect(ends).toHaveLength(2);
  });

  it("by the clock leave an announced one alone for an interval, and no longer", () => {
    polls.announced();
    timeMs = 199;
    polls.ticked();
    expect(ends).toHaveLength(1);
    timeMs = 200;
    polls.ticked();
    expect(ends).toHaveLength(2);
  });

  it("of an announcement wait for one that hangs no longer than an interval", async () => {
    polls.ticked();
    timeMs = 200;
    polls.announced();
    expect(ends).toHaveLength(2);
    // A request that ends late begins nothing.
    ends[0]?.();
    await endLast();
    expect(ends).toHaveLength(2);
  });

  describe("by the clock, once the announced head is found", () => {
    beforeEach(async () => {
      polls.announced("0xa");
      await endLast("0xa");
    });
    const tickAt = (ms: number) => {
      timeMs = ms;
      polls.ticked();
      return ends.length;
    };

    it("pause, and begin again no later than 1.5 s after the announcement", () => {
      expect(tickAt(200)).toBe(1);
      expect(tickAt(1_300)).toBe(1);
      expect(tickAt(1_301)).toBe(2);
      expect(tickAt(1_500)).toBe(3);
    });

    it("begin again after one and a half times between announcements, and an interval, where that is sooner", async () => {
      const announceAt = async (ms: number, hash: string) => {
        timeMs = ms;
        polls.announced(hash);
        await endLast(hash);
        return ends.length;
      };
      for (let n = 1; n <= 6; n++) await announceAt(300 * n, `0xb${n}`);
      // One at once, and one that another node announces too: neither shows the chain's speed.
      await announceAt(1_801, "0xc");
      const polled = await announceAt(1_802, "0xc");
      // Too few times are known.
      expect(tickAt(3_102)).toBe(polled);
      const again = await announceAt(1_803, "0xd");
      expect(tickAt(2_253)).toBe(again);
      expect(tickAt(2_254)).toBe(again + 1);
    });

    it("begin again by the last eight times between announcements alone", async () => {
      for (let n = 1; n <= 9; n++) {
        timeMs += n === 1 ? 10_000 : 300;
        polls.announced(`0xb${n}`);
        await endLast(`0xb${n}`);
      }
      const polled = ends.length;
      expect(tickAt(timeMs + 450)).toBe(polled);
      expect(tickAt(timeMs + 1)).toBe(polled + 1);
    });

    it("go on while the node that is asked has another head than the one announced", async () => {
      polls.announced("0xb");
      await endLast("0xa");
      expect(tickAt(200)).toBe(3);
      await endLast("0xb");
      expect(tickAt(400)).toBe(3);
    });

    it("go on after a poll that failed, and after an announcement that names no head", async () => {
      polls.announced("0xb");
      await endLast();
      expect(tickAt(200)).toBe(3);
      polls.announced();
      await endLast();
      expect(tickAt(400)).toBe(5);
    });

    it("go on where a node announces nothing any more", () => {
      polls.lost();
      expect(tickAt(200)).toBe(2);
    });
  });

  it("by a clock of a longer interval never pause", async () => {
    const slow = createPolls(
      async () => {
        ends.push(() => {});
        return "0xa";
      },
      1_501,
      () => START_MS + timeMs,
    );
    slow.announced("0xa");
    await new Promise(setImmediate);
    slow.ticked();
    expect(ends).toHaveLength(2);
  });
});

describe("announcements", () => {
  let server: WebSocketServer;
  let clients: WebSocket[];
  let requests: unknown[];
  let heads: number;
  let hashes: (string | undefined)[];
  let changes: boolean[];
  let stop: (() => void) | undefined;
  let answer: object;

  beforeEach(async () => {
    [clients, requests, heads, hashes, changes] = [[], [], 0, [], []];
    answer = { jsonrpc: "2.0", id: 1, result: "0x1" };
    server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
    server.on("connection", (client) => {
      clients.push(client);
      client.on("message", (data) => {
        requests.push(JSON.parse(`${data}`));
        client.send(JSON.stringify(answer));
      });
    });
    await new Promise((resolve) => server.once("listening", resolve));
  });

  afterEach(async () => {
    stop?.();
    for (const client of server.clients) client.terminate();
    await new Promise((resolve) => server.close(resolve));
  });

  function follow(silentMs = 60_000) {
    const onHead = (hash: string | undefined) => {
      heads += 1;
      hashes.push(hash);
    };
    const onChange = (isFollowed: boolean) => void changes.push(isFollowed);
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
    stop = followHeads(url, { onHead, onChange }, { silentMs, reconnectMs: 1 }).stop;
  }

  const connected = (count: number) =>
    until(`${count} connections`, () => requests.length >= count || undefined);
  const announce = (hash?: string) => {
    const params = { subscription: "0x1", result: { number: "0x1", hash } };
    clients.at(-1)?.send(JSON.stringify({ jsonrpc: "2.0", method: "eth_subscription", params }));
  };

  it("are subscribed to, and passed on", async () => {
    follow();
    await connected(1);
    expect(requests).toEqual([{ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] }]);
    expect(heads).toBe(0);
    announce();
    clients[0]?.send("no JSON");
    announce("0xa");
    await until("two heads", () => heads === 2 || undefined);
    expect(hashes).toEqual([undefined, "0xa"]);
    expect(changes).toEqual([true]);
  });

  it("are subscribed to again where the socket breaks", async () => {
    follow();
    await connected(1);
    announce();
    await until("a head", () => heads === 1 || undefined);
    clients[0]?.terminate();
    await connected(2);
    announce();
    await until("another head", () => heads === 2 || undefined);
    expect(changes).toEqual([true, false, true]);
  });

  it("are subscribed to again where none comes", async () => {
    follow(20);
    await connected(3);
    expect(changes).toEqual([]);
  });

  it.each([
    ["refuses", { jsonrpc: "2.0", id: 1, error: { code: -32601, message: "not found" } }],
    ["closes", {}],
  ])("are asked for again of a node that %s", async (_what, reply) => {
    answer = reply;
    follow();
    await connected(1);
    if (!("error" in reply)) clients[0]?.close();
    await connected(2);
    expect(heads).toBe(0);
  });

  it("of a node without WebSockets are tried for again", async () => {
    let attempts = 0;
    server.options.verifyClient = () => {
      attempts += 1;
      return false;
    };
    const timer = jest.spyOn(globalThis, "setTimeout");
    const pauses = () => timer.mock.calls.flatMap(([callback, ms]) => (callback.name === "open" ? [ms] : []));
    try {
      follow();
      await until("four attempts", () => attempts >= 4 || undefined);
      expect(pauses().slice(0, 3)).toEqual([1, 2, 4]);
    } finally {
      timer.mockRestore();
    }
    expect(changes).toEqual([]);
  });

  it("end when they are stopped", async () => {
    follow();
    await connected(1);
    stop?.();
    await until("the connection is gone", () => server.clients.size === 0 || undefined);
    expect(clients).toHaveLength(1);
    expect(changes).toEqual([]);
  });
});
