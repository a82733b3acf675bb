import type { Route } from "../../context/endpoint.ts";

/** Path segments before a parameter that name how one object is looked up: /orders/tx/{txHash}. */
const LOOKUPS = ["tx", "client"];
/** Segments whose word is no identifier, or says less than another. */
const WORDS: Readonly<Record<string, string>> = { "1ct": "oneClick", tx: "record", cancel: "cancelMany" };

/**
 * Returns the name under which client libraries offer an operation, as `group.method`: `orders.list` for GET /orders,
 * `cash.deposits.send` for POST /cash/deposits/send, `orders.getByTxHash` for GET /orders/tx/{txHash}. It follows from method
 * and path alone, so a name changes only where the endpoint does.
 * @param isList whether the answer is a list of rows
 */
export function clientMethodOf({ method, path }: Pick<Route, "method" | "path">, isList: boolean): string {
  const segments = path.split("/").slice(1);
  const firstParam = segments.findIndex(isParam);
  const group = firstParam < 0 ? segments : segments.slice(0, firstParam);
  const last = segments.at(-1) ?? "";
  if (isParam(last)) {
    const lookup = LOOKUPS.includes(group.at(-1) ?? "");
    const verb = method === "DELETE" ? "delete" : lookup ? `getBy${capitalized(last.slice(1))}` : "get";
    return dotted(lookup ? group.slice(0, -1) : group, verb);
  }
  if (firstParam >= 0) {
    const verb = wordOf(last);
    return dotted(group, method === "DELETE" ? `cancel${capitalized(verb)}` : verb);
  }
  if (method === "GET" && (isList || group.length === 1)) return dotted(group, isList ? "list" : "get");
  if (group.length === 1) return dotted(group, "create");
  return dotted(group.slice(0, -1), wordOf(last));
}

const isParam = (segment: string) => segment.startsWith(":");
const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
const wordOf = (segment: string) =>
  WORDS[segment] ?? segment.replaceAll(/-(\w)/g, (_match, letter: string) => letter.toUpperCase());
const dotted = (group: readonly string[], method: string) => [...group.map(wordOf), method].join(".");
