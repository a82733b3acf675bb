import { pool, type SignedRequest, serveSigned } from "./signed.ts";

/**
 * A handwritten server for `GET /orders/{orderId}` and `GET /orders` alone: Express, `pg`, the same checks of
 * timestamp, signature and nonce (one committed INSERT per request), one SELECT, two for a list. No GraphQL, no Prisma, no batching.
 */
const CLAIM = `INSERT INTO app.api_nonce (key_id, nonce)
  SELECT key_id, $2::uuid FROM app.api_key WHERE api_key = $1 AND active ON CONFLICT DO NOTHING RETURNING key_id`;
const COLUMNS = `c.claim_id, c.tx_hash, o.order_id AS "orderId", o.user_address, o.side, o.order_type, o.notional::text,
    o.status, o.filled_quantity::text, o.filled_notional::text, o.fee::text, t.symbol,
    (SELECT json_agg(json_build_object('quantity', f.quantity::text, 'price', f.price::text) ORDER BY f.ordinal)
      FROM onchain.order_fill f WHERE f.chain_id = o.chain_id AND f.product_type = o.product_type
        AND f.order_id = o.order_id) AS fills`;
const ORDER_OF_CLAIM = `onchain.stock_order o ON o.chain_id = c.chain_id AND o.product_type = c.product_type AND o.tx_hash = c.tx_hash`;
const TOKEN_OF_ORDER = `onchain.stock_token t ON t.chain_id = o.chain_id AND t.product_type = o.product_type
    AND t.token_address = o.stock_address`;
const ORDER = `SELECT ${COLUMNS} FROM app.transaction_claim c JOIN ${ORDER_OF_CLAIM} JOIN ${TOKEN_OF_ORDER}
  WHERE c.key_id = $1 AND o.order_id = $2`;

const claimNonce = async ({ apiKey, nonce }: SignedRequest): Promise<string | undefined> => {
  const { rows } = await pool.query({ name: "claim", text: CLAIM, values: [apiKey, nonce] });
  return rows[0]?.key_id;
};

async function readOrder(request: SignedRequest): Promise<unknown> {
  const values = [await claimNonce(request), request.parameters.orderId];
  const { rows } = await pool.query({ name: "order", text: ORDER, values });
  return rows[0];
}

const TOTAL_MAX = 10_000;
/** Conditions by the name of their filter, of which `$2` is the value. */
const FILTERS: Record<string, string> = {
  status: "lower(o.status) = lower($2)",
  symbol: "t.symbol = $2",
  userAddress: "o.user_address = lower($2)",
};
const NEWEST_FIRST = "ORDER BY c.created_at DESC, c.claim_id DESC";

/** A page of the newest orders of a key, with one filter at most, and their total. */
async function readOrders(request: SignedRequest): Promise<unknown> {
  const keyId = await claimNonce(request);
  const { limit: given = "10", ...filters } = request.parameters;
  const limit = Number(given);
  const [[name, value] = ["none", undefined]] = Object.entries(filters);
  const condition = FILTERS[name];
  const ofKey = "FROM app.transaction_claim c";
  const joined = `LEFT JOIN ${ORDER_OF_CLAIM} LEFT JOIN ${TOKEN_OF_ORDER}`;
  const where = condition ? `WHERE c.key_id = $1 AND ${condition}` : "WHERE c.key_id = $1";
  // Without a filter, the page is known before the join.
  const page = condition
    ? `${ofKey} ${joined} ${where}`
    : `FROM (SELECT * ${ofKey} ${where} ${NEWEST_FIRST} LIMIT ${limit}) c ${joined}`;
  const counted = condition ? `${ofKey} ${joined} ${where}` : `${ofKey} ${where}`;
  const values = condition ? [keyId, value] : [keyId];
  const [{ rows }, { rows: totals }] = await Promise.all([
    pool.query({
      name: `page ${name} ${limit}`,
      text: `SELECT ${COLUMNS} ${page} ${NEWEST_FIRST} LIMIT ${limit}`,
      values,
    }),
    pool.query({
      name: `total ${name}`,
      text: `SELECT count(*)::int AS total FROM (SELECT 1 ${counted} LIMIT ${TOTAL_MAX}) counted`,
      values,
    }),
  ]);
  return { rows, total: totals[0]?.total };
}

serveSigned({ "/api/v1/orders": readOrders, "/api/v1/orders/:orderId": readOrder });
