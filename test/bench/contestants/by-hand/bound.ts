import { singleClaimStatement } from "../../../../src/auth/nonce-single-store.ts";
import { PRODUCT } from "../../../support/http/features.ts";
import { pool, type SignedRequest, serveSigned } from "./signed.ts";

/**
 * Measures the two statements of the api in the server by hand. They are sent at once, as by the api: one claims the nonce within limits
 * shared by all replicas, the other reads the order's row with what it is of. Without batches, checks and presentation, the difference from the server by hand is the additional work of PostgreSQL.
 */
const LIMITS = { reads: 1_000_000, writes: 1_000_000 };
const { rows: keys } = await pool.query<{ apiKey: string; keyId: string; revision: number; chainId: number }>(
  `SELECT k.api_key AS "apiKey", k.key_id AS "keyId", k.revision, s.chain_id AS "chainId"
   FROM app.api_key k JOIN app.api_key_scope s USING (key_id)`,
);
const keyOf = new Map(keys.map((key) => [key.apiKey, key]));
const ORDER = `SELECT o.order_id, o.data, o.key_id, o.version, o.shown_block FROM app.shown_order o
  WHERE o.chain_id = $1 AND o.product_type = $2 AND o.order_id = $3`;

const answer = async ({ apiKey, nonce, parameters }: SignedRequest) => {
  const key = keyOf.get(apiKey);
  if (!key) return undefined;
  const claim = { keyId: key.keyId, revision: key.revision, nonce, kind: "reads", cost: 1 } as const;
  const [{ rows: claimed }, { rows }] = await Promise.all([
    pool.query(singleClaimStatement({ claim, versionOf: null }, LIMITS)),
    pool.query({ name: "order", text: ORDER, values: [key.chainId, PRODUCT, parameters.orderId] }),
  ]);
  return claimed.length > 0 && rows[0]?.key_id === key.keyId ? rows[0] : undefined;
};
serveSigned({ "/api/v1/orders/:orderId": answer });
