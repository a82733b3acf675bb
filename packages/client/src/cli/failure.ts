import { TIMESTAMP_WINDOW_MS } from "../../../../src/protocol/signing.ts";
import type { Envelope } from "../answer.ts";
import type { Answer } from "./exchange.ts";
import type { Target } from "./target.ts";

/** Returns the text of a failure: its cause, its place and the remedy. */
export function presentFailure(target: Target, answer: Answer): string {
  const { envelope, status, text } = answer;
  if (!envelope) {
    const start = text.slice(0, 200).replaceAll(/\s+/g, " ");
    return `HTTP ${status}, and no answer of this API: is the base URL right? It begins: ${start || "(empty)"}`;
  }
  const [what, advice] =
    envelope.code === 401
      ? ["Unauthorized (401)", unauthorizedAdvice(target, answer)]
      : [
          `${envelope.errCode ?? "Failure"} (HTTP ${status}): ${envelope.errMsg}`,
          advise(target, answer, envelope),
        ];
  return [what, ...detailsOf(envelope), ...advice.map((line) => `  ${line}`)].join("\n");
}

function detailsOf({ param, revert, oldestCursor, uuid, docUrl }: Envelope): string[] {
  const details = { param, revert, oldestCursor, uuid, docUrl };
  return Object.entries(details).flatMap(([name, value]) => (value ? [`  ${name.padEnd(12)} ${value}`] : []));
}

function advise(target: Target, { headers }: Answer, envelope: Envelope): string[] {
  const { errCode, param, retryable, code, docUrl } = envelope;
  const word = wordMeant(target, envelope);
  if (word) return [`Words are spelled exactly so: ${param}=${word}`];
  if (errCode === "VALIDATION_FAILED" && param && target.textFields.includes(param) && !wordsOf(envelope))
    return [`${param} was sent as a string: ${param}:=... sends a number, or other JSON.`];
  if (retryable) {
    const after = headers.get("retry-after");
    return [
      `The same call may succeed ${after ? `in ${after} s` : "later"}; repeat a send with its Idempotency-Key.`,
    ];
  }
  if (code === 404) return ["docs/endpoints.md, or /openapi.json of the server, lists every endpoint."];
  return [`The same call would fail again: ${docUrl ? "docUrl says what to change" : "change the request"}.`];
}

const WORDS = " must be one of ";

/** Returns the words of which a refused parameter must be one; null where it is no such parameter. */
function wordsOf({ param, errMsg }: Envelope): string[] | null {
  const start = `${param}${WORDS}`;
  return param && errMsg.startsWith(start) ? errMsg.slice(start.length).split(", ") : null;
}

/** Returns the word that was typed in another case, or null. */
function wordMeant({ query, body }: Target, envelope: Envelope): string | null {
  const { param } = envelope;
  const typed = query.find(([name]) => name === param)?.[1] ?? fieldOf(body, param ?? "");
  return wordsOf(envelope)?.find((word) => word.toLowerCase() === typed?.toLowerCase()) ?? null;
}

/** Returns a field of a body that is a string, else null. */
function fieldOf(body: string, name: string): string | null {
  try {
    const value = JSON.parse(body)?.[name];
    return typeof value === "string" ? value : null;
  } catch {
    return null;
  }
}

/** Lists the checks of a failed authentication, certain ones first: all failures look alike. */
function unauthorizedAdvice({ method, path }: Target, { headers, aheadMs }: Answer): string[] {
  const cause = headers.get("x-sandbox-auth-cause");
  if (cause) return [`The sandbox says why: ${cause}.`];
  if (aheadMs !== null && Math.abs(aheadMs) > TIMESTAMP_WINDOW_MS)
    return [`This machine's clock is off: ${describeSkew(aheadMs)}.`];
  return [
    "The clock and the signature of this request are right if the secret is. So check:",
    "- API key and secret belong together, and the key is neither revoked nor expired",
    "- the address that you call from is on the key's IP whitelist",
    "- the key has this chain and product, spelled exactly so",
    ...(method === "GET" ? [] : [`- the key may write: it is not READ_ONLY`]),
    `For a request of your own program: partner-trading sign ${method} ${path} --explain`,
  ];
}

/** Describes the difference between this machine's clock and the server's. */
export function describeSkew(aheadMs: number): string {
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
  const direction = aheadMs < 0 ? "behind" : "ahead of";
  const window = TIMESTAMP_WINDOW_MS / 1000;
  const verdict = Math.abs(aheadMs) > TIMESTAMP_WINDOW_MS ? "too far" : "near enough";
  return `${seconds} s ${direction} the server, ${verdict}: ${window} s either way are allowed`;
}
