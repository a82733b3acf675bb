import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { ROOT } from "../../src/config/root.ts";
// @ts-expect-error: a plain script, which npm runs without any build.
import { roomOf } from "../../tools/draw-rooms.mjs";
import { OWNED } from "../support/db/table-owners.ts";

/** Tables that other rooms name, too. This list only gets shorter: ask the owner for a function instead. */
const NAMED_ELSEWHERE: Readonly<Record<string, { reason: string; tables: readonly string[] }>> = {
  claims: {
    reason: "lists and attribution join keys, sends, rows of keys and the head of the log, of one snapshot",
    tables: ["api_key", "event_chain", "event_due", "event_head", "send_attempt", "send_request"],
  },
  admin: {
    reason: "the operator's command shows and changes what all rooms keep",
    tables: [
      "api_key",
      "attribution_place",
      "audit_entry",
      "delegatee_wallet",
      "delegation",
      "event",
      "event_chain",
      "key_policy",
      "send_attempt",
      "send_request",
      "sending_halt",
      "transaction_attribution",
      "transaction_claim",
    ],
  },
  dashboard: {
    reason: "reads across keys join what all rooms keep",
    tables: [
      "api_key",
      "api_key_scope",
      "delegatee_wallet",
      "delegation",
      "event",
      "event_chain",
      "key_operation",
      "key_order",
      "key_policy",
      "send_attempt",
      "send_request",
      "transaction_claim",
      "webhook",
      "webhook_delivery",
    ],
  },
  db: { reason: "the partitioned tables", tables: ["event", "request_log", "webhook_delivery"] },
  events: {
    reason: "the writer joins who owns what, and which sends it reports",
    tables: ["api_key", "api_key_scope", "delegation", "send_request", "transaction_claim"],
  },
  key: { reason: "GET /key reads the caller's own row, and its switch", tables: ["api_key", "cancel_after"] },
  market: { reason: "a notice is reported to the keys of its chains", tables: ["api_key", "api_key_scope"] },
  oneclick: { reason: "enables that are under way, under the delegation's lock", tables: ["send_request"] },
  operations: { reason: "its list is of these rows", tables: ["key_operation"] },
  orders: {
    reason: "its list is of these rows; cancels that are under way",
    tables: ["key_order", "send_attempt"],
  },
  programs: { reason: "a first query compiles Prisma's engine", tables: ["key_order"] },
  portfolio: { reason: "activities show what their transaction's claim says", tables: ["transaction_claim"] },
  sending: {
    reason:
      "keys and scopes under the lock of what is signed; a send has its claim in the same transaction, and is shown with its rows of one snapshot",
    tables: ["api_key", "api_key_scope", "event_chain", "key_operation", "key_order", "transaction_claim"],
  },
  webhooks: {
    reason: "deliveries follow the log, for keys that may read it",
    tables: ["api_key", "api_key_scope", "event", "event_head"],
  },
};

const schema = readFileSync(join(ROOT, "prisma/schema.prisma"), "utf8");
/** Tables of app.* by the names of their models in Prisma's client. */
const MODELS: ReadonlyMap<string, string> = new Map(
  [...schema.matchAll(/^model (\w+) \{([\s\S]*?)^\}/gm)]
    .filter(([, , body = ""]) => body.includes('@@schema("app")'))
    .map(([, model = "", body = ""]) => [
      model.charAt(0).toLowerCase() + model.slice(1),
      /@@map\("(\w+)"\)/.exec(body)?.[1] ?? model,
    ]),
);
const TABLES: ReadonlySet<string> = new Set(MODELS.values());

/**
 * Returns the tables that a source names: `app.<table>`, a string with an underscore that is a table's name, or a model of Prisma. What
 * Prisma reads by a relation is not seen.
 */
function tablesIn(source: string): Set<string> {
  const code = source.replace(/\/\*[\s\S]*?\*\/|(?<![:"'`])\/\/.*$/gm, "");
  const texts = [...code.matchAll(/(?<![\w$.])app\.(\w+)|["'`](\w+_\w+)["'`]/g)].map(
    ([, table, name]) => table ?? name ?? "",
  );
  const models = [
    ...code.matchAll(/\.\s*(\w+)\s*\.(?:find|create|update|upsert|delete|count|aggregate|groupBy)/g),
  ];
  const called = models.map(([, model = ""]) => MODELS.get(model) ?? "");
  return new Set([...texts, ...called].filter((name) => TABLES.has(name)));
}

/** Returns `<room>: <table>` for each table that the sources of a room name. */
function namedTables(): Set<string> {
  const files = ["packages/admin/src", "src"]
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map(
        (path) => `${folder}/${path}`,
      ),
    )
    .filter((path) => path.endsWith(".ts") && !path.startsWith("src/db/generated/"));
  const named = files.flatMap((path) =>
    [...tablesIn(readFileSync(join(ROOT, path), "utf8"))].map((table) => `${roomOf(path)}: ${table}`),
  );
  return new Set(named);
}

const pairs = (rooms: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(rooms).flatMap(([room, tables]) => tables.map((table) => `${room}: ${table}`));

describe("a table of app.*", () => {
  it("belongs to one room", () => {
    expect(Object.values(OWNED).flat().sort()).toEqual([...TABLES].sort());
  });

  it("is named by its own room, and by those that are listed with a reason", () => {
    const elsewhere = Object.entries(NAMED_ELSEWHERE).map(([room, { tables }]) => [room, tables] as const);
    const listed = [...pairs(OWNED), ...pairs(Object.fromEntries(elsewhere))];
    expect([...namedTables()].sort()).toEqual(listed.sort());
  });

  it("is found in SQL, as a name, and in a call of Prisma", () => {
    const source = [
      "const a = sql`SELECT 1 FROM app.send_request`;",
      'const table = "key_order";',
      "await prisma.apiKey.findMany();",
      "// app.webhook",
      'app.use("event"); deps.app.event_head;',
    ].join("\n");
    expect([...tablesIn(source)].sort()).toEqual(["api_key", "key_order", "send_request"]);
  });
});
