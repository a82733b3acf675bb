import { pool, serveSigned } from "./signed.ts";

/**
 * A handwritten server for `GET /orders/{orderId}` alone: Express, `pg`, the same checks of
 * timestamp, signature and nonce (one committed INSERT per request), one SELECT. No GraphQL, no Prisma, no batching.
 */
const CLAIM = `INSERT INTO app.api_nonce (key_id, nonce)
  SELECT key_id, $2::uuid FROM app.api_key WHERE api_key = $1 AND active ON CONFLICT DO NOTHING RETURNING key_id`;
const ORDER = `SELECT c.claim_id, c.tx_hash, o.order_id, o.user_address, o.side, o.order_type, o.notional::text,
    o.status, o.filled_quantity::text, o.filled_notional::text, o.fee::text, t.symbol,
    (SELECT json_agg(json_build_object('quantity', f.quantity::text, 'price', f.price::text) ORDER BY f.ordinal)
      FROM onchain.order_fill f WHERE f.chain_id = o.chain_id AND f.product_type = o.product_type
        AND f.order_id = o.order_id) AS fills
  FROM app.transaction_claim c
  JOIN onchain.stock_order o ON o.chain_id = c.chain_id AND o.product_type = c.product_type AND o.tx_hash = c.tx_hash
  JOIN onchain.stock_token t ON t.chain_id = o.chain_id AND t.product_type = o.product_type
    AND t.token_address = o.stock_address
  WHERE c.key_id = $1 AND o.order_id = $2`;

serveSigned(async ({ apiKey, nonce, orderId }) => {
  const { rows: claimed } = await pool.query({ name: "claim", text: CLAIM, values: [apiKey, nonce] });
  const values = [claimed[0]?.key_id, orderId];
  const { rows } = await pool.query({ name: "order", text: ORDER, values });
  return rows[0];
});
