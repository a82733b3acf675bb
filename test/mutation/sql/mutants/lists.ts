import type { Covering, Mutant } from "../mutant.ts";

// Lists of what keys see: their searches, their counts, and the state that they are of.

const SEARCH = "src/claims/list-search.ts";
const READ = "src/claims/list-read.ts";
const ORDERS = "src/orders/list-store.ts";
const ORDER = "src/claims/list-order.ts";
const SCOPE = "src/claims/list-scope.ts";
const VIEWS = "prisma/migrations/20261124190000_shown_rows/migration.sql";

const named = (file: string, name?: string): Covering => ({
  file: `test/${file}.integration.test.ts`,
  ...(name === undefined ? {} : { name }),
});
/** Compares lists with the rows that their filters let through, on random days. */
const days = named("claims/list-days");
const filters = named("claims/list-filters");
const reads = named("claims/list-read");
const orders = named("orders/list");

export const LISTS: readonly Mutant[] = [
  {
    id: "lists-since-twice",
    file: SEARCH,
    title: "what was created and changed since a time is found once",
    find: "AND s.created_at <= ${time} OFFSET 0",
    replace: "OFFSET 0",
    tests: [days, filters],
  },
  {
    id: "lists-since-created",
    file: SEARCH,
    title: "what was created since a time is found",
    find: "where: [...shaped.where, sql`s.created_at > ${time}`]",
    replace: "where: [...shaped.where, sql`s.created_at > ${time} AND false`]",
    tests: [days, filters],
  },
  {
    id: "lists-span",
    file: SEARCH,
    title: "what was created before a time and changed after it is found, however long that took",
    find: '[...since, "-infinity"]',
    replace: "since",
    tests: [filters],
  },
  {
    id: "lists-span-since",
    file: SEARCH,
    title: "what was created before a time and changed after it is found up to the end of its span",
    find: "time.getTime() - seconds * 1000",
    replace: "time.getTime()",
    tests: [filters],
  },
  {
    id: "lists-shape",
    file: SEARCH,
    title: "each row is found by one shape",
    find: "where: [...where, shapes.where]",
    replace: "where",
    tests: [filters],
  },
  {
    id: "lists-shape-unindexed",
    file: ORDERS,
    title: "what is not indexed is found by its user",
    find: '    ? [[status, "", ""]]',
    replace: "    ? []",
    tests: [orders, days],
  },
  {
    id: "lists-behind",
    file: ORDER,
    title: "a page begins behind the row that its cursor names",
    find: "${comparison(order)} (${positionSql(order, position)})`",
    replace: "${comparison(order)}= (${positionSql(order, position)})`",
    tests: [orders],
  },
  {
    id: "lists-key",
    file: SEARCH,
    title: "a list is of one key",
    find: "AND ${row}.key_id = ${single.keyId}::uuid`",
    replace: "AND ${single.keyId}::uuid IS NOT NULL`",
    tests: [orders, days],
  },
  {
    id: "lists-scope-product",
    file: SEARCH,
    title: "a list over several scopes is of those alone",
    find: "${row}.chain_id = q.chain_id AND ${row}.product_type = q.product_type AND",
    replace: "${row}.chain_id = q.chain_id AND",
    tests: [reads],
  },
  {
    id: "lists-scope-key",
    file: SEARCH,
    title: "a list of all keys has each row once, with that of its key",
    find: " AND ${row}.key_id = q.key_id`",
    replace: "`",
    tests: [reads, days],
  },
  {
    id: "lists-scopes-product",
    file: SCOPE,
    title: "a list over several scopes has those of its product",
    find: "AND product_type = ${productType}`}`;",
    replace: "AND ${productType}::text IS NOT NULL`}`;",
    tests: [reads],
  },
  {
    id: "lists-scopes-complete",
    file: SCOPE,
    title: "a list over several scopes has those of chains whose rows are complete",
    find: "\n      AND chain_id IN (SELECT c.chain_id FROM app.event_chain c WHERE c.filled)",
    replace: "",
    tests: [reads],
  },
  {
    id: "lists-hash",
    file: SEARCH,
    title: "rows are found by the hash of any attempt",
    find: "WHERE ${claimsTo(txHash)}`)]",
    replace: "WHERE c.tx_hash = ${txHash}`)]",
    tests: [named("sending/outbox/attempts")],
  },
  {
    id: "lists-page-order",
    file: SEARCH,
    title: "the newest rows are found first",
    find: "const end = sql`${orderBySql(order)} LIMIT ${count}`;",
    replace: "const end = sql`ORDER BY s.claim_id LIMIT ${count}`;",
    tests: [orders, days],
  },
  {
    id: "lists-row-place",
    file: SEARCH,
    title: "each order of a transaction is a row of its own",
    find: " AND k.log_index = page.log_index OFFSET 0",
    replace: " OFFSET 0",
    tests: [orders, days],
  },
  {
    id: "lists-pending",
    file: SEARCH,
    title: "a total has what is not indexed",
    find: "const pending = counts.mayBePending",
    replace: "const pending = counts.mayBePending && false",
    tests: [orders, days],
  },
  {
    id: "lists-standing",
    file: ORDERS,
    title: "an order whose cancel was asked for is not open",
    find: "...(isRowNeeded(onChainStatus) ? equal(sql`s.on_chain_status`, onChainStatus) : []),",
    replace: "",
    tests: [orders],
  },
  {
    id: "lists-client-id",
    file: ORDERS,
    title: "an order is found by its own identifier for its key alone",
    find: "sql`AND o.key_id = ${keyId}::uuid`",
    replace: "empty",
    tests: [orders],
    survives:
      "the claims of other keys are left out by the scope of the list; the condition saves reading them",
  },
  {
    id: "lists-head-version",
    file: READ,
    title: "rows and total are of one version",
    find: "version === state?.version && shownBlock",
    replace: "shownBlock",
    tests: [reads],
  },
  {
    id: "lists-head-empty",
    file: READ,
    title: "no rows are of the head where there are none",
    find: "rows.length > 0 ? areOf(head.state, rows) : head.total === 0",
    replace: "areOf(head.state, rows)",
    tests: [reads],
  },
  {
    id: "lists-hash-version",
    file: READ,
    title: "a list by a hash has no version",
    find: "version: list.isUnversioned || !state ? null : state.version",
    replace: "version: !state ? null : state.version",
    tests: [reads, days],
  },
  {
    id: "lists-hash-replica",
    file: READ,
    title: "a list by a hash is not read from a replica",
    find: "list.isUnversioned ? statement : markVersioned(statement)",
    replace: "markVersioned(statement)",
    tests: [named("http/read-replicas")],
  },
  {
    id: "lists-next",
    file: READ,
    title: "one row more than a page is found, so that the next page is known",
    find: "take: limit + 1,",
    replace: "take: limit,",
    tests: [orders],
  },
  {
    id: "lists-cursor-claim",
    file: READ,
    title: "a cursor between two claims of one time repeats neither",
    find: "{ createdAt, claimId: { lt: claimId } },",
    replace: "{ createdAt, claimId: { lte: claimId } },",
    tests: [orders],
  },
  {
    id: "lists-cursor-log-index",
    file: READ,
    title: "a cursor between two orders of one transaction misses none",
    find: "      { createdAt, claimId, logIndex: { lt: logIndex } },\n",
    replace: "",
    tests: [orders],
  },
  {
    id: "lists-complete-viewer",
    file: READ,
    title: "the list of a scope is refused until its rows are complete",
    find: "WHERE c.chain_id = ${scope.chainId} AND c.filled)`",
    replace: "WHERE c.chain_id = ${scope.chainId})`",
    tests: [reads],
  },
  {
    id: "lists-complete-key",
    file: VIEWS,
    title: "the list of a key is refused until the rows of its chain are complete",
    find: 'WHERE c."chain_id" = $1 AND c."filled"\n',
    replace: 'WHERE c."chain_id" = $1\n',
    tests: [reads],
  },
  {
    id: "lists-counts-changed",
    file: VIEWS,
    title: "a changed row is counted by its new shape alone",
    find: '1 AS "change" FROM "added" WHERE "order_id" IS NOT NULL\n        UNION ALL SELECT',
    replace: '1 AS "change" FROM "added" WHERE "order_id" IS NOT NULL AND false\n        UNION ALL SELECT',
    tests: [days],
  },
  {
    id: "lists-version-claims",
    file: VIEWS,
    title: "the version of a key moves with its claims",
    find: 'coalesce((SELECT sum(x."change")',
    replace: 'coalesce((SELECT 0 * sum(x."change")',
    tests: [reads],
  },
];
