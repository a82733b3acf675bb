import type pg from "pg";

/** Statements that one transaction runs. Nothing but the database may be asked while it is open. */
export type Tx = pg.PoolClient;
