import { createHash } from "node:crypto";
import { trimTrailingZeros } from "../../protocol/decimal.ts";
import type { NameMacs } from "../trailer.ts";

/** Identity of a request under an Idempotency-Key. */
export interface RequestIdentity {
  /** As sent in the header Idempotency-Key, or null. */
  idempotencyKey: string | null;
  /** Hash of method, path and normalised input: see inputHash. */
  inputHash: string;
  /** Finds requests that a restored backup lacked (docs/sending.md#trailer); left out where none is re-created. */
  macs?: NameMacs;
}

/** Returns the hash that a repeat must match: of the method, the path and the input, in any order of its fields. */
export function inputHash(method: string, path: string, input: Readonly<Record<string, unknown>>): string {
  return createHash("sha256")
    .update(canonical([method, path, input]))
    .digest("hex");
}

/** Fields in which "1" and "01" are two names. */
const NAMES_OF_CALLERS: ReadonlySet<string> = new Set(["clientOrderId"]);

/** Returns the input in one form: hex in lower case, decimals without superfluous zeros. */
export function normaliseInput(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(args).map(([name, value]) => [
    name,
    NAMES_OF_CALLERS.has(name) ? value : normaliseValue(value),
  ]);
  return Object.fromEntries(entries);
}

function normaliseValue(value: unknown): unknown {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string") return text;
  if (/^0x[0-9a-f]*$/i.test(text)) return text.toLowerCase();
  if (!/^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text)) return text;
  const [whole = "", fraction = ""] = text.split(".");
  const digits = trimTrailingZeros(fraction);
  return `${whole.replace(/^0+(?=\d)/, "") || "0"}${digits && `.${digits}`}`;
}

function canonical(value: unknown): string {
  if (typeof value === "bigint") return `"${value}"`;
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const pairs = Object.entries(value)
      .filter(([, item]) => item !== undefined && item !== null)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`);
    return `{${pairs.join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}
