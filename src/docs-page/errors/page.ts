import type { ErrCode } from "../../protocol/errors.ts";

/** A request and what makes its answer differ from the catalogue's entry. */
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
   * The key of a fresh sandbox that is answered exactly this, whatever happened before: a test sends it. Left out where the
   * answer depends on a state that has to be brought about first.
   */
  askedBy?: "bound key" | "unbound key";
}

/**
 * A page for partners about an errCode, beyond the catalogue. Texts are plain, with code in backticks;
 * an errCode in backticks becomes a link to its page, and `docs/<page>.md` one to that document.
 */
export interface ErrorPage {
  /** The causes of the error. */
  cause: readonly string[];
  example: Example;
  /** The steps to take, in order: each names the field, the endpoint or the command. */
  steps: readonly string[];
  /** When to send the call again, and how; or why not. */
  retry: string;
  /** How to bring it about in the sandbox. */
  sandbox: string;
  related: readonly ErrCode[];
}

/** Pages of some errCodes; src/docs-page/errors/pages.ts requires that each has one. */
export type SomePages = Readonly<Partial<Record<ErrCode, ErrorPage>>>;
