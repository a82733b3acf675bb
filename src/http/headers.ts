import type { IncomingMessage } from "node:http";
import { ApiError } from "../protocol/errors.ts";

/** More than any client or proxy sends; node would silently drop what is beyond its own limit. */
const HEADERS_MAX = 100;

/** Of these node keeps the first and drops the rest, so that two readers could read two requests. */
const ONCE = new Set(["host", "content-type", "content-length", "content-encoding", "authorization"]);

/**
 * Refuses headers that two readers could read differently. The x-api headers are left to authentication: repeated,
 * they are joined into a value that fails there like any other wrong one.
 * @throws ApiError VALIDATION_FAILED, `param` names the header
 */
export function refuseOddHeaders({ rawHeaders, headers }: IncomingMessage): void {
  if (rawHeaders.length > HEADERS_MAX * 2) {
    throw new ApiError("VALIDATION_FAILED", { message: `More than ${HEADERS_MAX} headers` });
  }
  if (!headers.host) throw new ApiError("VALIDATION_FAILED", { message: "Host is required", param: "host" });
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== "100-continue") {
    throw new ApiError("VALIDATION_FAILED", {
      message: "Nothing but 100-continue may be expected",
      param: "expect",
    });
  }
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    if (!ONCE.has(name)) continue;
    if (seen.has(name))
      throw new ApiError("VALIDATION_FAILED", { message: `${name} is sent twice`, param: name });
    seen.add(name);
  }
}
