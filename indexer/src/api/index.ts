// Ponder wants a Hono application. Data is read from PostgreSQL, not from here; these are for who watches the process.
// Ponder itself adds /metrics, /health, /ready and /status.

import { db } from "ponder:api";
import { Hono } from "hono";
import { sql } from "ponder";

const app = new Hono();

app.get("/livez", (context) => context.text("ok"));

/** Ready once the backfill is done and the views are this build's, and while the database answers. */
app.get("/readyz", async (context) => {
  const { rows } = await db.execute<{ ready: boolean }>(
    sql`SELECT (value ->> 'is_ready')::int = 1 AS ready FROM _ponder_meta`,
  );
  return rows[0]?.ready === true ? context.text("ok") : context.text("the backfill is not done", 503);
});

export default app;
