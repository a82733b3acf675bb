import { createHash } from "node:crypto";
import { bodySpellings } from "./bodies.ts";
import { type Draft, otherOrders, type Request } from "./draft.ts";

/** A typical mistake in the string that is signed. */
export interface PayloadMistake {
  /** Mistake of the program, as the rest of a sentence that begins with "it". */
  does: string;
  /** Correction. */
  fix: string;
  /** Returns the drafts that result from the mistake; none where it cannot be made. */
  make: (draft: Draft, request: Request) => Draft[];
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** In order of likelihood: where several give the same string, the first is named. */
export const PAYLOAD_MISTAKES: readonly PayloadMistake[] = [
  {
    does: "joins the lines with the two characters \\ and n",
    fix: 'Join them with real newlines, one byte 0x0a: "\\n" in JavaScript, Python, Go or Java, "\\n" and not \'\\n\' in PHP and Ruby, printf in a shell.',
    make: (draft) => [{ ...draft, separator: "\\n" }],
  },
  {
    does: "signs the query in another order than by name",
    fix: "Sort the parameters by name before signing, and send them in that order.",
    make: (draft, { target }) => otherOrders(target.query, draft.query).map((query) => ({ ...draft, query })),
  },
  {
    does: "signs the path without /api/v1",
    fix: "Sign the path as it stands in the request line, with /api/v1.",
    make: (draft) => [{ ...draft, path: draft.path.replace("/api/v1", "") }],
  },
  {
    does: "leaves out the newline before an empty body",
    fix: "End the string with a newline where there is no body: five parts, the last one empty.",
    make: (draft) => (draft.body === "" ? [{ ...draft, body: null }] : []),
  },
  {
    does: "signs the timestamp in seconds",
    fix: "Use Unix milliseconds, 13 digits, in x-api-ts and in the string.",
    make: (draft) => [{ ...draft, timestamp: String(Math.floor(Number(draft.timestamp) / 1000)) }],
  },
  {
    does: "serializes the body again after or before signing",
    fix: "Serialize the body once; sign and send that very text.",
    make: (draft) => bodySpellings(draft.body ?? "").map((body) => ({ ...draft, body })),
  },
  {
    does: "signs no body",
    fix: "Sign the body exactly as it is sent, behind the last newline.",
    make: (draft) => (draft.body ? ["", null].map((body) => ({ ...draft, body })) : []),
  },
  {
    does: "signs a body where none is sent",
    fix: "Without a body the string ends with the newline behind the nonce.",
    make: (draft) =>
      draft.body === "" ? ["{}", "null", "undefined", '""', "None"].map((body) => ({ ...draft, body })) : [],
  },
  {
    does: "writes the method in lower case",
    fix: "Write the method in upper case.",
    make: (draft) => [{ ...draft, method: draft.method.toLowerCase() }],
  },
  {
    does: "signs the path without its query",
    fix: "Sign the query, too: path, question mark, and the parameters sorted by name.",
    make: (draft) => (draft.query ? [{ ...draft, query: "" }] : []),
  },
  {
    does: "signs the whole URL",
    fix: "Sign path and query only, from /api/v1 on.",
    make: (draft, { baseUrl }) => [
      { ...draft, path: baseUrl + draft.path },
      { ...draft, path: new URL(baseUrl).host + draft.path },
    ],
  },
  {
    does: "signs another encoding of the query than is sent",
    fix: "Encode each value once, as %20 and never as a plus for a blank; sign and send that very text.",
    make: (draft) =>
      [
        draft.query.replaceAll("%20", "+"),
        decodeURIComponent(draft.query),
        draft.query.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
        encodeURI(draft.query),
      ].map((query) => ({ ...draft, query })),
  },
  {
    does: "joins the lines with carriage return and newline",
    fix: "Join them with newlines alone, one byte 0x0a; a file with Windows line ends is one cause.",
    make: (draft) => [{ ...draft, separator: "\r\n" }],
  },
  {
    does: "adds a newline at the end",
    fix: "Add nothing behind the body: echo, here-documents and editors do (printf '%s' does not).",
    make: (draft) => ["\n", "\\n", "\r\n"].map((end) => ({ ...draft, end })),
  },
  {
    does: "joins the parts with nothing or something else between them",
    fix: "Join the five parts with newlines.",
    make: (draft) => ["", " ", ",", "|", ":", "&", "."].map((separator) => ({ ...draft, separator })),
  },
  {
    does: "signs the nonce before the timestamp",
    fix: "The order is method, URI, timestamp, nonce, body.",
    make: (draft) => [{ ...draft, isNonceFirst: true }],
  },
  {
    does: "signs a hash of the body",
    fix: "Sign the body itself.",
    make: (draft) => [{ ...draft, body: sha256(draft.body ?? "") }],
  },
  {
    does: "writes the nonce otherwise than it is sent",
    fix: "Sign the nonce exactly as in x-api-nonce: a UUID with its hyphens.",
    make: ({ nonce, ...draft }) =>
      [nonce.replaceAll("-", ""), nonce.toUpperCase(), nonce.toLowerCase()].map((text) => ({
        ...draft,
        nonce: text,
      })),
  },
];
