import type pg from "pg";
import { z } from "zod";
import type { Deps } from "../../../src/context/deps.ts";
import { prismaOn } from "../../../src/db/client.ts";

// Measures statements by PostgreSQL's plans: by the rows that they read, not by time.

interface Statement {
  text: string;
  values: unknown[];
}

const statementSchema = z.object({ text: z.string(), values: z.array(z.unknown()).default([]) });

interface Recorded {
  deps: Deps;
  /** Every statement that went through these deps, oldest first. */
  statements: Statement[];
}

/** Statements that EXPLAIN does not accept. */
const CONTROL = /^\s*(?:BEGIN|COMMIT|ROLLBACK|SET)\b/i;

/** Returns the statement that `query` of a pool was called with, in either of its forms, or null. */
export function statementOf(first: unknown, second?: unknown): Statement | null {
  const given = typeof first === "string" ? { text: first, values: second } : first;
  return statementSchema.safeParse(given).data ?? null;
}

/** Returns deps that record the statements they send to the database. */
export function recordStatements(deps: Deps): Recorded {
  const statements: Statement[] = [];
  const keep = (first: unknown, second: unknown) => {
    const statement = statementOf(first, second);
    if (statement && !CONTROL.test(statement.text)) statements.push(statement);
  };
  const watched = <T extends object>(target: T, method: string): T =>
    new Proxy(target, {
      get: (object, name) => {
        const value: unknown = Reflect.get(object, name, object);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          if (name === method) keep(args[0], args[1]);
          return Reflect.apply(value, object, args);
        };
      },
    });
  /** Transactions have a connection of their own. */
  const connecting = (pool: pg.Pool): pg.Pool =>
    new Proxy(pool, {
      get: (object, name) =>
        name === "connect"
          ? async () => watched(await deps.pool.connect(), "query")
          : Reflect.get(object, name, object),
    });
  const pool = connecting(watched(deps.pool, "query"));
  return {
    deps: {
      ...deps,
      pool,
      prisma: prismaOn(pool),
    },
    statements,
  };
}

interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string | undefined;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number | undefined;
  Plans?: PlanNode[] | undefined;
}

const nodeSchema: z.ZodType<PlanNode> = z.lazy(() =>
  z.object({
    "Node Type": z.string(),
    "Relation Name": z.string().optional(),
    "Actual Rows": z.number(),
    "Actual Loops": z.number(),
    "Rows Removed by Filter": z.number().optional(),
    Plans: z.array(nodeSchema).optional(),
  }),
);
const explainSchema = z.object({ "QUERY PLAN": z.tuple([z.object({ Plan: nodeSchema })]) });

/** Runs a statement, rolls back, and returns its scans of tables. */
async function scansOf(pool: pg.Pool, { text, values }: Statement): Promise<PlanNode[]> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
    return flatten(explainSchema.parse(rows[0])["QUERY PLAN"][0].Plan).filter(
      (node) => node["Relation Name"] !== undefined && node["Node Type"].endsWith("Scan"),
    );
  } finally {
    await client.query("ROLLBACK");
    client.release();
  }
}

/** Counts the rows that a statement reads from tables, including those it discards. */
async function rowsRead(pool: pg.Pool, statement: Statement): Promise<number> {
  return (await scansOf(pool, statement)).reduce((sum, node) => sum + rowsOf(node), 0);
}

/** Returns the partitions of a table that a statement looks into, without those that its plan names and its run leaves out. */
export async function partitionsRead(pool: pg.Pool, statement: Statement, table: string): Promise<string[]> {
  const read = (await scansOf(pool, statement)).filter((node) => node["Actual Loops"] > 0);
  const names = new Set(read.map((node) => node["Relation Name"] ?? ""));
  return [...names].filter((name) => name.startsWith(`${table}_p`)).sort();
}

/** Returns the most rows that one of the statements reads. */
export async function mostRowsRead(pool: pg.Pool, statements: readonly Statement[]): Promise<number> {
  let most = 0;
  for (const statement of statements) most = Math.max(most, await rowsRead(pool, statement));
  return most;
}

const flatten = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flatten)];

/** Multiplies by the loops: PostgreSQL reports averages over them. */
const rowsOf = (node: PlanNode): number =>
  Math.round((node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"]);
