import type { Covering, Mutant } from "../mutant.ts";

// Rows of keys (docs/projection.md): the triggers that write rows before the index does, the statements of a step, and its decisions.

const TRIGGERS = "prisma/migrations/20261124152000_key_rows/migration.sql";
const CLAIM_TRIGGER = "prisma/migrations/20261125231000_rows_alone/migration.sql";
const REPORTED = "prisma/migrations/20261125230100_reported_rows/migration.sql";
const ITEMS = "src/events/writer/key-rows.ts";
const APPEND = "src/events/writer/log-store.ts";
const CHAIN = "src/events/writer/chain-store.ts";
const CHANGES = "src/events/writer/changes-store.ts";
const READ = "src/events/writer/rows-store.ts";
const CLAIMS = "src/events/writer/sources/claims.ts";
const ACTIONS = "src/events/writer/sources/corporate-actions.ts";
const ANCESTOR = "src/events/writer/ancestor-store.ts";
const COMPARE = "src/events/writer/compare.ts";
const STEP = "src/events/writer/write.ts";

const compared: Covering = { file: "test/events/compare.test.ts" };
const filledRows: Covering = { file: "test/events/rows-filled.integration.test.ts" };
const claimRows: Covering = { file: "test/events/rows-claims.integration.test.ts" };
const stepRows: Covering = { file: "test/events/rows.integration.test.ts" };
const rows = [filledRows, claimRows, stepRows];
const versions: Covering = { ...stepRows, name: "^the version" };
const races: Covering = { file: "test/events/rows-races.integration.test.ts" };
const others: Covering = {
  file: "test/events/log-others.integration.test.ts",
  name: "^an applied corporate action",
};
const ancestors: Covering = { file: "test/events/ancestors.integration.test.ts" };

type Short = Omit<Mutant, "file" | "tests">;
const of = (file: string, tests: readonly Covering[], mutants: readonly Short[]): Mutant[] =>
  mutants.map((mutant) => ({ ...mutant, file, tests }));
const dashed = (column: string) => column.replaceAll("_", "-");
const columns = (alias: string, names: readonly string[]) =>
  names.map((name) => `${alias}."${name}"`).join(", ");
const without = (names: readonly string[], name: string) => names.filter((each) => each !== name);

/** Columns of a claim of which each that changes alone is written to its row. */
const CLAIMED = ["tx_hash", "source", "user_address", "state", "created_at", "updated_at", "client_order_id"];
const DUE = ["attribution_nonce", "before_final", "rule_version"];
const isClaimed = (names: readonly string[]) => {
  const row = (alias: string) => `(${columns(alias, names)},\n                ${columns(alias, DUE)})`;
  return `WHERE ${row("o")}\n            IS DISTINCT FROM ${row("n")};`;
};

interface Table {
  name: string;
  id: string;
  /** Text with which the statement of its table begins. */
  insert: string;
  /** Text that sets what changes, by columns. */
  set: string;
  /** Columns whose change is reported. */
  reported: readonly string[];
  /** Text that compares them. */
  differs: string;
  /** Text that finds whether a row changes. */
  changes: string;
}

const TABLES: readonly Table[] = [
  {
    name: "order",
    id: "order_id",
    insert: 'INSERT INTO "app"."key_order" AS k',
    set: `SET "tx_hash" = excluded."tx_hash", "source" = excluded."source",
            "created_at" = excluded."created_at", "updated_at" = excluded."updated_at", "status" = excluded."status", "on_chain_status" = excluded."on_chain_status",
            "user_address" = excluded."user_address", "client_order_id" = excluded."client_order_id", "type" = excluded."type",`,
    reported: ["tx_hash", "source", "created_at", "status", "user_address", "client_order_id"],
    differs: `IS DISTINCT FROM (excluded."tx_hash", excluded."source", excluded."created_at", excluded."status", excluded."user_address",
                    excluded."client_order_id")`,
    changes: `AND (k."tx_hash", k."source", k."created_at", k."status", k."user_address", k."client_order_id",
                k."updated_at")
            IS DISTINCT FROM (excluded."tx_hash", excluded."source", excluded."created_at", excluded."status", excluded."user_address",
                excluded."client_order_id", excluded."updated_at")`,
  },
  {
    name: "operation",
    id: "operation_id",
    insert: 'INSERT INTO "app"."key_operation" AS k',
    set: `SET "tx_hash" = excluded."tx_hash", "source" = excluded."source",
            "created_at" = excluded."created_at", "updated_at" = excluded."updated_at", "status" = excluded."status", "user_address" = excluded."user_address",
            "type" = excluded."type",`,
    reported: ["tx_hash", "source", "created_at", "status", "user_address"],
    differs: `IS DISTINCT FROM (excluded."tx_hash", excluded."source", excluded."created_at", excluded."status", excluded."user_address")
        WHERE`,
    changes: `AND (k."tx_hash", k."source", k."created_at", k."status", k."user_address", k."updated_at")
            IS DISTINCT FROM (excluded."tx_hash", excluded."source", excluded."created_at", excluded."status", excluded."user_address",
                excluded."updated_at")`,
  },
];

function ofTable({ name, id, insert, set, reported, differs, changes }: Table): Short[] {
  const after = insert;
  const written = [...set.matchAll(/"(\w+)" = excluded/g)].map(([, column]) => column ?? "");
  return [
    ...written.map((column) => ({
      id: `pending-${name}-sets-${dashed(column)}`,
      title: `the ${column} of an ${name} that is not indexed follows its claim`,
      after,
      find: set,
      replace: set.replace(new RegExp(`"${column}" = excluded."${column}",\\s*`), ""),
      ...(column === "client_order_id" ? { survives: "A claim's clientOrderId never changes." } : {}),
      ...(column === "type" ? { survives: "The row keeps the type of its last report." } : {}),
    })),
    {
      id: `pending-${name}-beside-indexed`,
      title: `a claim that owns an indexed ${name} gets no row of what is not indexed`,
      after,
      find: ` AND i."${id}" IS NOT NULL)`,
      replace: " AND false)",
    },
    {
      id: `pending-${name}-there`,
      title: `the row of an ${name} that is there follows its claim also where no step looks at that`,
      after,
      find: ` OR EXISTS (SELECT 1 FROM "app"."key_${name}" i WHERE i."claim_id" = c."claim_id"))`,
      replace: ")",
    },
    {
      id: `pending-${name}-unreported-stays`,
      title: `an ${name} that is not reported stays so where no reported column changes`,
      after,
      find: `k."unreported" OR (${columns("k", reported)})`,
      replace: `(${columns("k", reported)})`,
    },
    {
      id: `pending-${name}-unreported`,
      title: `a row of an ${name} that a claim changes is not reported`,
      after,
      find: differs,
      replace: differs.replace(/\(.*\)/s, (row) => row.replaceAll("excluded", "k")),
    },
    {
      id: `pending-${name}-unchanged`,
      title: `the row of an ${name} that stays as it is moves no version`,
      after,
      find: changes,
      replace: "",
    },
  ];
}

const claimed = of(
  CLAIM_TRIGGER,
  [claimRows, versions],
  [
    ...CLAIMED.map((column) => ({
      id: `pending-rows-of-${dashed(column)}`,
      title: `rows of what is not indexed follow the ${column} of their claims`,
      find: isClaimed(CLAIMED),
      replace: isClaimed(without(CLAIMED, column)),
      ...(column === "client_order_id" ? { survives: "A claim's clientOrderId never changes." } : {}),
    })),
    {
      id: "pending-rows-due-state",
      title: "a claim that lives again gets a row",
      find: `OR o."state" <> n."state" AND n."state" <> 'final')`,
      replace: ")",
    },
  ],
);

const triggers = of(
  TRIGGERS,
  [claimRows, versions],
  [
    ...TABLES.flatMap(ofTable),
    {
      id: "pending-rows-dropped",
      title: "a claim that was dropped gets no row",
      find: `c."state" <> 'dropped' AND NOT`,
      replace: "NOT",
    },
    {
      id: "pending-rows-verdict",
      title: "a record of a transaction with another key's suffix gets no row",
      find: `v."key_id" <> c."key_id"`,
      replace: "false",
    },
    {
      id: "pending-rows-own-verdict",
      title: "a record of a transaction with its own key's suffix gets a row",
      find: ` AND v."key_id" <> c."key_id"`,
      replace: "",
    },
    {
      id: "pending-rows-verdict-chain",
      title: "a suffix counts on its own chain",
      find: `v."chain_id" = c."chain_id" AND `,
      replace: "",
    },
    {
      id: "pending-rows-sent",
      title: "what this service sent gets a row whatever suffix its transaction carries",
      find: `c."source" = 'recorded' AND EXISTS`,
      replace: "EXISTS",
    },
    {
      id: "pending-order-versions",
      title: "a row of an order that is not indexed moves the version of its key",
      find: "SELECT * FROM orders UNION SELECT * FROM operations",
      replace: "SELECT * FROM operations",
    },
    {
      id: "pending-operation-versions",
      title: "a row of an operation that is not indexed moves the version of its key",
      find: "SELECT * FROM orders UNION SELECT * FROM operations",
      replace: "SELECT * FROM orders",
    },
  ],
);

const filled = of(
  TRIGGERS,
  [filledRows],
  [
    ...TABLES.map(({ name, insert }) => ({
      id: `pending-${name}-due`,
      title: `the row of an ${name} that is not indexed is made only where a step looks at its claim`,
      after: insert,
      find: `(c."claim_id" = ANY("due") OR EXISTS (SELECT 1 FROM "app"."key_${name}" i WHERE i."claim_id" = c."claim_id"))`,
      replace: "true",
    })),
  ],
);

const filledClaims = of(
  CLAIM_TRIGGER,
  [filledRows],
  [
    {
      id: "pending-rows-due-final",
      title: "a claim that becomes final gets no row that it had not",
      find: `OR o."state" <> n."state" AND n."state" <> 'final')`,
      replace: `OR o."state" <> n."state")`,
    },
  ],
);

const raced = of(
  TRIGGERS,
  [races],
  TABLES.map(({ name, id, insert }) => ({
    id: `pending-${name}-not-over-indexed`,
    title: `a claim's change leaves the row of an ${name} that a step has found indexed meanwhile`,
    after: insert,
    find: `WHERE k."${id}" IS NULL AND`,
    replace: "WHERE true AND",
  })),
);

const items = of(
  ITEMS,
  [...rows],
  [
    {
      id: "row-unchanged",
      title: "a row that is as it was moves no version",
      find: '\n      WHERE (${raw(of("k", others))}) IS DISTINCT FROM (${raw(of("excluded", others))})',
      replace: "",
    },
    {
      id: "row-gone",
      title: "rows that a claim no longer owns are removed",
      find: "k.claim_id = ANY(${claimIds}::uuid[])",
      replace: "k.claim_id = ANY(${claimIds}::uuid[]) AND false",
    },
    {
      id: "row-stays",
      title: "rows that a claim owns are not removed",
      find: '\n        AND NOT EXISTS (SELECT 1 FROM ${raw(`${name}_now r`)} WHERE (${raw(of("r", key))}) = (${raw(of("k", key))}))',
      replace: "",
    },
    {
      id: "row-written-version",
      title: "a row that is written moves its key's version",
      find: '["written", "gone"].map',
      replace: '["gone"].map',
    },
    {
      id: "row-gone-version",
      title: "a row that is removed moves its key's version",
      find: '["written", "gone"].map',
      replace: '["written"].map',
      survives: "A row that goes is an event, mapping.removed, which moves the version, too.",
    },
    {
      id: "row-reported",
      title: "a row that a step wrote is reported",
      find: "unreported: false",
      replace: "unreported: true",
    },
    {
      id: "row-pending-data",
      title: "a row of what is not indexed has no data",
      find: "data: isPending ? null : row.data",
      replace: "data: row.data",
    },
  ],
);

const appends = of(
  APPEND,
  [...rows],
  [
    {
      id: "append-merges-chain",
      title: "a step takes the changes of its own chain's keys alone",
      find: "WHERE m.chain_id = ${chainId} RETURNING m.key_id",
      replace: "RETURNING m.key_id",
    },
    {
      id: "append-merged-version",
      title: "a version whose changes are taken is a new one",
      find: "\n      UNION ALL SELECT m.key_id, m.product_type, 0 FROM merged m",
      replace: "",
    },
    {
      id: "append-touched-version",
      title: "a version moves with the rows of its key that a step touches",
      find: "\n      UNION ALL SELECT t.key_id, t.product_type, 0 FROM (${keyRows.touched}) t",
      replace: "",
    },
    {
      id: "append-version",
      title: "a step draws a new version",
      find: "SET sequence = h.sequence + excluded.sequence, version = excluded.version",
      replace: "SET sequence = h.sequence + excluded.sequence",
    },
    {
      id: "move-block",
      title: "a step in which the block alone is new names it",
      after: "export async function move(",
      find: "UPDATE app.event_chain SET block_number = ${block}, verified_block",
      replace: "UPDATE app.event_chain SET block_number = block_number, verified_block",
    },
    {
      id: "step-build",
      title: "a step that read two builds begins again",
      find: "if (found === expected) return;",
      replace: "if (found === expected || expected !== null) return;",
    },
  ],
);

const reads = [
  ...of(
    CHAIN,
    [races],
    [
      {
        id: "step-chain-lock",
        title: "one step at a time works on a chain",
        find: "WHERE c.chain_id = p.chain_id FOR UPDATE)",
        replace: "WHERE c.chain_id = p.chain_id)",
      },
    ],
  ),
  ...of(
    CHANGES,
    [...rows],
    [
      {
        id: "step-batch",
        title: "a step ends with the block that completes its batch",
        find: "p WHERE p.changes >= ${max}",
        replace: "p WHERE p.changes > ${max}",
      },
      {
        id: "reorg-from",
        title: "what a reorg changed is read from its first block on",
        find: "range)}) - 1,",
        replace: "range)}),",
      },
      {
        id: "reorg-lower",
        title: "an index that keeps no blocks and is lower than the steps has taken blocks back",
        find: "SELECT least(coalesce((",
        replace: "SELECT greatest(coalesce((",
      },
    ],
  ),
  ...of(
    READ,
    [...rows],
    [
      {
        id: "affected-suffixes",
        title: "who used a suffix is looked at where another transaction uses it",
        find: "WHERE t.attribution_nonce = n.attribution_nonce AND",
        replace: "WHERE false AND",
      },
      {
        id: "different-rows",
        title: "what a key sees as it is in the index is no difference",
        find: "AND NOT (${isIn(shown.name, shown.id)} OR",
        replace: "AND NOT (false OR",
        survives: "It is compared again each time, and found as it is.",
      },
      {
        id: "different-row-changed",
        title: "what a key sees otherwise than it is in the index is a difference",
        find: "AND m.row_hash = md5(o::text)::uuid OFFSET 0)",
        replace: "OFFSET 0)",
      },
      {
        id: "different-row-gone",
        title: "what a key sees and the index no longer has is a difference",
        find: "...LISTS.map(({ table, tables }) => goneOf(table, tables, range)),",
        replace: "",
      },
      {
        id: "different-unowned-gone",
        title: "what no key owned and the index no longer has is a difference",
        find: 'goneOf({ name: "event_unowned", id: "object_id" }, LISTED, range),',
        replace: "",
      },
      {
        id: "unowned-final",
        title: "what no key owns and is final is not kept",
        find: "WHERE i.block_number > ${verified} AND i.object_id",
        replace: "WHERE i.object_id",
        survives: "What is final is removed by the next step, and compared by none.",
      },
      {
        id: "unowned-owned",
        title: "what a key owns is not kept as what no key owns",
        find: " AND i.object_id <> ALL(${owned}::text[])",
        replace: "",
        survives: "What is kept beside its row is compared with the index as that row is.",
      },
      {
        id: "unowned-gone",
        title: "what a key owns now, or the index no longer has, is not kept as what no key owns",
        find: "(u.tx_hash = ANY(${hashes}::text[]) OR",
        replace: "(false OR",
      },
    ],
  ),
  ...of(
    ANCESTOR,
    [ancestors],
    [
      {
        id: "ancestor-hash",
        title: "a block with another hash is another block",
        find: "p.number = i.number AND p.hash = i.hash",
        replace: "p.number = i.number",
      },
      {
        id: "ancestor-final",
        title: "projected blocks that are final are not compared",
        find: "AND b.number > ${verified}::bigint AND b.number <= ",
        replace: "AND b.number > ${verified}::bigint - 1000 AND b.number <= ",
      },
      {
        id: "ancestor-not-projected",
        title: "projected blocks beyond the step's are not compared",
        find: " AND b.number <= ${projected}::bigint\n",
        replace: "\n",
        survives: "A step removes the projected blocks beyond its own.",
      },
      {
        id: "ancestor-chain",
        title: "projected blocks of another chain are not compared",
        find: "WHERE b.chain_id = ${chainId} AND b.number > ${verified}",
        replace: "WHERE b.number > ${verified}",
      },
      {
        id: "ancestor-indexed-chain",
        title: "blocks of another chain are not compared",
        find: "WHERE e.chain_id = ${chainId} AND",
        replace: "WHERE",
      },
      {
        id: "ancestor-indexed-final",
        title: "blocks that are final are not compared",
        find: "e.number > ${verified}::numeric AND",
        replace: "true AND",
      },
      {
        id: "ancestor-indexed-to",
        title: "blocks beyond the step's are not compared",
        find: " AND e.number <= ${to}::numeric",
        replace: "",
      },
      {
        id: "blocks-removed-chain",
        title: "blocks of another chain stay",
        find: "WHERE b.chain_id = ${chainId} AND NOT EXISTS",
        replace: "WHERE NOT EXISTS",
      },
      {
        id: "blocks-removed",
        title: "blocks that the index has not any more are removed",
        find: "WHERE i.number = b.number)",
        replace: "WHERE true)",
      },
      {
        id: "blocks-unchanged",
        title: "a block that is known is not written again",
        find: "\n      WHERE b.hash IS DISTINCT FROM i.hash",
        replace: "",
      },
      {
        id: "blocks-replaced",
        title: "a block with another hash replaces the one that was known",
        find: "DO UPDATE SET hash = excluded.hash",
        replace: "DO NOTHING",
      },
    ],
  ),
];

const comparisons = of(
  COMPARE,
  [compared],
  [
    {
      id: "same-pending",
      title: "a row of what is not indexed is compared by what it follows from",
      find: "objectId === null ? JSON.stringify([type, txHash, source, createdMs, userAddress]) : data",
      replace: "data",
    },
    ...["type", "txHash", "source", "createdMs", "userAddress"].map((field) => ({
      id: `same-pending-${field.toLowerCase()}`,
      title: `a row of what is not indexed changes with its ${field}`,
      find: "JSON.stringify([type, txHash, source, createdMs, userAddress])",
      replace: `JSON.stringify([type, txHash, source, createdMs, userAddress].filter((each) => each !== ${field}))`,
    })),
    {
      id: "unreported-reported",
      title: "a row that a claim wrote is reported, though it is as it was reported",
      find: "!before.unreported && ",
      replace: "",
    },
    {
      id: "removed-shown",
      title: "a row that is shown is not reported as removed",
      find: "if (!names.has(name)) addRemoval",
      replace: "addRemoval",
    },
    {
      id: "removed-waiting",
      title: "the row of a claim that waits for a token's name is not reported as removed",
      find: "comparison.shown.filter(isReady).map(",
      replace: "comparison.shown.map(",
    },
    {
      id: "remapped-object",
      title: "a request to send is reported again with the order that it made",
      find: "if (isOtherObject || (objectId",
      replace: "if (false || (objectId",
    },
    {
      id: "remapped-pending",
      title: "a request to send is reported again where its mapping changes before that is indexed",
      find: "(objectId === null && before?.eventId)",
      replace: "false",
    },
    {
      id: "waiting-rows",
      title: "the rows of a claim that waits for a token's name stay",
      find: "comparison.claimIds.filter((claimId) => !waitsFor.has(claimId))",
      replace: "comparison.claimIds",
    },
    {
      id: "history-rows",
      title: "a row that has been so since before the log began is no event",
      find: ": comparison.isHistory(row);",
      replace: ": false;",
    },
    {
      id: "same-event",
      title: "a row keeps the event that reported it",
      find: "eventId: before?.eventId ?? null",
      replace: "eventId: null",
    },
    {
      id: "changes-in-order",
      title: "changes of several blocks are reported in their order",
      find: "return first < second ? -1 : 1",
      replace: "return first < second ? 1 : -1",
    },
    {
      id: "changes-in-order-of-ordinals",
      title: "changes of one block are reported in the order of their mappings",
      find: "a.ordinal - b.ordinal",
      replace: "b.ordinal - a.ordinal",
    },
  ],
);

const steps = of(
  STEP,
  [...rows],
  [
    {
      id: "step-behind",
      title: "a build that is behind the steps takes nothing back",
      find: "if (isReplaced && state.log.buildId !== null && latest < state.log.block) return nothing;",
      replace: "",
    },
    {
      id: "step-behind-same",
      title: "the same build that is behind has taken blocks back",
      find: "if (isReplaced && state.log.buildId !== null && latest",
      replace: "if (latest",
    },
    {
      id: "step-replaced",
      title: "claims are compared with another build from the first one on",
      find: "isReplaced ? { ...state.log, filledTo: FIRST_CLAIM } : state.log",
      replace: "state.log",
    },
    {
      id: "step-stuck",
      title: "a step does not go on at once with claims that wait for names",
      find: "(fill === null || fill.isLast || reported.isStuck)",
      replace: "(fill === null || fill.isLast)",
    },
    {
      id: "fill-last",
      title: "the last claims are found by there being less than a step fills",
      find: "isLast: claimIds.length < FILL_MAX",
      replace: "isLast: claimIds.length <= FILL_MAX",
    },
    {
      id: "fill-complete",
      title: "rows are complete behind the last claim",
      find: "fill.isLast ? { filled: true, filledTo: null }",
      replace: "fill.isLast ? { filled, filledTo: null }",
    },
    {
      id: "fill-not-complete",
      title: "rows are not complete before the last claim",
      find: ": { filled, filledTo: fill.claimIds.at(-1) ?? null }",
      replace: ": { filled: true, filledTo: fill.claimIds.at(-1) ?? null }",
    },
    {
      id: "fill-stuck",
      title: "filling does not pass claims that wait for names",
      find: "claims.isStuck ? null : fill",
      replace: "fill",
    },
    {
      id: "reorg-found",
      title: "what a reorg left without a trace is looked for",
      find: "isReorg ? await readDifferent",
      replace: "changed.common < 0n ? await readDifferent",
    },
    {
      id: "reorg-whole",
      title: "a reorg is projected as a whole",
      find: "reorged.hashes.length < BATCH_MAX",
      replace: "reorged.hashes.length <= BATCH_MAX",
    },
    {
      id: "reorg-part",
      title: "a step that projects a part of a reorg names no block",
      find: "isWhole ? changed.to : log.block",
      replace: "changed.to",
    },
    {
      id: "reorg-part-behind",
      title: "a step that projects the next part of a reorg passes over what it has seen",
      find: 'pass.reorgAfter = isWhole ? "" : (reorged.hashes.at(-1) ?? "");',
      replace: "",
    },
    {
      id: "reorg-part-complete",
      title: "a step that projects a part of a reorg is followed by the next at once",
      find: "complete: isWhole && ",
      replace: "complete: ",
    },
    {
      id: "reorg-part-blocks",
      title: "a step that projects a part of a reorg remembers no blocks",
      find: "work.isWhole ? blockItems(chainId, { to: block, verified }) : []",
      replace: "blockItems(chainId, { to: block, verified })",
    },
    {
      id: "reorg-moves",
      title: "a reorg of what no key owns is remembered",
      find: "changed.due.length > 0 || isReorg,",
      replace: "changed.due.length > 0,",
    },
    {
      id: "reorg-blocks",
      title: "a step remembers its blocks",
      find: "work.isWhole ? blockItems(chainId, { to: block, verified }) : []",
      replace: "[]",
    },
  ],
);

const ownership = of(
  CLAIMS,
  [...rows],
  [
    {
      id: "fill-waiting-due",
      title: "claims that are filled and wait for names are not due",
      find: "outcome.waiting.filter((one) => !isHistory(one))",
      replace: "outcome.waiting",
    },
    {
      id: "fill-history-claims",
      title: "what is due is no history",
      find: "filling.has(claimId) && !isFilled.has(claimId)",
      replace: "!isFilled.has(claimId)",
    },
    {
      id: "fill-history-rows",
      title: "what changed beside a row that is there is no history, and is not waited for",
      find: "filling.has(claimId) && !isFilled.has(claimId)",
      replace: "filling.has(claimId)",
    },
    {
      id: "removal-mapping",
      title: "a removed order's last mapping names it",
      find: 'orderId: resource === "orders" ? objectId : null',
      replace: "orderId: null",
    },
  ],
);

const actions = of(
  ACTIONS,
  [others],
  [
    {
      id: "multiplier-replaced",
      title: "a change of a multiplier in the place of one that a reorg took out is remembered",
      find: "(SELECT count(*) FROM multipliers_undone) u CROSS JOIN ",
      replace: "",
    },
  ],
);

const days: Covering = { file: "test/events/log.integration.test.ts", name: "on a random day" };
const remembered: Covering = { file: "test/events/memory.integration.test.ts" };

const memory = of(
  REPORTED,
  [remembered, claimRows, stepRows, days],
  [
    ...TABLES.flatMap(({ name, id }): Short[] => [
      {
        id: `memory-${name}-made`,
        title: `the version before finds the report of an ${name} that a step has made a row of`,
        find: `AFTER INSERT ON "app"."key_${name}" FOR EACH ROW\n    WHEN (NEW."event_id" IS NOT NULL)`,
        replace: `AFTER INSERT ON "app"."key_${name}" FOR EACH ROW\n    WHEN (false)`,
      },
      {
        id: `memory-${name}-changed`,
        title: `the version before finds the last report of an ${name}`,
        find: `AFTER UPDATE ON "app"."key_${name}" FOR EACH ROW\n    WHEN (`,
        replace: `AFTER UPDATE ON "app"."key_${name}" FOR EACH ROW\n    WHEN (false AND `,
      },
      {
        id: `memory-${name}-unreported`,
        title: `the version before finds the last report of an ${name} that its claim has changed since`,
        find: `AFTER UPDATE ON "app"."key_${name}" FOR EACH ROW\n    WHEN (NEW."event_id" IS NOT NULL AND NOT NEW."unreported"`,
        replace: `AFTER UPDATE ON "app"."key_${name}" FOR EACH ROW\n    WHEN (NEW."event_id" IS NOT NULL`,
      },
      ...["event_id", "tx_hash", id, "row_hash", "block_number"].map((column) => ({
        id: `memory-${name}-changed-${dashed(column)}`,
        title: `the version before has the present ${column} of an ${name}`,
        find: `(OLD."event_id", OLD."tx_hash", OLD."${id}", OLD."row_hash", OLD."block_number")`,
        replace: `(OLD."event_id", OLD."tx_hash", OLD."${id}", OLD."row_hash", OLD."block_number")`.replace(
          `OLD."${column}"`,
          `NEW."${column}"`,
        ),
      })),
      {
        id: `memory-${name}-gone`,
        title: `the version before finds no report of an ${name} that is gone`,
        find: `AFTER DELETE ON "app"."key_${name}" FOR EACH ROW\n    WHEN (OLD."event_id" IS NOT NULL)`,
        replace: `AFTER DELETE ON "app"."key_${name}" FOR EACH ROW\n    WHEN (false)`,
      },
      {
        id: `memory-${name}-own`,
        title: `what the version before writes of an ${name} stays`,
        find: `excluded."block_number");\n    RETURN NULL;\nEND\n$$;\nREVOKE ALL ON FUNCTION "app"."remember_${name}"`,
        replace: `excluded."block_number") OR true;\n    RETURN NULL;\nEND\n$$;\nREVOKE ALL ON FUNCTION "app"."remember_${name}"`,
      },
      {
        id: `reported-type-${name}`,
        title: `the row of an ${name} keeps the type of its last report`,
        find: `BEFORE UPDATE ON "app"."key_${name}" FOR EACH ROW\n    WHEN (NEW."unreported")`,
        replace: `BEFORE UPDATE ON "app"."key_${name}" FOR EACH ROW\n    WHEN (false)`,
      },
    ]),
  ],
);

export const ROWS: readonly Mutant[] = [
  ...claimed,
  ...triggers,
  ...filled,
  ...filledClaims,
  ...raced,
  ...items,
  ...appends,
  ...reads,
  ...comparisons,
  ...steps,
  ...ownership,
  ...actions,
  ...memory,
];
