import { parseAddress } from "../config/ip-range.ts";
import { ApiError } from "../protocol/errors.ts";
import type { WebhookRow, WebhookUrl } from "./store.ts";
import { hostOf } from "./target.ts";

/** @throws ApiError POLICY_REFUSED */
export function requireNotPaused({ disabledReason }: Pick<WebhookRow, "disabledReason">): void {
  if (disabledReason !== "paused_by_operator") return;
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

/** Returns one text for all spellings of a host: a name without the dot at its end; of an address, one form, IPv4 where it is mapped. */
function nameOf(url: URL): string {
  const host = hostOf(url).replace(/\.$/, "");
  return parseAddress(host)?.toString() ?? host;
}

export const isSameHost = (one: URL, other: URL): boolean => nameOf(one) === nameOf(other);
