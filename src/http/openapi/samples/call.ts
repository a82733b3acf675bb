import { API_PREFIX } from "../../../protocol/signing.ts";
import type { Input } from "../inputs.ts";

/** One request that the samples of an operation make. */
export interface SampleCall {
  method: string;
  /** Below /api/v1, with the examples of its parameters. */
  path: string;
  /** As in `x-client-method`: `orders.list`. */
  clientMethod: string;
  /** Values of the path's parameters, in their order. */
  pathValues: readonly string[];
  /** By name in sorted order, as it is signed. */
  query: Readonly<Record<string, string | number>>;
  body: Readonly<Record<string, unknown>> | null;
  /** True where the operation takes an Idempotency-Key. */
  isSend: boolean;
  isStream: boolean;
}

export interface SampleParts {
  method: string;
  /** With `:name` for parameters. */
  path: string;
  clientMethod: string;
  inPath: readonly Input[];
  others: readonly Input[];
  /** The body; null where the operation takes none, or needs none. */
  body: SampleCall["body"];
  isSend?: boolean;
  isStream?: boolean;
}

/** Query parameters whose values commas separate: methods of streams take lists. */
export const LISTS: readonly string[] = ["types", "symbols"];

/** Optional query parameters that samples show: enough to see how they are given, and nothing that narrows by an id. */
const SHOWN: Readonly<Record<string, string | number>> = {
  interval: "1d",
  limit: 20,
  types: "order.*",
  symbols: "AAPL,MSFT",
};

/** Returns the request of an operation's samples, made of the examples in the document. */
export function sampleCall(parts: SampleParts): SampleCall {
  const { method, clientMethod, inPath, others, body, isSend = false, isStream = false } = parts;
  const values = new Map(inPath.map(({ name, example }) => [name, String(example)]));
  const path = parts.path.replaceAll(/:(\w+)/g, (_match, name: string) => values.get(name) ?? name);
  const after = others.find(({ name }) => name === "after")?.example;
  const shown: Record<string, unknown> = isStream && after !== undefined ? { ...SHOWN, after } : SHOWN;
  const names = others.map(({ name }) => name).filter((name) => name in shown);
  return {
    method,
    path,
    clientMethod,
    isSend,
    isStream,
    body,
    pathValues: [...values.values()],
    query:
      method === "GET" ? Object.fromEntries(names.sort().map((name) => [name, shownText(shown[name])])) : {},
  };
}

const shownText = (value: unknown): string | number => (typeof value === "number" ? value : String(value));

/** Returns the target as it is signed and sent. */
export function targetOf({ path, query }: SampleCall): string {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${API_PREFIX}${path}${pairs.length > 0 ? `?${pairs.join("&")}` : ""}`;
}
