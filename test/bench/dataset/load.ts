import type pg from "pg";
import { BLOCK_S, type Head, ORDERS_SQL } from "./orders.ts";

/** The sizes of the data set; everything else follows from the product's contracts. */
export interface LoadInput {
  scope: { chainId: number; productType: string };
  head: Head;
  /** Lower case, in the order of their listing. */
  stockTokens: readonly string[];
  keys: readonly { keyId: string; orders: number }[];
  /** Counts orders of the second key that the first key claims too, but later, so that the second key owns them. */
  lostClaims: number;
}

/** Claims of each key with at least 1,000 orders whose transactions are not indexed: reverted, and still pending. */
export const FAILED_CLAIMS = 5;
export const INIT_CLAIMS = 2;

/** Every fourth order is attributed by its calldata's suffix, the others are recorded. */
const IS_ATTRIBUTED = "o.i % 4 = 0";

/**
 * Fills onchain.* and app.* with the orders of all keys, by a few statements that several
 * connections share: on two, 5,000,000 orders take some minutes.
 * @param clients of a superuser: foreign keys are not checked, and the indexes of claims are built afterwards
 */
export async function loadOrders(
  clients: readonly [pg.ClientBase, ...pg.ClientBase[]],
  input: LoadInput,
): Promise<void> {
  const { scope, head, stockTokens, lostClaims } = input;
  const values = [head.timestamp, head.number, stockTokens, scope.chainId, scope.productType];
  for (const client of clients) await prepare(client, input);
  const definitions = await dropIndexes(clients[0], "app.transaction_claim");
  await share(clients, [
    ...[STOCK_ORDERS, EVENT_BLOCKS, CLAIMS, FILLS, SUFFIXES, BALANCES, ATTRIBUTIONS].map((text) => ({
      text,
      values,
    })),
    { text: LOST_CLAIMS, values: [...values, lostClaims] },
  ]);
  const unindexed = [head.timestamp, scope.chainId, scope.productType];
  await clients[0].query(UNINDEXED_CLAIMS, unindexed);
  await share(
    clients,
    definitions.map((text) => ({ text })),
  );
  for (const client of clients) await client.query("RESET session_replication_role");
}

async function prepare(client: pg.ClientBase, { keys }: LoadInput): Promise<void> {
  await client.query("CREATE TEMPORARY TABLE bench_key (j int, key_id uuid, orders int)");
  await client.query(
    `INSERT INTO bench_key
     SELECT j - 1, key_id, orders FROM unnest($1::uuid[], $2::int[]) WITH ORDINALITY AS k (key_id, orders, j)`,
    [keys.map(({ keyId }) => keyId), keys.map(({ orders }) => orders)],
  );
  await client.query("SET session_replication_role = replica");
  await client.query("SET synchronous_commit = off");
  await client.query("SET maintenance_work_mem = '512MB'");
}

/** Runs statements in no order, each on the first connection that is free. */
async function share(
  clients: readonly pg.ClientBase[],
  statements: { text: string; values?: unknown[] }[],
): Promise<void> {
  const waiting = [...statements];
  await Promise.all(
    clients.map(async (client) => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await client.query(next);
    }),
  );
}

/** Selects the orders in their scope; every statement that names it takes the values $1 to $5. */
const SOURCE = `(SELECT $4::int AS chain_id, $5::text AS product_type, o.* FROM ${ORDERS_SQL}) o`;

/** Block in which an order last changed. */
const LAST_BLOCK = `(block_number + (updated_at - placed_at) / ${BLOCK_S})`;

const STOCK_ORDERS = `INSERT INTO onchain.stock_order (chain_id, product_type, order_id, tx_hash, log_index, block_number,
    created_at, user_address, stock_address, side, order_type, notional, quantity, price, time_in_force, deadline,
    locked_amount, locked_remaining, status, filled_quantity, filled_notional, fee, fill_count, cancel_tx_hash,
    settle_tx_hash, settled_at, reject_reason, deposit_op_id, updated_at, updated_block)
  SELECT chain_id, product_type, order_id, tx_hash, 3, block_number, placed_at, user_address, stock_address, side,
    order_type, CASE WHEN order_type = 'Market' AND side = 'Buy' THEN notional END,
    CASE WHEN order_type = 'Market' AND side = 'Buy' THEN NULL ELSE quantity END,
    CASE order_type WHEN 'Limit' THEN price END, CASE order_type WHEN 'Limit' THEN 0 END, placed_at + 86400,
    CASE side WHEN 'Buy' THEN notional ELSE quantity END,
    CASE WHEN status IN ('open', 'canceling') THEN CASE side WHEN 'Buy' THEN notional ELSE quantity END
      / CASE WHEN is_partial THEN 2 ELSE 1 END ELSE 0 END,
    status, filled, filled / 1e18 * price, CASE WHEN fills > 0 THEN 2e16 ELSE 0 END, fills,
    CASE WHEN status IN ('canceling', 'canceled') THEN tx_hash END,
    CASE WHEN status IN ('filled', 'rejected') THEN tx_hash END,
    CASE WHEN status IN ('filled', 'canceled', 'rejected', 'expired') THEN updated_at END,
    CASE status WHEN 'rejected' THEN 1 END, NULL, updated_at,
    ${LAST_BLOCK}
  FROM ${SOURCE}`;

const EVENT_BLOCKS = `INSERT INTO onchain.event_block (chain_id, number, hash)
  SELECT chain_id, number, '0x' || encode(sha256(convert_to(number::text, 'UTF8')), 'hex')
  FROM (SELECT chain_id, block_number AS number FROM ${SOURCE} UNION SELECT chain_id, ${LAST_BLOCK} FROM ${SOURCE}) b`;

const FILLS = `INSERT INTO onchain.order_fill (chain_id, product_type, order_id, ordinal, quantity, price, notional, fee,
    tx_hash, timestamp, block_number)
  SELECT chain_id, product_type, order_id, ordinal, filled / fills, price, filled / fills / 1e18 * price, 2e16 / fills,
    tx_hash, updated_at, block_number
  FROM ${SOURCE} CROSS JOIN LATERAL generate_series(0, fills - 1) ordinal`;

const SUFFIXES = `INSERT INTO onchain.attribution_suffix (chain_id, product_type, tx_hash, from_address, call_data, suffix,
    block_number, transaction_index)
  SELECT chain_id, product_type, tx_hash, user_address, tx_hash || repeat('00', 200), '0x' || repeat('11', 80),
    block_number, i % 100
  FROM ${SOURCE} WHERE ${IS_ATTRIBUTED}`;

const BALANCES = `INSERT INTO onchain.cash_balance (chain_id, product_type, user_address, available, locked)
  SELECT chain_id, product_type, user_address, sum(notional), 0 FROM ${SOURCE} GROUP BY 1, 2, 3`;

/** Returns SQL of a version 4 UUID, the only one that cursors take, derived from a text. */
const uuidOf = (text: string) =>
  `overlay(overlay(md5(${text}) PLACING '4' FROM 13) PLACING '8' FROM 17)::uuid`;

const CLAIM = "key_id, chain_id, product_type, operation_type, tx_hash";

const CLAIMS = `INSERT INTO app.transaction_claim (claim_id, ${CLAIM}, source, state, user_address, attribution_nonce,
    before_final, rule_version, created_at, updated_at, last_seen_at)
  SELECT ${uuidOf("'claim:' || j || ':' || i")}, key_id, chain_id, product_type, 'trade', tx_hash,
    CASE WHEN ${IS_ATTRIBUTED} THEN 'attributed' ELSE 'recorded' END::app.mapping_source, 'final',
    CASE WHEN ${IS_ATTRIBUTED} THEN user_address END, CASE WHEN ${IS_ATTRIBUTED} THEN md5('nonce:' || j || ':' || i) END,
    true, CASE WHEN NOT ${IS_ATTRIBUTED} THEN 2 END,
    to_timestamp(mapped_ms / 1000.0), to_timestamp(mapped_ms / 1000.0), to_timestamp(mapped_ms / 1000.0)
  FROM ${SOURCE}`;

const ATTRIBUTIONS = `INSERT INTO app.transaction_attribution (chain_id, tx_hash, key_id)
  SELECT chain_id, tx_hash, key_id FROM ${SOURCE} WHERE ${IS_ATTRIBUTED}`;

/** Recorded a second after the owner's own claims. */
const LOST_CLAIMS = `INSERT INTO app.transaction_claim (claim_id, ${CLAIM}, source, state, before_final, rule_version, created_at, updated_at)
  SELECT ${uuidOf("'lost:' || i")}, (SELECT key_id FROM bench_key WHERE j = 0), chain_id, product_type, 'trade', tx_hash,
    'recorded', 'final', true, 2, to_timestamp(mapped_ms / 1000.0 + 1), to_timestamp(mapped_ms / 1000.0 + 1)
  FROM ${SOURCE} WHERE j = 1 AND i < $6::int`;

/** Older than every order of their key. */
const UNINDEXED_CLAIMS = `INSERT INTO app.transaction_claim (claim_id, ${CLAIM}, source, state, created_at, updated_at)
  SELECT ${uuidOf("'unindexed:' || k.j || ':' || n")}, k.key_id, $2::int, $3::text, 'trade',
    '0x' || encode(sha256(convert_to('unindexed:' || k.j || ':' || n, 'UTF8')), 'hex'), 'recorded',
    CASE WHEN n <= ${FAILED_CLAIMS} THEN 'reverted' ELSE 'pending' END::app.claim_state,
    to_timestamp($1::bigint - 20000000 - n), to_timestamp($1::bigint - 20000000 - n)
  FROM bench_key k CROSS JOIN generate_series(1, ${FAILED_CLAIMS + INIT_CLAIMS}) n WHERE k.orders >= 1000`;

/** Drops the indexes of a table that no constraint rests on. @returns their definitions */
async function dropIndexes(client: pg.ClientBase, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
     WHERE indrelid = $1::regclass AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid)`,
    [table],
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  return rows.map(({ definition }) => definition);
}
