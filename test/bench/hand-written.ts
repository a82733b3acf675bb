import { createHmac, timingSafeEqual } from "node:crypto";
import express from "express";
import pg from "pg";

/**
 * What a careful developer would write by hand for `GET /orders/{orderId}` alone: Express, `pg`, the same checks of
 * timestamp, signature and nonce (one committed INSERT per request), one SELECT. No GraphQL, no Prisma, no batching.
 */
const { DATABASE_URL, PORT, API_KEYS = "{}" } = process.env;
/** Secrets by key. */
const secrets = new Map(Object.entries<string>(JSON.parse(API_KEYS)));
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 16 });

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

const app = express();
app.disable("x-powered-by");
app.get("/api/v1/orders/:orderId", async (request, response) => {
  const ts = request.get("x-api-ts") ?? "";
  const nonce = request.get("x-api-nonce") ?? "";
  const apiKey = request.get("x-api-key") ?? "";
  const secret = secrets.get(apiKey);
  const payload = ["GET", request.originalUrl, ts, nonce, ""].join("\n");
  const expected = createHmac("sha256", secret ?? "")
    .update(payload)
    .digest();
  const given = Buffer.from(request.get("x-api-sign") ?? "", "hex");
  const isSigned = given.length === expected.length && timingSafeEqual(given, expected);
  const isTimely = Math.abs(Date.now() - Number(ts)) <= 45_000;
  if (!isSigned || !isTimely || secret === undefined) {
    response.status(400).json({ code: 401 });
    return;
  }
  const { rows: claimed } = await pool.query({ name: "claim", text: CLAIM, values: [apiKey, nonce] });
  const values = [claimed[0]?.key_id, request.params.orderId];
  const { rows } = await pool.query({ name: "order", text: ORDER, values });
  if (!rows[0]) response.status(400).json({ code: 10001 });
  else response.json({ code: 200, errMsg: "", data: rows[0], t: Date.now() });
});

app.listen(Number(PORT), "127.0.0.1");
