import type { ErrCode } from "../../protocol/errors.ts";

/** A request, with the parts of its answer that differ from the catalogue's entry. */
export interface Example {
  /** Method, path below /api/v1 and query, as sent. */
  request: string;
  /** A header beside those of the signature. */
  header?: readonly [name: string, value: string];
  body?: Readonly<Record<string, unknown>>;
  param?: string;
  errMsg?: string;
  revert?: string;
  oldestCursor?: string;
  /** Sent as Retry-After. */
  retryAfterSeconds?: number;
  /**
   * Key of a fresh sandbox that always gets exactly this answer: a test sends it. Left out where the answer depends on an earlier
   * state.
   */
  askedBy?: "bound key" | "unbound key";
}

/**
 * A page for partners about an errCode, beyond the catalogue. Texts are plain, with code in backticks;
 * an errCode in backticks becomes a link to its page, and `docs/<page>.md` one to that document.
 */
export interface ErrorPage {
  /** Causes of the error. */
  cause: readonly string[];
  example: Example;
  /** Steps to take, in order: each names the field, the endpoint or the command. */
  steps: readonly string[];
  /** Time and way to send the call again, where that is more than the catalogue's `retryable`. */
  retry?: string;
  /** Way to cause it in the sandbox. Left out where that is the example, or where there is none. */
  sandbox?: string;
}

/** Pages of some errCodes; src/docs-page/errors/pages.ts requires that each has one. */
export type SomePages = Readonly<Partial<Record<ErrCode, ErrorPage>>>;
