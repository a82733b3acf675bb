import type { Sink } from "../context/stream.ts";
import type { HttpExchange } from "./http-exchange.ts";
import { endRequestSpan } from "./request-span.ts";

/**
 * Headers of a stream. Nothing in between may store, compress or buffer it (`x-accel-buffering` is nginx's), and its connection
 * ends with it: a client that reconnects is routed again.
 */
const STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
  "x-content-type-options": "nosniff",
  connection: "close",
} as const;

/** Begins an answer that is a stream. */
export function openSink(exchange: HttpExchange, headers: Record<string, string>): Sink {
  const { request, response, uuid } = exchange;
  exchange.code = 200;
  exchange.streamingAt = performance.now();
  if (!response.destroyed) response.writeHead(200, { ...STREAM_HEADERS, ...headers, "x-request-id": uuid });
  endRequestSpan(exchange);
  const isOpen = (): boolean => !response.destroyed && !response.writableEnded;
  return {
    write: (frames) => {
      if (!isOpen()) return;
      response.cork();
      for (const frame of frames) response.write(frame);
      response.uncork();
    },
    pendingBytes: () => response.writableLength,
    drained: () =>
      new Promise((resolve) => {
        if (!isOpen() || !response.writableNeedDrain) return resolve();
        const settle = (): void => {
          response.off("drain", settle).off("close", settle);
          resolve();
        };
        response.once("drain", settle).once("close", settle);
      }),
    end: (last) => {
      if (isOpen()) response.end(last ?? undefined);
    },
    destroy: () => void request.socket.destroy(),
    onClose: (callback) => {
      if (response.destroyed) callback();
      else response.once("close", callback);
    },
  };
}
