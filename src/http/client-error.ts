import { randomUUID } from "node:crypto";
import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Logger } from "pino";
import { ApiError } from "../protocol/errors.ts";
import { failure } from "./envelope.ts";
import { getExchange } from "./http-exchange.ts";

/** Errors of Node's parser, in words that callers may read. Any other is "malformed". */
const MESSAGES: Record<string, string> = {
  HPE_HEADER_OVERFLOW: "The headers are too large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "The chunk extensions are too large",
  ERR_HTTP_REQUEST_TIMEOUT: "The request took too long to arrive",
};

/**
 * Answers what node's HTTP parser could not make a request of, in the same envelope as everything else, and closes. A connection on
 * which nothing came is left open until it was idle for too long.
 * Where an earlier request of the connection is still being answered, the caller would take this for its answer: then
 * the connection is only cut.
 * @param pending the connection's answers that are not out yet; the one request that broke may have one of its own
 */
export function answerClientError(
  error: NodeJS.ErrnoException | ApiError,
  socket: Socket,
  pending: readonly ServerResponse[],
  { log, now, docsUrl = null }: { log: Logger; now: () => number; docsUrl?: string | null },
): void {
  const code = "code" in error ? error.code : undefined;
  // Callers open connections ahead, and may use one at the very moment at which it would be closed: it is idle, not late.
  if (code === "ERR_HTTP_REQUEST_TIMEOUT" && socket.bytesRead === 0) return;
  const [response] = pending;
  if (
    code === "ECONNRESET" ||
    !socket.writable ||
    pending.length > 1 ||
    response?.headersSent ||
    response?.req.complete
  ) {
    socket.destroy();
    return;
  }
  const cause = "code" in error ? (error.code ?? error.name) : error.name;
  const known = error instanceof ApiError ? error : malformed(cause);
  const uuid = response ? getExchange(response.req).uuid : randomUUID();
  const answer = failure(known, { uuid, t: now(), docsUrl });
  log.warn(
    { uuid, status: answer.status, errCode: answer.errCode, cause, ip: socket.remoteAddress },
    "malformed request",
  );
  const head = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(answer.body)}`,
    "cache-control: no-store",
    `x-request-id: ${uuid}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${answer.body}`, () => socket.destroy());
}

function malformed(cause: string): ApiError {
  return new ApiError("VALIDATION_FAILED", { message: MESSAGES[cause] ?? "The request is malformed" });
}
