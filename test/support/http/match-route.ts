import type { Route } from "../../../src/context/endpoint.ts";
import { createApp } from "../../../src/http/app.ts";
import { registerRoutes } from "../../../src/http/routes.ts";
import { API_PREFIX } from "../../../src/protocol/signing.ts";

interface Match {
  route: Route;
  /** Values of the path's parameters. */
  values: Record<string, string>;
}

/** Returns the route of the list that express calls for a method and a path below the API's prefix; null where it calls none. */
export function matchRoute(routes: readonly Route[], method: string, path: string): Match | null {
  let match: Match | null = null;
  const app = createApp([], [], Date.now, (registering) =>
    registerRoutes(registering, routes, (route) => [
      ({ params }) => {
        match = { route, values: { ...params } };
      },
    ]),
  );
  app({ method, url: `${API_PREFIX}${path}` } as never, {} as never, () => undefined);
  return match;
}
