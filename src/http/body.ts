import type { IncomingMessage } from "node:http";
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

/**
 * Reads the body's bytes, exactly as they were sent: the signature covers them.
 * A compressed body is refused unread, since what it expands to is unknown.
 * @throws ApiError BODY_TOO_LARGE as soon as that is known, VALIDATION_FAILED for a compressed one; RequestAborted
 */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  if (!hasBody(request)) return EMPTY;
  const encoding = request.headers["content-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    throw new ApiError("VALIDATION_FAILED", {
      message: "Compressed bodies are not taken",
      param: "content-encoding",
    });
  }
  if (Number(request.headers["content-length"] ?? 0) > BODY_MAX_BYTES) throw new ApiError("BODY_TOO_LARGE");
  return collect(request);
}

function collect(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = (finish: () => void) => {
      request.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose);
      finish();
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > BODY_MAX_BYTES) {
        request.pause();
        stop(() => reject(new ApiError("BODY_TOO_LARGE")));
      } else {
        chunks.push(chunk);
      }
    };
    const onEnd = () =>
      stop(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    const onClose = () => {
      stop(() => reject(new RequestAborted("the caller left before the body was complete")));
      request.on("error", () => undefined);
    };
    request.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose);
  });
}
