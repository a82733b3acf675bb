import { SIGNING_HEADERS } from "../protocol/signing.ts";

export type HeaderFault = "header missing" | "header repeated" | "header malformed";

/** Headers that authentication reads; empty where missing, and the first value of a repeated one. */
export interface AuthHeaders {
  apiKey: string;
  timestamp: string;
  nonce: string;
  chainId: string;
  product: string;
  signature: string;
  /** Every X-Forwarded-For value, in order. */
  forwardedFor: string[];
  /** Null where each of the six is there once, in visible ASCII of reasonable length. */
  fault: HeaderFault | null;
}

const NAMES = Object.entries(SIGNING_HEADERS) as [keyof typeof SIGNING_HEADERS, string][];
/** By name: the field, and a bit of its own that marks it as seen. */
const FIELDS = new Map(NAMES.map(([field, name], index) => [name, { field, bit: 1 << index }]));
const FORWARDED_FOR = "x-forwarded-for";
/** Longer header names are skipped. */
const LONGEST = FORWARDED_FOR.length;
const VISIBLE = /^[\x20-\x7e]{1,128}$/;

/** Picks the authentication headers out of node's `rawHeaders`; a name's case makes no difference. */
export function readAuthHeaders(rawHeaders: readonly string[]): AuthHeaders {
  const headers: AuthHeaders = {
    apiKey: "",
    timestamp: "",
    nonce: "",
    chainId: "",
    product: "",
    signature: "",
    forwardedFor: [],
    fault: null,
  };
  let seen = 0;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] ?? "";
    if (sent.length > LONGEST || (sent[0] !== "x" && sent[0] !== "X")) continue;
    const name = sent.toLowerCase();
    const value = rawHeaders[index + 1] ?? "";
    if (name === FORWARDED_FOR) headers.forwardedFor.push(value);
    const known = FIELDS.get(name);
    if (!known) continue;
    const { field, bit } = known;
    if (seen & bit) {
      headers.fault ??= "header repeated";
      continue;
    }
    seen |= bit;
    if (VISIBLE.test(value)) headers[field] = value;
    else headers.fault ??= "header malformed";
  }
  if (seen !== (1 << NAMES.length) - 1) headers.fault ??= "header missing";
  return headers;
}
