// Ponder requires a Hono application. Data is read from PostgreSQL, not from here; these routes are for monitoring the process.
// Ponder itself adds /metrics, /health, /ready and /status.

import { db } from "ponder:api";
import { Hono } from "hono";
import { sql } from "ponder";

const app = new Hono();

app.get("/livez", (context) => context.text("ok"));

/** Ready once the index has caught up (catch-up.ts) and the views are this build's (views.ts), and while the database answers. */
app.get("/readyz", async (context) => {
  const { rows } = await db.execute<{ ready: boolean; shown: boolean }>(
    sql`SELECT (value ->> 'is_ready')::int = 1 AS ready, EXISTS (
        SELECT FROM pg_rewrite r JOIN pg_depend d ON d.objid = r.oid AND d.refclassid = 'pg_class'::regclass
        WHERE r.ev_class = to_regclass('onchain._ponder_checkpoint')
          AND d.refobjid = to_regclass('_ponder_checkpoint')) AS shown
      FROM _ponder_meta`,
  );
  if (rows[0]?.ready !== true) return context.text("the index has not caught up", 503);
  return rows[0].shown ? context.text("ok") : context.text("the views are another build's", 503);
});

export default app;
