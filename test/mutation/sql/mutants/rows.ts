import type { Covering, Mutant } from "../mutant.ts";

// What keys see, as rows (docs/projection.md): the triggers that write what is not indexed, the statements of a step, and its decisions.

const TRIGGERS = "prisma/migrations/20261124152000_key_rows/migration.sql";
const ITEMS = "src/events/writer/key-rows.ts";
const APPEND = "src/events/writer/log-store.ts";
const CHAIN = "src/events/writer/chain-store.ts";
const CHANGES = "src/events/writer/changes-store.ts";
const READ = "src/events/writer/rows-store.ts";
const MEMORY = "src/events/writer/memory-store.ts";
const CLAIMS = "src/events/writer/sources/claims.ts";
const ACTIONS = "src/events/writer/sources/corporate-actions.ts";
const ANCESTOR = "src/events/writer/ancestor-store.ts";
const COMPARE = "src/events/writer/compare.ts";
const STEP = "src/events/writer/write.ts";

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

/** The columns of a claim of which each that changes alone is written to its row. */
const CLAIMED = ["tx_hash", "source", "user_address", "state", "created_at", "updated_at", "client_order_id"];
const isClaimed = (names: readonly string[]) =>
  `WHERE (${columns("o", names)})\n            IS DISTINCT FROM (${columns("n", names)});`;

interface Table {
  name: string;
  id: string;
  /** Where the statement of its table begins. */
  insert: string;
  /** The text that sets what changes, by columns. */
  set: string;
  /** The columns whose change is reported. */
  reported: readonly string[];
  /** The text that compares them. */
  differs: string;
  /** The text that finds whether a row changes. */
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

const triggers = of(
  TRIGGERS,
  [claimRows, versions],
  [
    ...CLAIMED.map((column) => ({
      id: `pending-rows-of-${dashed(column)}`,
      title: `rows of what is not indexed follow the ${column} of their claims`,
      find: isClaimed(CLAIMED),
      replace: isClaimed(without(CLAIMED, column)),
      ...(column === "client_order_id" ? { survives: "A claim's clientOrderId never changes." } : {}),
    })),
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
    {
      id: "pending-rows-due-state",
      title: "a claim that lives again gets a row",
      find: `OR o."state" <> n."state" AND n."state" <> 'final')`,
      replace: ")",
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
    {
      id: "pending-rows-due-final",
      title: "a claim that becomes final gets no row that it had not",
      find: `OR o."state" <> n."state" AND n."state" <> 'final')`,
      replace: `OR o."state" <> n."state")`,
    },
    {
      id: "refill-filled",
      title: "rows are not complete where a version without rows has written the log",
      find: 'NEW."filled" := false;',
      replace: "",
    },
    {
      id: "refill-from-first",
      title: "rows are filled anew from the first claim",
      find: `NEW."filled_to" := '00000000-0000-0000-0000-000000000000'::uuid;`,
      replace: "",
    },
    {
      id: "refill-steps",
      title: "a step's own write fills nothing anew",
      find: `WHEN (OLD."steps" = NEW."steps")`,
      replace: "WHEN (true)",
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
      title: "a row that is removed without an event moves its key's version",
      find: '["written", "gone"].map',
      replace: '["written"].map',
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
      id: "append-one-event-version",
      title: "an event of another room moves the version",
      find: "SET sequence = h.sequence + 1, version = excluded.version",
      replace: "SET sequence = h.sequence + 1",
    },
    {
      id: "append-steps",
      title: "a step is counted",
      find: "steps = steps + 1, filled",
      replace: "steps = steps, filled",
    },
    {
      id: "move-steps",
      title: "a step in which the block alone is new is counted",
      find: "steps = steps + 1\n",
      replace: "steps = steps\n",
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
        find: "p WHERE p.changes >= ${range.max}",
        replace: "p WHERE p.changes > ${range.max}",
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
        id: "unreported-rows",
        title: "rows that are reported are no change",
        find: "WHERE r.claim_id = ANY(${claimIds}::uuid[]) AND r.unreported`",
        replace: "WHERE r.claim_id = ANY(${claimIds}::uuid[])`",
      },
    ],
  ),
  ...of(
    MEMORY,
    [...rows],
    [
      {
        id: "history-never-reported",
        title: "a row whose report is forgotten is no history",
        find: "r.event_id IS NULL AND NOT r.unreported",
        replace: "NOT r.unreported",
      },
      {
        id: "history-not-unreported",
        title: "a row that a claim wrote is no history",
        find: "r.event_id IS NULL AND NOT r.unreported",
        replace: "r.event_id IS NULL",
        survives: "A row that a claim wrote is reported whether the log counts as knowing it or not.",
      },
      {
        id: "history-not-remembered",
        title: "a row that the log reported is no history",
        find: " AND NOT EXISTS (\n    SELECT 1 FROM app.event_memory k\n    WHERE k.claim_id = r.claim_id AND k.resource = ${resource} AND k.ordinal = r.ordinal)",
        replace: "",
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
        find: "\n    WHERE b.hash IS DISTINCT FROM i.hash",
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
  [...rows],
  [
    {
      id: "same-pending",
      title: "a row of what was not indexed before the log began is compared by its type",
      find: "before.dataHash === null ? before.type === row.type : before.dataHash === row.dataHash",
      replace: "before.dataHash === row.dataHash",
    },
    {
      id: "same-pending-type",
      title: "a row of what was not indexed before the log began changes with its type",
      find: "before.dataHash === null ? before.type === row.type :",
      replace: "before.dataHash === null ? true :",
    },
    {
      id: "unreported-reported",
      title: "a row that a claim wrote is reported, though it is as it was reported",
      find: "unreported.has(nameOf(row)) || ",
      replace: "",
    },
    {
      id: "unreported-removed",
      title: "a row that was shown and is gone before it was reported is reported as removed",
      find: "[...seen, ...unreported]",
      replace: "[...seen]",
    },
    {
      id: "unreported-shown",
      title: "a row that is shown is not reported as removed",
      find: "!shown.has(nameOf(row)) && !known.has(nameOf(row))",
      replace: "!known.has(nameOf(row))",
    },
    {
      id: "unreported-known",
      title: "a row is reported as removed once",
      find: "!shown.has(nameOf(row)) && !known.has(nameOf(row))",
      replace: "!shown.has(nameOf(row))",
    },
    {
      id: "unreported-waiting",
      title: "the row of a claim that waits for a token's name is not reported as removed",
      find: "comparison.unreported.filter(isReady)",
      replace: "comparison.unreported",
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
      find: "isSame(before, row) : comparison.isHistory(row)",
      replace: "isSame(before, row) : false",
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
      find: "if (isReplaced && state.log.buildId",
      replace: "if (state.log.buildId",
    },
    {
      id: "step-behind-first",
      title: "an index that steps of a version without builds have read takes blocks back",
      find: " && state.log.buildId !== null && latest",
      replace: " && latest",
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
      id: "reorg-from",
      title: "what a reorg changed is read from its first block on",
      find: "difference === null ? log.block : difference - 1n",
      replace: "difference === null ? log.block : difference",
    },
    {
      id: "reorg-lower",
      title: "an index that keeps no blocks and is lower than the steps has taken blocks back",
      find: "return common < latest ? common : latest;",
      replace: "return common;",
    },
    {
      id: "reorg-found",
      title: "what a reorg left without a trace is looked for",
      find: "isReorg ? await readDifferent",
      replace: "from < 0n ? await readDifferent",
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
      find: "if (state.hasBlocks && work.isWhole)",
      replace: "if (state.hasBlocks)",
    },
    {
      id: "reorg-moves",
      title: "a reorg of what no key owns is remembered",
      find: "due.rowIds.length > 0 || isReorg,",
      replace: "due.rowIds.length > 0,",
    },
    {
      id: "reorg-blocks",
      title: "a step remembers its blocks",
      find: "if (state.hasBlocks && work.isWhole) await",
      replace: "if (work === null) await",
    },
    {
      id: "reorg-no-blocks",
      title: "steps read an index that keeps no blocks",
      find: "hasBlocks ? await firstDifference",
      replace: "log ? await firstDifference",
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
      find: "verified, due, waiting })",
      replace: "verified, due })",
    },
    {
      id: "fill-reported",
      title: "what a version without rows has reported is not reported again",
      find: "!(filling.claimIds.has(row.claimId) && reported.has(nameOf(row)))",
      replace: "reported.size >= 0",
    },
    {
      id: "fill-unreported",
      title: "what is due is reported, whatever was reported before",
      find: "!(filling.claimIds.has(row.claimId) && reported.has(nameOf(row)))",
      replace: "!reported.has(nameOf(row))",
    },
    {
      id: "fill-history-block",
      title: "what changed behind the last step is no history",
      find: "claimIds.has(claimId) && (blockNumber ?? 0n) <= from",
      replace: "claimIds.has(claimId)",
      survives:
        "What changed behind the last step is read by the same step, which fills nothing beside a part of it.",
    },
    {
      id: "fill-history-at-block",
      title: "what changed in the block of the last step is history",
      find: "(blockNumber ?? 0n) <= from",
      replace: "(blockNumber ?? 0n) < from",
    },
    {
      id: "fill-history-claims",
      title: "what is due is no history",
      find: "claimIds.has(claimId) && (blockNumber",
      replace: "(blockNumber",
    },
    {
      id: "fill-history-due",
      title: "a claim that is filled and due, but not yet looked at, is no history",
      find: "ids.filter((claimId) => !due.has(claimId))",
      replace: "ids.filter(() => due.size >= 0)",
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

export const ROWS: readonly Mutant[] = [
  ...triggers,
  ...filled,
  ...raced,
  ...items,
  ...appends,
  ...reads,
  ...comparisons,
  ...steps,
  ...ownership,
  ...actions,
];
