import { afterAll, beforeEach, expect } from "@jest/globals";
import type pg from "pg";
import type { Caller } from "../../src/auth/caller.ts";
import type { Deps } from "../../src/context/deps.ts";
import { parseInput } from "../../src/context/input/fields.ts";
import { inSnapshot } from "../../src/db/transaction.ts";
import { DISTRIBUTIONS } from "../../src/events/distributions.ts";
import { eventListShape } from "../../src/events/input.ts";
import * as list from "../../src/events/list.ts";
import { compareRows } from "../../src/events/writer/check.ts";
import { createEventWriter } from "../../src/events/writer/write.ts";
import { sendListShape } from "../../src/sending/answer/input.ts";
import { listSends } from "../../src/sending/answer/list.ts";
import { CONTRACTS } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import { empty } from "../support/db/empty.ts";
import { createOnchain } from "../support/db/onchain.ts";
import { PROJECTED } from "../support/db/projected.ts";
import { CHAIN_ID, STOCKS, USERS } from "../support/db/random-chain.ts";
import { PRODUCT, startFeatures } from "../support/http/features.ts";
import { at, faultsOf } from "../support/http/openapi.ts";

/** Starts a log for all tests of a file, and empties it before each. */
export async function useLog() {
  const log = await startLog();
  beforeEach(log.reset);
  afterAll(log.close);
  return log;
}

/** Starts a chain of one product without an indexer, with three keys, of which the last is bound to a user, and its log. */
async function startLog() {
  const features = await startFeatures([
    { deployment: { chainId: CHAIN_ID, ...CONTRACTS }, rpcUrls: ["http://127.0.0.1:1"], confirmations: 1 },
  ]);
  const { pool } = features.deps;
  const onchain = await createOnchain(pool);
  // It would fill what the writer leaves out.
  await pool.query("ALTER TABLE app.event DISABLE TRIGGER event_object");
  // No node is there that would know tokens.
  const chain = present(features.deps.chains.get(CHAIN_ID), "the chain");
  const chains = new Map([[CHAIN_ID, { ...chain, tokens: { metadata: async () => new Map() } }]]);
  const deps: Deps = { ...features.deps, chains };
  const callers: Caller[] = await Promise.all([
    features.makeCaller(),
    features.makeCaller(),
    features.makeCaller({ userAddress: USERS[0] ?? null }),
  ]);
  await onchain.insert(
    "stockToken",
    ...STOCKS.map((tokenAddress, n) => ({
      chainId: CHAIN_ID,
      productType: PRODUCT,
      tokenAddress,
      symbol: `S${n}`,
      multiplier: 10n ** 18n,
    })),
  );
  return {
    features,
    onchain,
    deps,
    callers,
    /** Runs a writer of its own process until nothing is left; every run compares all that is not final. */
    async write(through: pg.Pool = pool): Promise<void> {
      const run = createEventWriter(
        { ...deps, pool: through },
        { verifyMs: 0, moreSources: [DISTRIBUTIONS] },
      );
      for (let runs = 1; !(await run(CHAIN_ID)).complete; runs++)
        if (runs > 50) throw new Error("the writer has events left after 50 runs");
    },
    readEvents: async (caller: Caller, input: object = {}) => {
      const page = await list.listEvents(deps, caller, parseInput(eventListShape, { ...input }));
      for (const event of page.rows) expectDescribed(event);
      return page;
    },
    expectProjected: () => expectProjected(pool),
    expectSendsTold: (caller: Caller) => expectSendsTold(deps, caller),
    expectNoGap: () => expectNoGap(pool),
    expectObjects: () => expectObjects(pool),
    reset: () => reset(pool),
    close: features.close,
  };
}

/** Expects an event to be what the OpenAPI document says of its type. */
function expectDescribed(event: { type: string }): void {
  const schema = at(`#/components/schemas/Event/discriminator/mapping/${event.type}`);
  const sent = JSON.parse(
    JSON.stringify(event, (_key, value) => (typeof value === "bigint" ? Number(value) : value)),
  );
  expect({ event, faults: faultsOf(String(schema), sent) }).toEqual({ event, faults: [] });
}

async function reset(pool: pg.Pool): Promise<void> {
  await empty(
    pool,
    "app.send_request",
    "app.delegation",
    "app.delegatee_wallet",
    "app.transaction_claim",
    "app.transaction_attribution",
    "app.invalid_attribution",
    ...PROJECTED,
  );
  await pool.query("DELETE FROM onchain.multiplier_change");
  await pool.query("DELETE FROM onchain.distribution");
  await pool.query("DELETE FROM onchain.delegation");
  await pool.query("UPDATE onchain.stock_token SET multiplier = 1000000000000000000");
}

/** Expects the rows of keys to equal what claims own by the index, as events present it, each with its last event. */
async function expectProjected(pool: pg.Pool): Promise<void> {
  const part = { after: "00000000-0000-0000-0000-000000000000", max: 1_000_000 };
  const compared = await inSnapshot(pool, (client) =>
    compareRows(client, CHAIN_ID, { part, known: new Map(TOKENS) }),
  );
  expect(compared.differences).toEqual([]);
  expect((await pool.query(OTHERWISE_REPORTED)).rows).toEqual([]);
  expect((await pool.query(OTHERWISE_REMEMBERED)).rows).toEqual([]);
}

/** The rows of keys, as app.event_memory names them. */
const ROWS = `
  SELECT claim_id, 'orders' AS resource, ordinal, key_id, chain_id, product_type, tx_hash, order_id AS object_id, event_id, type, data,
    row_hash, block_number FROM app.key_order
  UNION ALL
  SELECT claim_id, CASE kind WHEN 'deposit' THEN 'cash/deposits' WHEN 'withdraw' THEN 'cash/withdrawals'
      WHEN 'stock-deposit' THEN 'stock/deposits' ELSE 'stock/withdrawals' END, ordinal, key_id, chain_id, product_type, tx_hash,
    operation_id, event_id, type, data, row_hash, block_number FROM app.key_operation`;

/** Selects rows whose event is missing, or reported another state. */
const OTHERWISE_REPORTED = `
  SELECT r.* FROM (${ROWS}) r LEFT JOIN app.event e ON e.event_id = r.event_id
  WHERE r.event_id IS NOT NULL AND ((e.key_id, e.resource, e.type) IS DISTINCT FROM (r.key_id, r.resource, r.type)
    OR r.data <> e.data::text)`;

/** Selects what the version before would compare otherwise: its memory is written by triggers of the rows. */
const OTHERWISE_REMEMBERED = `
  SELECT r.*, m.* FROM (SELECT * FROM (${ROWS}) n WHERE n.event_id IS NOT NULL) r
  FULL JOIN (SELECT * FROM app.event_memory WHERE resource <> 'sends') m
    ON m.claim_id = r.claim_id AND m.resource = r.resource AND m.ordinal = r.ordinal
  WHERE (r.key_id, r.chain_id, r.product_type, r.tx_hash, r.object_id, r.event_id, r.type, md5(r.data)::uuid, r.row_hash, r.block_number)
    IS DISTINCT FROM
    (m.key_id, m.chain_id, m.product_type, m.tx_hash, m.object_id, m.event_id, m.type, m.data_hash, m.row_hash, m.block_number)`;

/** No node names the tokens of the random chain: their names are empty. */
const TOKENS = STOCKS.map((token) => [token, { symbol: "" }] as const);

/** Expects the last event of each request to equal the answer of its GET; a request that is only accepted has none. */
async function expectSendsTold(deps: Deps, caller: Caller): Promise<void> {
  const { rows: told } = await deps.pool.query(
    `SELECT DISTINCT ON (data ->> 'requestId') type, data FROM app.event
     WHERE key_id = $1 AND resource = 'sends' ORDER BY data ->> 'requestId', sequence DESC`,
    [caller.keyId],
  );
  const { data } = await listSends(deps, caller, parseInput(sendListShape, { limit: "100" }));
  const sent = data.rows.filter(({ status }) => status !== "accepted");
  expect(new Map(told.map(({ data, type }) => [data.requestId, { type, data }]))).toEqual(
    new Map(sent.map((one) => [one.requestId, { type: `send.${one.status}`, data: plain(one) }])),
  );
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** @returns how many events there are */
async function expectNoGap(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query(
    `SELECT count(*)::int AS events, count(DISTINCT event_id)::int AS ids,
       coalesce(bool_and(sequence = n), true) AS whole
     FROM (SELECT *, row_number() OVER (PARTITION BY key_id, chain_id, product_type ORDER BY sequence) AS n FROM app.event) e`,
  );
  expect(rows[0]).toMatchObject({ ids: rows[0].events, whole: true });
  return rows[0].events;
}

/** Expects each event to have the object by which release 0.3.0 orders its deliveries. */
async function expectObjects(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query(
    "SELECT object, app.event_object(resource, data) AS before FROM app.event",
  );
  expect({ rows }).not.toEqual({ rows: [] });
  expect(rows.filter(({ object, before }) => object !== before)).toEqual([]);
}

/** Passes over the error of a pool that dies (dying-pool.ts). */
export function ignoreDeath(error: unknown): void {
  if (!(error instanceof Error && error.message === "died")) throw error;
}
