import type { Deps } from "../context/deps.ts";
import { ApiError } from "../protocol/errors.ts";
import { inSpan } from "../telemetry/tracing.ts";
import { type Answer, post } from "./post.ts";
import { ATTEMPT_MS } from "./schedule.ts";
import { signedHeaders } from "./sign.ts";
import { parseTarget, resolveTarget, type Target } from "./target.ts";

type AttemptDeps = Pick<Deps, "webhooks" | "now">;

/** Content and target of one attempt. */
export interface Attempt {
  webhookId: string;
  url: string;
  secrets: Parameters<typeof signedHeaders>[2];
  /** The header webhook-id. */
  id: string;
  event: object;
  timeoutMs?: number | undefined;
}

/**
 * Posts an event to a webhook. Looks up the host, checks its addresses, and connects to one of them.
 * @throws Error where a secret cannot be opened, which is our own failure
 */
export async function attempt({ webhooks, now }: AttemptDeps, options: Attempt): Promise<Answer> {
  const { webhookId, url, secrets, id, event, timeoutMs = ATTEMPT_MS } = options;
  const body = JSON.stringify(event);
  const headers = signedHeaders(webhooks.keys, webhookId, secrets, { id, nowMs: now(), body });
  const beganAt = performance.now();
  const target = await withinMs(timeoutMs, findTarget(url, webhooks));
  const spentMs = performance.now() - beganAt;
  if (typeof target !== "string")
    return inSpan("POST", { kind: "client" }, async (span) => {
      const answer = await post(target, { headers, body, timeoutMs: timeoutMs - spentMs });
      span?.set({ "http.response.status_code": answer.statusCode ?? 0 });
      return answer;
    });
  return { statusCode: null, error: target, durationMs: Math.round(spentMs), retryAfterMs: null };
}

/** @returns the refusal of the target, if any */
async function findTarget(url: string, settings: Deps["webhooks"]): Promise<Target | string> {
  try {
    return await resolveTarget(parseTarget(url, settings), settings);
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}

async function withinMs<T>(ms: number, work: Promise<T>): Promise<T | string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`the host was not found within ${ms / 1000} s`), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
