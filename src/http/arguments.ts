import { parse } from "lossless-json";
import { ApiError } from "../protocol/errors.ts";

/** Arguments are flat; this leaves room for a payload object and bounds the parser's recursion. */
const DEPTH_MAX = 16;
/** Maximum length of a caller's own text in `param`. */
const PARAM_MAX = 64;

/** Returns the names of the parameters that a shape has. */
export const namesOf = ({ shape }: { shape: object }): ReadonlySet<string> => new Set(Object.keys(shape));

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Returns the JSON object in a request's body, losslessly: numbers stay the text that was sent ("1.10", "1e400"), so that no
 * digit is lost before the feature's own check. An empty body is an empty object.
 * @throws ApiError VALIDATION_FAILED when it is not UTF-8, not JSON, not an object, too deep, or names a key twice.
 */
export function parseBody(bytes: Uint8Array): Record<string, unknown> {
  if (bytes.length === 0) return {};
  const text = decode(bytes);
  refuseDeepAndRepeated(text);
  const value = parseJson(text);
  if (!isRecord(value)) throw invalid("The body must be a JSON object");
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw invalid("The body is not UTF-8", cause);
  }
}

function parseJson(text: string): unknown {
  try {
    return parse(text, null, { parseNumber: (digits) => digits });
  } catch (cause) {
    throw invalid("The body is not valid JSON", cause);
  }
}

/** A lone quote opens a string that never ends: seen once, the scan stops, or it would start over at every quote. */
const STRING_OR_BRACKET = /"[^"\\]*(?:\\.[^"\\]*)*"|["{}[\]]/gs;
const COLON = /[ \t\r\n]*:/y;

/**
 * Goes over the text once, before anything recurses into it. The parser itself accepts a key twice where both values
 * are equal; two readers of one signed body must never differ, so any repetition is refused.
 */
function refuseDeepAndRepeated(text: string): void {
  const open: Set<string>[] = [];
  for (const match of text.matchAll(STRING_OR_BRACKET)) {
    const token = match[0];
    if (token === "{" || token === "[") {
      if (open.push(new Set()) > DEPTH_MAX)
        throw invalid(`The body is nested deeper than ${DEPTH_MAX} levels`);
    } else if (token === "}" || token === "]") {
      open.pop();
    } else if (token === '"') {
      throw invalid("The body is not valid JSON");
    } else {
      COLON.lastIndex = match.index + token.length;
      if (COLON.test(text)) remember(open.at(-1), token);
    }
  }
}

function remember(keys: Set<string> | undefined, token: string): void {
  const key = spelled(token);
  if (key === null || keys === undefined) return;
  if (keys.has(key)) throw refused("The body names a field twice", key);
  keys.add(key);
}

/** Returns the key that a JSON string spells, so that "a" and "\u0061" are one; null where the parser will refuse it. */
function spelled(token: string): string | null {
  if (!token.includes("\\")) return token.slice(1, -1);
  try {
    return String(JSON.parse(token));
  } catch {
    return null;
  }
}

/**
 * Refuses body fields that the route does not take: a typo must not become a default.
 * @throws ApiError VALIDATION_FAILED, `param` names the first unknown field.
 */
export function refuseUnknownFields(body: Record<string, unknown>, known: ReadonlySet<string>): void {
  for (const name of Object.keys(body)) {
    if (!known.has(name)) throw refused("Unknown field", name);
  }
}

/** Refuses a body without a field that has to be named. @throws ApiError VALIDATION_FAILED, `param` names it */
export function requireField(body: Record<string, unknown>, name: string | undefined): void {
  if (name !== undefined && !Object.hasOwn(body, name))
    throw refused(`${name} is required, be it null`, name);
}

/**
 * Returns the parameters of a query, decoded; a plus is a blank, as forms send it. Refuses parameters that the route does not
 * take, and those without a value: an empty filter would silently become no filter.
 * @param query what follows the `?`, as sent
 * @throws ApiError VALIDATION_FAILED, `param` names the first wrong one.
 */
export function parseQuery(query: string, known: ReadonlySet<string>): Record<string, string> {
  const values: Record<string, string> = {};
  for (const pair of query.split("&")) {
    const mark = pair.indexOf("=");
    const name = mark < 0 ? pair : pair.slice(0, mark);
    if (!known.has(name)) throw refused("Unknown query parameter", name);
    if (Object.hasOwn(values, name)) throw refused(`${name} is given twice`, name);
    if (mark < 0 || mark === pair.length - 1) throw refused(`${name} must not be empty`, name);
    values[name] = decodeValue(pair.slice(mark + 1), name);
  }
  return values;
}

function decodeValue(text: string, name: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch (cause) {
    throw new ApiError("VALIDATION_FAILED", {
      message: `${name} is not properly encoded`,
      param: name,
      cause,
    });
  }
}

/** Refuses every query: on POST and DELETE a parameter would override a field of the signed body. */
export function refuseQuery(query: string): void {
  const name = query.split("&", 1)[0]?.split("=", 1)[0] ?? "";
  throw refused("Query parameters are not taken here", name);
}

function refused(message: string, param: string): ApiError {
  return new ApiError("VALIDATION_FAILED", { message, param: param.slice(0, PARAM_MAX) });
}

function invalid(message: string, cause?: unknown): ApiError {
  return new ApiError("VALIDATION_FAILED", { message, cause });
}
