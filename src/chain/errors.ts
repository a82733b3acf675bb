import { ApiError } from "../protocol/errors.ts";

/**
 * Sends a request to a chain node. Reports every failure (no answer, garbage, a refusal) to the caller as the node's.
 * @throws ApiError RPC_UNAVAILABLE with the original as its cause; an ApiError passes as it is.
 */
export async function withRpcErrors<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    throw cause instanceof ApiError ? cause : new ApiError("RPC_UNAVAILABLE", { cause });
  }
}

// Texts by which nodes report that they have no state of a block: pruned away, or not there yet.
const NO_STATE =
  /missing trie node|header not found|unknown block|block not found|cannot find block|could not find block|state .*(not|un)available|historical state|pruned|out of range|block.*not available|BlockOutOfRange/i;

/** Maximum length of a message that is examined: the expression above takes quadratic time. */
const MESSAGE_MAX = 4_000;

/** Returns true where a node answered that it lacks the state of the requested block. */
export function isMissingState(error: unknown): boolean {
  const seen = new Set<unknown>();
  let current = error;
  while (current instanceof Error && !seen.has(current)) {
    seen.add(current);
    const details = "details" in current && typeof current.details === "string" ? current.details : "";
    if ([details, current.message].some((text) => NO_STATE.test(text.slice(0, MESSAGE_MAX)))) return true;
    current = current.cause;
  }
  return false;
}
