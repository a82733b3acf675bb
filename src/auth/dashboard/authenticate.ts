import { timingSafeEqual } from "node:crypto";
import type pg from "pg";
import type { Logger } from "pino";
import { hashToken, isToken } from "./token.ts";
import { type DashboardUser, ENVIRONMENT_USER } from "./user.ts";
import { findByTokenHash, noteUse, type StoredUser } from "./user-store.ts";

/** Causes of refusing a dashboard: a fixed set, for the log and for metrics. Never sent to callers. */
export type DashboardCause =
  | "dashboard token missing"
  | "dashboard token unknown"
  | "dashboard token revoked"
  | "dashboard token expired";

/**
 * Checks the token of an open answer again.
 * @returns the cause of a refusal, or null
 */
export type Recheck = () => Promise<DashboardCause | null>;

export type DashboardResult =
  | { ok: true; user: DashboardUser; recheck: Recheck }
  | { ok: false; cause: DashboardCause };

/**
 * Checks the value of a header Authorization.
 * @throws ApiError DATABASE_UNAVAILABLE
 */
export type AuthenticateDashboard = (authorization: string | undefined) => Promise<DashboardResult>;

export interface DashboardAuthenticatorOptions {
  pool: pg.Pool;
  /** Tokens of DASHBOARD_TOKENS. */
  tokens: readonly string[];
  log: Logger;
  /** Unix milliseconds. */
  now: () => number;
}

/** Interval in which a use of a token is stored once, milliseconds. */
const USE_NOTED_MS = 60_000;

/**
 * Creates the check of dashboard tokens. Those of the environment are compared in memory, so that they work while the database is
 * down. All others are looked up on each request, without a cache: a revoked or expired token is refused from the next request
 * on.
 */
export function createDashboardAuthenticator(options: DashboardAuthenticatorOptions): AuthenticateDashboard {
  const { pool, log, now } = options;
  const isOfEnvironment = createComparison(options.tokens);

  async function check(token: string): Promise<DashboardResult> {
    if (isOfEnvironment(token)) return { ok: true, user: ENVIRONMENT_USER, recheck: async () => null };
    const stored = isToken(token) ? await findByTokenHash(pool, hashToken(token)) : null;
    const cause = findFault(stored, now());
    if (!stored || cause) return { ok: false, cause: cause ?? "dashboard token unknown" };
    const { name, role, expiresAt } = stored;
    note(stored);
    return {
      ok: true,
      user: { name, role, expiresAt: expiresAt?.getTime() ?? null },
      recheck: async () => {
        const again = await check(token);
        return again.ok ? null : again.cause;
      },
    };
  }

  /** Stores the use of a token. Nothing waits for it, and a request succeeds without it. */
  function note({ userId, lastUsedAt }: StoredUser): void {
    if (lastUsedAt && now() - lastUsedAt.getTime() < USE_NOTED_MS) return;
    noteUse(pool, userId).catch((err: unknown) => log.warn({ err }, "the use of a token is not noted"));
  }

  return async (authorization) => {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
    return token ? check(token) : { ok: false, cause: "dashboard token missing" };
  };
}

function findFault(user: StoredUser | null, nowMs: number): DashboardCause | null {
  if (!user) return "dashboard token unknown";
  if (user.revokedAt) return "dashboard token revoked";
  return user.expiresAt && user.expiresAt.getTime() <= nowMs ? "dashboard token expired" : null;
}

/** Compares a token with every one of the list, by digests of equal length, so that the time taken reveals nothing. */
function createComparison(tokens: readonly string[]): (token: string) => boolean {
  const digests = tokens.map(hashToken);
  return (token) => {
    const sent = hashToken(token);
    let found = false;
    for (const known of digests) found = timingSafeEqual(known, sent) || found;
    return found;
  };
}
