import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { ApiError } from "../protocol/errors.ts";

/** docs/api.md#general-rules: a larger body is refused before any authentication work. */
export const BODY_MAX_BYTES = 64 * 1024;

/** The caller hung up, or was cut off, before the body was there: there is no caller to answer. */
export class RequestAborted extends Error {
  override readonly name = "RequestAborted";
}

const EMPTY = Buffer.alloc(0);

/** Returns true where the request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return (
    headers["transfer-encoding"] !== undefined ||
    (headers["content-length"] !== undefined && headers["content-length"] !== "0")
  );
}

/** Of all bodies that are being read. Those of partners have some hundred bytes each, and are there at once. */
const INCOMPLETE_MAX_BYTES = 8 * 1024 * 1024;
const BLOCK_BYTES = 4096;

/** A body that is being read; empty once it is, since the former tables of a Set hold it until V8 collects all garbage. */
interface Incomplete {
  request: IncomingMessage | null;
  bytes: number;
}

/**
 * Creates a function that reads the body's bytes, exactly as they were sent: the signature covers them.
 * It throws ApiError BODY_TOO_LARGE as soon as that is known; VALIDATION_FAILED for a compressed one, unread, since what it expands
 * to is unknown; and RequestAborted.
 * @param onOverflow closes a connection, where incomplete bodies have too many bytes in all: that of the one that began first
 */
export function createBodyReader(
  onOverflow: (socket: Socket) => void,
): (request: IncomingMessage) => Promise<Buffer> {
  const incomplete = new Set<Incomplete>();
  let total = 0;

  function remove(body: Incomplete): void {
    if (incomplete.delete(body)) total -= body.bytes;
    body.request = null;
  }

  function grow(body: Incomplete): void {
    if (!incomplete.has(body)) return;
    body.bytes += BLOCK_BYTES;
    total += BLOCK_BYTES;
    if (total <= INCOMPLETE_MAX_BYTES) return;
    const [oldest = body] = incomplete;
    const { request } = oldest;
    remove(oldest);
    if (request) onOverflow(request.socket);
  }

  return async (request) => {
    if (!hasBody(request)) return EMPTY;
    refuseUnread(request);
    const body: Incomplete = { request, bytes: 0 };
    incomplete.add(body);
    try {
      return await collect(request, () => grow(body));
    } finally {
      remove(body);
    }
  };
}

/** @throws ApiError */
function refuseUnread({ headers }: IncomingMessage): void {
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    throw new ApiError("VALIDATION_FAILED", {
      message: "Compressed bodies are not taken",
      param: "content-encoding",
    });
  }
  if (Number(headers["content-length"] ?? 0) > BODY_MAX_BYTES) throw new ApiError("BODY_TOO_LARGE");
}

function collect(request: IncomingMessage, onBlock: () => void): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const blocks: Buffer[] = [];
    let size = 0;
    const stop = (finish: () => void) => {
      request.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose);
      finish();
    };
    const onData = (piece: Buffer) => {
      if (size + piece.length > BODY_MAX_BYTES) {
        request.pause();
        stop(() => reject(new ApiError("BODY_TOO_LARGE")));
        return;
      }
      append(blocks, size, piece, onBlock);
      size += piece.length;
    };
    const onEnd = () => stop(() => resolve(Buffer.concat(blocks, size)));
    const onClose = () => {
      stop(() => reject(new RequestAborted("the caller left before the body was complete")));
      request.on("error", () => undefined);
    };
    request.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose);
  });
}

/** Copies a piece behind the first `size` bytes of a body. Pieces that were kept instead would cost a hundred times their bytes. */
function append(blocks: Buffer[], size: number, piece: Buffer, onBlock: () => void): void {
  for (let from = 0; from < piece.length; ) {
    const at = (size + from) % BLOCK_BYTES;
    if (at === 0) {
      blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES));
      onBlock();
    }
    from += piece.copy(blocks.at(-1) ?? EMPTY, at, from);
  }
}
