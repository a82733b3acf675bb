import type { Route } from "../context/endpoint.ts";
import type { Cost } from "../protocol/costs.ts";

/** A route of the list that a request matched. */
export interface MatchedRoute {
  method: Route["method"];
  /** The pattern, relative to the API's prefix: what logs and metrics name. */
  path: string;
  field: Route["field"];
  /** Names of the path's parameters. */
  params: ReadonlySet<string>;
  cost: Cost;
  /** See Route. */
  readsAhead: boolean;
  /** See Route. */
  keeps: boolean;
  /** See Route. */
  readsReplicas: boolean;
  /** See Route. */
  streams: boolean;
}

/** A matched route, with the values of its path parameters by name. */
export interface Match {
  route: MatchedRoute;
  values: Readonly<Record<string, string>>;
}

/** @returns the route of a method and a path (relative to the API's prefix); null is a 404. */
export type Router = (method: string, path: string) => Match | null;

interface Entry {
  segments: string[];
  route: MatchedRoute;
}

/** Matches only the routes of the list. A literal segment wins over a parameter, whatever the order of the list. */
export function createRouter(routes: readonly Route[]): Router {
  const literals = new Map<string, Match>();
  const patterns = new Map<string, Entry[]>();
  for (const { method, path, field, cost = 1, ...flags } of routes) {
    const { readsAhead = false, keeps = false, readsReplicas = false, streams = false } = flags;
    const segments = path.split("/");
    const names = segments.filter((segment) => segment.startsWith(":")).map((segment) => segment.slice(1));
    const params = new Set(names);
    const route = { method, path, field, params, cost, readsAhead, keeps, readsReplicas, streams };
    if (names.length === 0) {
      literals.set(`${method} ${path}`, { route, values: {} });
      continue;
    }
    const key = `${method} ${segments.length}`;
    patterns.set(key, [...(patterns.get(key) ?? []), { segments, route }].sort(literalFirst));
  }
  return (method, path) => {
    const literal = literals.get(`${method} ${path}`);
    if (literal) return literal;
    const segments = path.split("/");
    const candidates = patterns.get(`${method} ${segments.length}`) ?? [];
    const entry = candidates.find((candidate) => matches(candidate.segments, segments));
    return entry ? { route: entry.route, values: valuesOf(entry.segments, segments) } : null;
  };
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return pattern.every((part, index) =>
    part.startsWith(":") ? segments[index] !== "" : part === segments[index],
  );
}

function valuesOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    if (part.startsWith(":")) values[part.slice(1)] = segments[index] ?? "";
  }
  return values;
}

/** Compares where the first parameter stands: later is more literal, and is tried earlier. */
function literalFirst(a: Entry, b: Entry): number {
  for (const [index, part] of a.segments.entries()) {
    const mine = part.startsWith(":");
    const other = b.segments[index]?.startsWith(":") ?? false;
    if (mine !== other) return mine ? 1 : -1;
  }
  return 0;
}
