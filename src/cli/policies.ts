import { Command, InvalidArgumentError } from "commander";
import type pg from "pg";
import { cap, describeCap, operator, withPool } from "./shared.ts";

interface SetOptions {
  dailyNotional?: bigint | "none";
  symbols?: string;
  operations?: string;
  expires?: Date | "never";
  kill?: boolean;
}

/** Names that `--operations` takes: what /send endpoints call themselves. */
const OPERATIONS = [
  "orders/send",
  "orders/with-deposit/send",
  "orders/cancel",
  "cash/deposits",
  "cash/withdrawals",
  "stock/deposits",
  "stock/withdrawals",
];

/** `partner-trading policies ...`: what keys may send, beyond their scope. Every change leaves an audit entry. */
export function policiesCommand(env: NodeJS.ProcessEnv): Command {
  const policies = new Command("policies").description("What keys may send for users").exitOverride();
  policies
    .command("set <apiKey>")
    .description("Change a key's policy; what is not named stays")
    .option("--daily-notional <mUSD>", "most mUSD of orders a UTC day, or none", cap)
    .option("--symbols <list>", "stock symbols, comma separated, or all")
    .option("--operations <list>", `of ${OPERATIONS.join(", ")}; or all`)
    .option("--expires <time>", "when sending ends, such as 2030-01-31T00:00:00Z, or never", expiry)
    .option("--kill", "stop sending at once, also what is queued")
    .option("--no-kill", "let it send again")
    .action((apiKey: string, options: SetOptions) =>
      withPool(env, (pool) => setPolicy(pool, apiKey, options)),
    );
  policies
    .command("show <apiKey>")
    .description("Show a key's policy")
    .action((apiKey: string) => withPool(env, (pool) => showPolicy(pool, apiKey)));
  return policies;
}

async function setPolicy(pool: pg.Pool, apiKey: string, options: SetOptions): Promise<void> {
  const keyId = await keyIdOf(pool, apiKey);
  const changes: [string, unknown][] = [];
  if (options.dailyNotional !== undefined) {
    const { dailyNotional } = options;
    changes.push(["daily_notional_cap", dailyNotional === "none" ? null : dailyNotional.toString()]);
  }
  if (options.symbols !== undefined) changes.push(["allowed_symbols", list(options.symbols.toUpperCase())]);
  if (options.operations !== undefined) changes.push(["allowed_operations", operations(options.operations)]);
  if (options.expires !== undefined) {
    changes.push(["expires_at", options.expires === "never" ? null : options.expires]);
  }
  if (options.kill !== undefined) changes.push(["killed", options.kill]);
  if (changes.length === 0) throw new Error("name what to change; see --help");
  const columns = changes.map(([column]) => column);
  const values = changes.map(([, value]) => value);
  await pool.query(
    `WITH changed AS (
       INSERT INTO app.key_policy (key_id, ${columns.join(", ")})
       VALUES ($1, ${columns.map((_, index) => `$${index + 2}`).join(", ")})
       ON CONFLICT (key_id) DO UPDATE SET updated_at = now(),
         ${columns.map((column) => `${column} = excluded.${column}`).join(", ")}
       RETURNING key_id)
     INSERT INTO app.audit_entry (actor, action, subject, detail)
     SELECT $${columns.length + 2}, 'policies set', $${columns.length + 3}, $${columns.length + 4}::jsonb FROM changed`,
    [keyId, ...values, operator(), apiKey, JSON.stringify(Object.fromEntries(changes))],
  );
  await showPolicy(pool, apiKey);
}

async function showPolicy(pool: pg.Pool, apiKey: string): Promise<void> {
  const keyId = await keyIdOf(pool, apiKey);
  const { rows } = await pool.query<{
    daily_notional_cap: string | null;
    allowed_symbols: string[];
    allowed_operations: string[];
    expires_at: Date | null;
    killed: boolean;
  }>("SELECT * FROM app.key_policy WHERE key_id = $1", [keyId]);
  const policy = rows[0];
  const wad = policy?.daily_notional_cap ?? null;
  const lines = [
    `daily notional  ${describeCap(wad === null ? null : BigInt(wad))}`,
    `symbols         ${policy?.allowed_symbols.join(", ") || "all"}`,
    `operations      ${policy?.allowed_operations.join(", ") || "all"}`,
    `expires         ${policy?.expires_at?.toISOString() ?? "never"}`,
    `kill switch     ${policy?.killed ? "on: nothing is sent" : "off"}`,
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}

async function keyIdOf(pool: pg.Pool, apiKey: string): Promise<string> {
  const { rows } = await pool.query<{ key_id: string }>("SELECT key_id FROM app.api_key WHERE api_key = $1", [
    apiKey,
  ]);
  if (!rows[0]) throw new Error(`there is no key ${apiKey}`);
  return rows[0].key_id;
}

/** An empty list is what the policy calls all, so it is only written where all was said. */
function list(text: string): string[] {
  if (/^all$/i.test(text.trim())) return [];
  const named = text
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean);
  if (named.length === 0) throw new Error("the list is empty: name some, or all");
  return named;
}

function operations(text: string): string[] {
  const named = list(text);
  const unknown = named.filter((name) => !OPERATIONS.includes(name));
  if (unknown.length > 0)
    throw new Error(`no such operation: ${unknown.join(", ")}; there are ${OPERATIONS.join(", ")}`);
  return named;
}

/** Not null for never: commander takes that for an option without a value. */
function expiry(value: string): Date | "never" {
  if (value === "never") return value;
  const date = new Date(value);
  if (!/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) || Number.isNaN(date.getTime())) {
    throw new InvalidArgumentError("a time like 2030-01-31T12:00:00Z, or never");
  }
  return date;
}
