/**
 * Request signing (docs/api.md#authentication), for server and client alike. Imports nothing, so that
 * it runs wherever a partner's code does.
 *
 *     payload = METHOD "\n" URI "\n" TS "\n" NONCE "\n" BODY
 *     x-api-sign = hex(HMAC-SHA256(apiSecret, payload))
 *
 * By these rules a payload belongs to one request only. Newlines cannot occur before BODY, and from a URI the
 * decoded names and values can be distinguished, whichever of the two forms it is.
 */
export const SIGNING_HEADERS = {
  apiKey: "x-api-key",
  timestamp: "x-api-ts",
  nonce: "x-api-nonce",
  chainId: "x-api-chain-id",
  product: "x-api-p",
  signature: "x-api-sign",
} as const;

/** Prefix of every endpoint's path, also in the signed URI. */
export const API_PREFIX = "/api/v1";

/** Allowed difference between x-api-ts and the server's time, either way, milliseconds. */
export const TIMESTAMP_WINDOW_MS = 45_000;

/** URIs that may stand in the payload of one request target. */
export interface CanonicalUris {
  /** The pairs as they are sent. */
  sent: string;
  /** Percent-decoded pairs, where that is unambiguous; else null. Equal to `sent` where nothing is encoded. */
  decoded: string | null;
}

// RFC 3986 pchar and "/", without "%": an encoded path could be read as another one.
const PATH = /^\/[A-Za-z0-9\-._~!$&'()*+,;=:@/]*$/;
const DOT_SEGMENT = /\/\.{1,2}(?:\/|$)/;
/** Visible ASCII, without "#". */
const QUERY = /^[!"$-~]+$/;
const ASCII = /^[\x20-\x7e]+$/;
/** In a decoded pair, these would let one request pass for another. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: bytes below 0x20 are what it is for
const AMBIGUOUS = /[&=?#%+\x00-\x1f]/;

/**
 * Returns the canonical URIs of a request target, path and query as they stand in the request line, without a deployment's
 * prefix. Null where the target must be refused: absolute form, fragment, `%` or a dot segment in the path, a lone
 * trailing `?`, an empty pair, a name that is empty, not ASCII, or repeated (also after decoding).
 */
export function canonicalUris(target: string): CanonicalUris | null {
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  if (!PATH.test(path) || path.startsWith("//") || DOT_SEGMENT.test(path)) return null;
  if (mark < 0) return { sent: path, decoded: path };
  const query = target.slice(mark + 1);
  if (!QUERY.test(query)) return null;
  const pairs = parsePairs(query);
  if (pairs === null) return null;
  const sent = `${path}?${joined(pairs)}`;
  if (!query.includes("%")) return { sent, decoded: sent };
  const decoded = decodePairs(pairs);
  return { sent, decoded: decoded && `${path}?${joined(decoded)}` };
}

interface Pair {
  name: string;
  /** With its "=", empty where the pair has none. */
  rest: string;
}

function parsePairs(query: string): Pair[] | null {
  const pairs: Pair[] = [];
  const names = new Set<string>();
  for (const text of query.split("&")) {
    const mark = text.indexOf("=");
    const pair = { name: mark < 0 ? text : text.slice(0, mark), rest: mark < 0 ? "" : text.slice(mark) };
    const name = decode(pair.name);
    // A server reads the decoded name, so decoded names must be unique.
    if (name === null || !ASCII.test(name) || names.has(name)) return null;
    names.add(name);
    pairs.push(pair);
  }
  return pairs;
}

/** Sorts by name; sorting by the whole pair would put `a-b=1` before `a=1`. Names are unique, so nothing else decides. */
function joined(pairs: Pair[]): string {
  return [...pairs]
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, rest }) => name + rest)
    .join("&");
}

function decodePairs(pairs: Pair[]): Pair[] | null {
  const decoded: Pair[] = [];
  for (const pair of pairs) {
    const name = decode(pair.name);
    const value = decode(pair.rest.slice(1));
    if (name === null || value === null || AMBIGUOUS.test(name) || AMBIGUOUS.test(value)) return null;
    decoded.push({ name, rest: pair.rest.slice(0, 1) + value });
  }
  return decoded;
}

/** Decodes percent-encoded UTF-8; a plus stays a plus. Returns null where it is malformed. */
function decode(text: string): string | null {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

export interface SignedParts {
  /** Upper case. */
  method: string;
  /** A URI of canonicalUris. */
  uri: string;
  /** Value of x-api-ts: Unix milliseconds. */
  timestamp: string;
  /** Value of x-api-nonce. */
  nonce: string;
}

/** Returns the payload up to and with the last newline; the raw bytes of the body follow it. */
export function payloadHead({ method, uri, timestamp, nonce }: SignedParts): string {
  return `${method}\n${uri}\n${timestamp}\n${nonce}\n`;
}

/** Returns the value of x-api-sign, for callers. `body` is exactly what is sent, empty where there is none. */
export async function sign(secret: string, parts: SignedParts, body: string): Promise<string> {
  const { subtle } = globalThis.crypto;
  const utf8 = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await subtle.importKey("raw", utf8.encode(secret), algorithm, false, ["sign"]);
  const digest = await subtle.sign("HMAC", key, utf8.encode(payloadHead(parts) + body));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
