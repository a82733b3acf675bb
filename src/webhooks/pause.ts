import { ApiError } from "../protocol/errors.ts";
import type { WebhookRow, WebhookUrl } from "./store.ts";
import { hostOf } from "./target.ts";

/** @throws ApiError POLICY_REFUSED */
export function requireNotPaused({ disabled_reason }: Pick<WebhookRow, "disabled_reason">): void {
  if (disabled_reason !== "paused_by_operator") return;
  throw new ApiError("POLICY_REFUSED", { message: "The operator has paused this webhook" });
}

/**
 * Returns the refusal of a new webhook whose host the operator has paused, or null. Another path, port or set of types leads to
 * the same server.
 */
export function toPausedRefusal(paused: readonly WebhookUrl[], url: URL): ApiError | null {
  const same = paused.find((webhook) => isSameHost(new URL(webhook.url), url));
  if (!same) return null;
  const message = `The operator has paused webhook ${same.webhookId}, which leads to the same host: ask the operator to resume it`;
  return new ApiError("POLICY_REFUSED", { message });
}

/** Returns the host's name without a dot at its end, which does not change its meaning. */
const nameOf = (url: URL): string => hostOf(url).replace(/\.$/, "");

export const isSameHost = (one: URL, other: URL): boolean => nameOf(one) === nameOf(other);
