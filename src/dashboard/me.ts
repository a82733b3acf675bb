import type { RequestContext } from "../context/request.ts";

/** GraphQL `Dashboard.me`. */
export function presentMe({ user }: RequestContext) {
  if (!user) throw new Error("a request for a dashboard without its user");
  const { name, role, expiresAt } = user;
  return { name, role, expiresAt: expiresAt === null ? null : Math.floor(expiresAt / 1000) };
}
