import { setTimeout as sleep } from "node:timers/promises";
import type { Caller } from "../auth/caller.ts";
import type { Deps } from "../context/deps.ts";
import type { WebhookInput } from "./input.ts";
import { requireNotPaused } from "./pause.ts";
import { ATTEMPT_MS } from "./schedule.ts";
import { CLAIM_SECONDS, insertTest, readTest, type TestState } from "./test-store.ts";
import { requireWebhook } from "./webhooks.ts";

/** Polls as well, because a notification may be lost. */
const POLL_MS = 500;
/** By then a deliverer has claimed the test, or will not make it. */
const CLAIMED_MS = (CLAIM_SECONDS + 1) * 1_000;
/** By then the attempt has ended, and its outcome is written. */
const ENDED_MS = CLAIMED_MS + ATTEMPT_MS + 2_000;

type TestDeps = Pick<Deps, "pool" | "notifications">;

/**
 * POST /webhooks/{webhookId}/test. A deliverer makes it; this process posts to nobody. It reveals no more of the receiver than a delivery
 * does: it is the same target by the same rules.
 * @throws ApiError WEBHOOK_NOT_FOUND, POLICY_REFUSED (the operator paused it)
 */
export async function testWebhook(deps: TestDeps, caller: Caller, { webhookId }: WebhookInput) {
  requireNotPaused(await requireWebhook(deps.pool, caller, webhookId));
  const beganAt = performance.now();
  const testId = await insertTest(deps.pool, webhookId);
  for (;;) {
    // Begins before the test is read, so that a change meanwhile is notified.
    const changed = deps.notifications?.wait(testId, POLL_MS) ?? sleep(POLL_MS);
    const state = await readTest(deps.pool, testId);
    const waitedMs = Math.round(performance.now() - beganAt);
    if (state?.isEnded) {
      const { statusCode, error, durationMs } = state;
      return { delivered: error === null, statusCode, error, durationMs: durationMs ?? waitedMs };
    }
    const error = giveUp(state, waitedMs);
    if (error !== null) return { delivered: false, statusCode: null, error, durationMs: waitedMs };
    await changed;
  }
}

/** Returns the reason to stop waiting for a test, or null. */
function giveUp(state: TestState | null, waitedMs: number): string | null {
  if (!state) return "the webhook was deleted meanwhile";
  if (!state.isClaimed && waitedMs > CLAIMED_MS)
    return "nothing was sent within 5 s: try again, and ask the operator where this repeats";
  if (waitedMs > ENDED_MS) return "what came of the attempt is not known: try again";
  return null;
}
