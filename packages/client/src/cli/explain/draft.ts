import { API_PREFIX } from "../../../../../src/protocol/signing.ts";
import { queryOf, queryText, type SignedRequest } from "../signed-request.ts";
import type { Pair, Target } from "../target.ts";

/** A string to sign, in the parts from which a program joins it. The mistakes of programs are changes of a draft. */
export interface Draft {
  method: string;
  /** With /api/v1. */
  path: string;
  /** Without its question mark; empty where there is none. */
  query: string;
  timestamp: string;
  nonce: string;
  /** Null where the program joins only four parts. */
  body: string | null;
  /** Text between the parts. */
  separator: string;
  /** Text after the last part. */
  end: string;
  isNonceFirst: boolean;
}

/** Returns the draft of the right string. */
export function rightDraft(
  { method, path, body }: Target,
  { uri, timestamp, nonce }: Pick<SignedRequest, "uri" | "timestamp" | "nonce">,
): Draft {
  const right = { method, path: API_PREFIX + path, query: queryOf(uri), timestamp, nonce, body };
  return { ...right, separator: "\n", end: "", isNonceFirst: false };
}

/** Returns the string of a draft. */
export function draftText(draft: Draft): string {
  const { method, path, query, timestamp, nonce, body, separator, end, isNonceFirst } = draft;
  const uri = query === "" ? path : `${path}?${query}`;
  const once = isNonceFirst ? [nonce, timestamp] : [timestamp, nonce];
  return [method, uri, ...once, ...(body === null ? [] : [body])].join(separator) + end;
}

/** Holds the parts of a request that a caller can get wrong. */
export interface Request {
  target: Target;
  baseUrl: string;
}

const PERMUTED_MAX = 4;

/** Returns the other orders of a query: the typed one first. */
export function otherOrders(query: readonly Pair[], right: string): string[] {
  const all = query.length > PERMUTED_MAX ? [query, [...query].reverse()] : [query, ...permutations(query)];
  return [...new Set(all.map(queryText))].filter((text) => text !== right);
}

function permutations(pairs: readonly Pair[]): Pair[][] {
  if (pairs.length < 2) return [[...pairs]];
  return pairs.flatMap((first, index) =>
    permutations(pairs.filter((_pair, other) => other !== index)).map((rest) => [first, ...rest]),
  );
}
