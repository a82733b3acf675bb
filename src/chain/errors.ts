import { ApiError } from "../protocol/errors.ts";

/**
 * Runs a question to a chain node. Whatever goes wrong (no answer, garbage, a refusal) is the node's failure to the caller.
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

/** Characters of a message that are looked at: the expression above takes quadratic time. */
const MESSAGE_MAX = 4_000;

/** Returns true where a node answered that it has no state of the block that was asked for. */
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
