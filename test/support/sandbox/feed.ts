import { createServer } from "node:http";
import type { Socket } from "node:net";
import { z } from "zod";

/** A market feed that speaks the sandbox's protocol over HTTP: quotes that the test sets, and nothing else. */
export interface TestFeed {
  url: string;
  /** Replaces the quote of a stock; null for a stock without a quote. */
  setQuote(symbol: string, quote: { price: string; stale?: boolean } | null): void;
  /** Closes the port, so that connections are refused, or opens the same one again. */
  setDown(down: boolean): Promise<void>;
  stop(): Promise<void>;
}

const UNKNOWN = {
  bid: null,
  ask: null,
  bidSize: null,
  askSize: null,
  open: null,
  high: null,
  low: null,
  previousClose: null,
  volume: null,
  change24H: null,
  change24HPercent: null,
};

export async function startFeed(): Promise<TestFeed> {
  const quotes = new Map<string, object>();
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    const symbol = /^\/feed\/quotes\/([A-Z]+)$/.exec(path)?.[1];
    const found =
      symbol === undefined ? (path === "/feed/quotes" ? [...quotes.values()] : []) : quotes.get(symbol);
    response.statusCode = found === undefined ? 404 : 200;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(found ?? null));
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => void server.listen(port, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  await listen(0);
  const { port } = z.object({ port: z.number() }).parse(server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    setQuote: (symbol, quote) => {
      if (!quote) return void quotes.delete(symbol);
      const { price, stale = false } = quote;
      const rest = { session: "regular", timestamp: 1_800_000_000, source: "test" };
      quotes.set(symbol, { symbol, name: symbol, price, stale, ...UNKNOWN, ...rest });
    },
    setDown: async (down) => {
      if (down === server.listening) await (down ? close() : listen(port));
    },
    stop: async () => {
      if (server.listening) await close();
    },
  };
}
