import type pg from "pg";

/** Statements that one transaction runs. Nothing but the database may be asked while it is open. */
export type Tx = pg.PoolClient;

/** Returns the name of the unique constraint that a statement violated, or null where it failed for another reason. */
export function violatedConstraint(error: unknown): string | null {
  if (typeof error !== "object" || error === null || !("code" in error) || error.code !== "23505")
    return null;
  return "constraint" in error && typeof error.constraint === "string" ? error.constraint : "";
}
