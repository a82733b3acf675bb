import { ApiError } from "../protocol/errors.ts";

/** A request target in origin form, without the deployment's path prefix. */
export interface Target {
  path: string;
  /** The text behind the first `?`, exactly as sent; null where there is none. */
  query: string | null;
}

/** Visible ASCII that a target may hold; a fragment or a backslash never belongs in one. */
const ALLOWED = /^[!"$-[\]-~]+$/;

/**
 * Splits a request target and refuses every form in which two readers could see two different paths: absolute form,
 * fragments, percent-encoding, empty and dot segments in the path (docs/api.md#authentication).
 * @throws ApiError VALIDATION_FAILED
 */
export function parseTarget(raw: string, prefix: string): Target {
  if (!raw.startsWith("/") || !ALLOWED.test(raw)) {
    throw new ApiError("VALIDATION_FAILED", { message: "The request target is malformed" });
  }
  const mark = raw.indexOf("?");
  const sent = mark < 0 ? raw : raw.slice(0, mark);
  if (sent.includes("%") || sent.includes("//") || /\/\.{1,2}(\/|$)/.test(sent)) {
    throw new ApiError("VALIDATION_FAILED", {
      message: "The path must not hold percent-encoding, empty segments or dot segments",
    });
  }
  const path = prefix !== "" && sent.startsWith(`${prefix}/`) ? sent.slice(prefix.length) : sent;
  return { path, query: mark < 0 ? null : raw.slice(mark + 1) };
}

/** Returns the target as callers sign it, and as it is sent but for the prefix. */
export function uriOf({ path, query }: Target): string {
  return query === null ? path : `${path}?${query}`;
}
