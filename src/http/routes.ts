import type { Express, RequestHandler } from "express";
import type { Route } from "../context/endpoint.ts";
import { ApiError } from "../protocol/errors.ts";
import { API_PREFIX } from "../protocol/signing.ts";
import type { JsonSchema } from "./graphql/scalars.ts";

/** Returns the name of a route: its method, and the path as sofa and express have it. */
export const nameOf = ({ method, path }: Pick<Route, "method" | "path">): string =>
  `${method} ${API_PREFIX}${path}`;

/** Of the API's routes: express gives parameters of these paths one value each. */
export type RouteHandler<Locals extends Record<string, unknown> = Record<string, unknown>> = RequestHandler<
  Record<string, string>,
  unknown,
  unknown,
  unknown,
  Locals
>;

/**
 * Registers the API's routes with express; every other path below its prefix is ROUTE_NOT_FOUND. A literal segment wins over a
 * parameter, whatever the order of the list.
 * @param handlersOf returns the handlers of a route, in their order
 */
export function registerRoutes<Locals extends Record<string, unknown>>(
  app: Express,
  routes: readonly Route[],
  handlersOf: (route: Route) => RouteHandler<Locals>[],
): void {
  for (const route of routes.toSorted((a, b) => (shapeOf(a) < shapeOf(b) ? -1 : 1))) {
    const { method, path } = route;
    const register = method.toLowerCase() as Lowercase<Route["method"]>;
    // Express would answer HEAD by the handlers of GET.
    const refuseOthers: RouteHandler<Locals> = (request, _response, next) =>
      request.method === method ? next() : refuse();
    app[register](`${API_PREFIX}${path}`, refuseOthers, ...handlersOf(route));
  }
  app.use(API_PREFIX, refuse);
}

function refuse(): never {
  throw new ApiError("ROUTE_NOT_FOUND");
}

/** Returns the path with a character in place of each parameter that sorts behind every literal segment. */
const shapeOf = ({ path }: Route): string => path.replaceAll(/:\w+/g, "\uffff");

/** Returns the names of the routes in an OpenAPI document. */
export const namesInDocument = ({ paths }: JsonSchema): string[] =>
  Object.entries(paths as Record<string, object>).flatMap(([path, operations]) =>
    Object.keys(operations).map(
      (method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
    ),
  );

/** Compares lists of routes' names. @throws Error at start, naming each route that is not once in every list */
export function requireSameRoutes(lists: Readonly<Record<string, readonly string[]>>): void {
  const all = [...new Set(Object.values(lists).flat())];
  const faults = Object.entries(lists).flatMap(([list, names]) => {
    const wrong = all.filter((name) => names.filter((other) => other === name).length !== 1);
    return wrong.map((name) => `${name} is not once in ${list}`);
  });
  if (faults.length > 0) throw new Error(`the lists of routes differ: ${faults.join(", ")}`);
}
