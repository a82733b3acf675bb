import type { Caller } from "../auth/caller.ts";
import type { Quota } from "../auth/rate-limits.ts";
import type { Checkpoints } from "../db/checkpoint-watch.ts";

/** Headers that answers to known callers carry. */

export function quotaHeaders(quota: Quota): Record<string, string> {
  return {
    "ratelimit-limit": String(quota.points),
    "ratelimit-remaining": String(quota.remaining),
    "ratelimit-reset": secondsUntilReset(quota),
  };
}

/** Returns the whole seconds until the window ends, at least one. */
export const secondsUntilReset = ({ resetMs }: Quota): string =>
  String(Math.max(1, Math.ceil(resetMs / 1000)));

/** Returns the block that the answer was read at; of one that read none and of a refusal, the last one that this process saw. */
export function indexedBlock(
  { chainId }: { chainId: number },
  read: bigint | null,
  checkpoints: Checkpoints,
): Record<string, string> {
  const block = read ?? checkpoints.last(chainId)?.number ?? null;
  return block === null ? {} : { "x-indexed-block": String(block) };
}

/** An answer names the end of its key within this time of it, milliseconds. */
const EXPIRY_NOTICE_MS = 14 * 24 * 60 * 60 * 1000;

/** Returns when the caller's key ends, where that is soon. */
export function keyExpiry(
  { expiresAt }: Pick<Caller, "expiresAt">,
  { now }: { now: () => number },
): Record<string, string> {
  if (expiresAt == null || expiresAt - now() > EXPIRY_NOTICE_MS) return {};
  return { "x-key-expires-at": String(Math.floor(expiresAt / 1000)) };
}
