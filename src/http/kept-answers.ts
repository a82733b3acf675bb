import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";

/** The data of an answer, and what it was read at. */
export interface KeptAnswer {
  /** See AnswerVersion. */
  version: string;
  /** The data as JSON. */
  data: string;
  etag: string;
  /**
   * Of a list: the sequence of the log when the list was read. Events since then are read again by its follower, and change
   * nothing.
   */
  eventCursor?: string | null;
}

/**
 * Answers in memory. One is only served to a request whose own claim returned the version that it was read at: so it is what
 * the database would answer, on every replica, and nothing needs to be notified of a change.
 */
export interface KeptAnswers {
  find(name: string): KeptAnswer | undefined;
  keep(name: string, answer: KeptAnswer): void;
}

/** About the size of an entry without its texts, bytes. */
const ENTRY_BYTES = 400;

/** @param maxBytes those used least recently make room; 0: nothing is kept */
export function createKeptAnswers(maxBytes: number): KeptAnswers | null {
  if (maxBytes === 0) return null;
  const answers = new LRUCache<string, KeptAnswer>({
    maxSize: maxBytes,
    sizeCalculation: ({ data }, name) => Buffer.byteLength(data) + name.length + ENTRY_BYTES,
  });
  return {
    find: (name) => answers.get(name),
    keep: (name, answer) => void answers.set(name, answer),
  };
}

/** Returns the entity tag of an answer. Weak: two answers of the same data differ in `uuid` and `t`. */
export const etagOf = (data: string): string =>
  `W/"${createHash("sha256").update(data).digest("base64url").slice(0, 27)}"`;

/** Returns true where an If-None-Match has the tag, weak or strong, or is `*`. */
export function isMatchedBy(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  const opaque = etag.slice("W/".length);
  return ifNoneMatch.split(",").some((entry) => {
    const tag = entry.trim();
    return tag === "*" || tag === opaque || tag === etag;
  });
}
