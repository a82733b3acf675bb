import { expect } from "@jest/globals";
import { ENDPOINTS, STREAMS } from "../../../src/api/endpoints.ts";
import type { Partner } from "./partner.ts";
import { type Asker, type Attempt, type Foreign, SCOPE_CASES, secretsOf } from "./scope-cases.ts";

export const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

/** Every route with its parameters filled in, as a matrix over all of them calls it. */
export const filledRoutes = [...ENDPOINTS, ...STREAMS].map(({ method, path }) => ({
  method,
  name: nameOf({ method, path }),
  path: path.replace(/:\w+/g, `0x${"ab".repeat(32)}`),
}));

/** The routes in the order of the tries: those that write come last. */
export const SCOPE_ROUTES = Object.keys(SCOPE_CASES).sort(
  (a, b) => Number(a.endsWith("/tx")) - Number(b.endsWith("/tx")),
);

export function callRoute(partner: Partner, method: string, { path, query, body }: Omit<Attempt, "answer">) {
  if (method === "GET") return partner.get(path, query);
  return method === "POST" ? partner.post(path, body) : partner.delete(path);
}

/**
 * Tries a route with what is not the asker's, and holds the answer against its entry.
 * @throws Error where the entry is missing or makes no attempt, which proves nothing.
 */
export async function expectNothingForeign(
  partner: Partner,
  route: string,
  foreign: Foreign,
  asker: Asker,
): Promise<void> {
  const attempts = SCOPE_CASES[route]?.(foreign, asker) ?? [];
  if (attempts.length === 0) throw new Error(`${route}: the scope matrix makes no attempt`);
  for (const attempt of attempts) {
    const { body } = await callRoute(partner, route.split(" ")[0] ?? "", attempt);
    if ("errCode" in attempt.answer) {
      expect({ route, ...body }).toMatchObject({ route, data: null, ...attempt.answer });
    } else {
      expect({ route, ...body }).toMatchObject({ route, code: 200 });
      const { data } = attempt.answer;
      if (Array.isArray(data)) expect(body.data).toEqual(expect.any(Array));
      else expect(body.data).toMatchObject(data as object);
    }
    const asked = JSON.stringify(attempt).toLowerCase();
    const told = JSON.stringify(body).toLowerCase();
    expect(secretsOf(foreign).filter((fact) => !asked.includes(fact) && told.includes(fact))).toEqual([]);
  }
}
