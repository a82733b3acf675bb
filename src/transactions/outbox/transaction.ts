import type pg from "pg";

/** Statements that one transaction runs. Nothing but the database may be asked while it is open. */
export type Tx = pg.PoolClient;

/**
 * Runs `work` in one transaction through `pg` itself, where a commit must be certain. A connection that failed in it is
 * thrown away, never used again.
 * @throws what `work` or the database throws. Where COMMIT itself throws, its outcome is unknown.
 */
export async function inTransaction<T>(pool: pg.Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  const tx = await pool.connect();
  let broken: Error | undefined;
  const onError = (error: Error): void => {
    broken = error;
  };
  tx.on("error", onError);
  try {
    await tx.query("BEGIN");
    const result = await work(tx);
    await tx.query("COMMIT");
    return result;
  } catch (error) {
    await tx.query("ROLLBACK").catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    tx.off("error", onError);
    tx.release(broken);
  }
}

/** The name of the unique constraint that a statement violated, or null where it failed for another reason. */
export function violatedConstraint(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "23505") return null;
  return "constraint" in error && typeof error.constraint === "string" ? error.constraint : "";
}
