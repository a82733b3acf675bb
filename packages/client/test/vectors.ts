import { readFileSync } from "node:fs";

/** A request and its signature, made by an independent implementation. */
export interface Vector {
  method: string;
  path: string;
  /** Pairs as sent. */
  query?: [string, string][];
  /** Query as sent, in place of `query`. */
  sentQuery?: string;
  timestamp: string;
  nonce: string;
  body: string;
  uri: string;
  sign: string;
  accept: boolean;
}

export const vectors: { secret: string; cases: Vector[] } = JSON.parse(
  readFileSync(new URL("../../../docs/signing-vectors.json", import.meta.url), "utf8"),
);

/** Returns path and query as a client sends them. */
export function targetOf({ path, query, sentQuery }: Vector): string {
  const text = sentQuery ?? query?.map((pair) => pair.join("=")).join("&");
  return text ? `${path}?${text}` : path;
}

/** Vectors that a client can produce: a server accepts them, and the signed text is the sent one. */
export const sentVectors = vectors.cases.filter(({ accept, uri }) => accept && !/[ \n]/.test(uri));
