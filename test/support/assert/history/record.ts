/**
 * Records every call of this process's partners with its answer, so that a test can compare all that it was answered
 * with one order of events (check.ts).
 */
export interface Exchange {
  /** Places in the order in which calls began and ended; one that ended before another began was answered before it. */
  began: number;
  ended: number;
  apiKey: string;
  nonce: string;
  method: "GET" | "POST" | "DELETE";
  /** Relative to /api/v1, without the query. */
  path: string;
  body: unknown;
  idempotencyKey: string | null;
  /** Null where the connection ended before an answer: the call may have been carried out or not. */
  answer: { status: number; code: number; errCode: string | null; data: unknown } | null;
}

export type Call = Omit<Exchange, "began" | "ended" | "answer">;

let recorded: Exchange[] | null = null;
let clock = 0;

/** Starts recording. @returns the history, in the order in which calls ended; it grows until the test file ends */
export function recordHistory(): readonly Exchange[] {
  recorded = [];
  return recorded;
}

/**
 * Notes that a call begins.
 * @returns what notes its end, by its answer or by null
 */
export function beginCall(call: Call): (answer: Exchange["answer"]) => void {
  const began = ++clock;
  return (answer) => void recorded?.push({ ...call, began, ended: ++clock, answer });
}
