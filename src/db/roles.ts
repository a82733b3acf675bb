import { readFile } from "node:fs/promises";
import pg from "pg";
import { z } from "zod";
import { ROOT } from "../config/root.ts";
import { queryMaybeOne, queryRows } from "./query.ts";
import { sql } from "./sql.ts";

/** Roles that prisma/roles.sql creates, one per program (docs/DATABASE.md). */
export const ROLES = {
  owner: "partner_owner",
  api: "partner_api",
  worker: "partner_worker",
  deliverer: "partner_deliverer",
  indexer: "partner_indexer",
  operator: "partner_operator",
} as const;

export type RoleName = keyof typeof ROLES;

const fileOf = (name: string) => `${ROOT}prisma/${name}`;

/**
 * Creates the roles and hands the database over to them, in one transaction. Repeating it changes nothing.
 * @param adminUrl of the database's administrator: a superuser, or its owner with CREATEROLE
 */
export async function createRoles(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    // Sent whole, a script is one implicit transaction.
    await client.query(await readFile(fileOf("roles.sql"), "utf8"));
  } finally {
    await client.end();
  }
}

/**
 * Checks that a database that createRoles has handed over has every role: a new version may bring one.
 * @throws Error naming those that are missing
 */
export async function requireRoles(pool: pg.Pool): Promise<void> {
  if (!(await isHandedOver(pool))) return;
  const rows = await queryRows(
    pool,
    sql`SELECT r.role FROM unnest(${Object.values(ROLES)}::text[]) r (role) WHERE to_regrole(r.role) IS NULL`,
    z.object({ role: z.string() }),
  );
  if (rows.length === 0) return;
  const missing = rows.map(({ role }) => role).join(", ");
  throw new Error(
    `the database has no role ${missing}: its administrator runs prisma/roles.sql first (npm run db:roles)`,
  );
}

async function isHandedOver(pool: pg.Pool): Promise<boolean> {
  const schema = await queryMaybeOne(
    pool,
    sql`SELECT pg_get_userbyid(nspowner) AS owner FROM pg_namespace WHERE nspname = 'app'`,
    z.object({ owner: z.string() }),
  );
  return schema?.owner === ROLES.owner;
}

/**
 * Applies prisma/grants.sql, in one transaction, where createRoles has handed the database over; a database that one
 * role serves is left as it is.
 * @returns whether the grants were applied
 */
export async function applyGrants(pool: pg.Pool): Promise<boolean> {
  if (!(await isHandedOver(pool))) return false;
  await pool.query(await readFile(fileOf("grants.sql"), "utf8"));
  return true;
}
