/** Declares inside `until` that its condition does not hold yet; the message is what the timeout reports. */
export class NotYetError extends Error {
  override readonly name = "NotYetError";
}

/**
 * Most conditions hold soon; the pauses grow, because a probe of one that takes long is not free, and takes the processor from what is
 * waited for. From a second on they are a sixteenth of what was waited.
 */
const FIRST_PAUSE_MS = 5;
const SHORT_PAUSE_MS = 50;
const PAUSE_MS_MAX = 250;
const SHARE_OF_WAIT = 1 / 16;

/**
 * Waits for a condition instead of for a time: asks again while `probe` returns undefined or false, or throws NotYetError.
 * Any other error ends the wait at once: a failed assertion, an undocumented answer or a mistake in the test does not
 * become right by repetition.
 * @param pauseMsMax shorter for a condition that holds for a moment only
 * @throws Error naming what was awaited and what was seen last, after `withinMs`; whatever else `probe` throws.
 */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  withinMs = 60_000,
  pauseMsMax = PAUSE_MS_MAX,
): Promise<T> {
  const startedMs = Date.now();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = nextPause(pauseMs, Date.now() - startedMs, pauseMsMax)) {
    let last = "nothing";
    try {
      const found = await probe();
      if (found !== undefined && found !== false) return found;
    } catch (error) {
      if (!(error instanceof NotYetError)) throw error;
      last = error.message;
    }
    if (Date.now() > startedMs + withinMs)
      throw new Error(`${what}: not within ${withinMs} ms; last: ${last}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

function nextPause(pauseMs: number, waitedMs: number, pauseMsMax: number): number {
  const longest = Math.max(SHORT_PAUSE_MS, waitedMs * SHARE_OF_WAIT);
  return Math.min(2 * pauseMs, longest, pauseMsMax);
}

/** Error codes of Node.js and its fetch: no server listens, or the connection ended before the answer did. */
const UNREACHABLE = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/**
 * Returns an answer of a program that starts, stops or is killed meanwhile.
 * @throws NotYetError where its connection is refused or cut; whatever else the answer rejects with.
 */
export async function whenReachable<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (hasCode(error, UNREACHABLE)) throw new NotYetError(`unreachable: ${String(error)}`, { cause: error });
    throw error;
  }
}

/** Tells whether nobody listens where a request was sent: it was not taken. */
export const isRefused = (error: unknown): boolean => hasCode(error, new Set(["ECONNREFUSED"]));

/** Recognizes errors by their code: Node's own come from outside of Jest's realm, where instanceof does not hold. */
function hasCode(error: unknown, codes: ReadonlySet<string>): boolean {
  if (typeof error !== "object" || error === null) return false;
  if ("code" in error && codes.has(String(error.code))) return true;
  return "cause" in error && hasCode(error.cause, codes);
}

/**
 * Returns the value itself, where a test relies on its presence.
 * @throws Error naming what is missing.
 */
export function present<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`expected ${what}, found none`);
  return value;
}
