import { singleClaimStatement } from "../../../../src/auth/nonce-single-store.ts";
import type { Statement } from "../../../../src/db/select.ts";
import { readOrder } from "../../../../src/orders/store.ts";
import { PRODUCT } from "../../../support/http/features.ts";
import { pool, serveSigned } from "./signed.ts";

/**
 * Measures the two statements of the api in the server by hand. They are sent at once, as by the api: one claims the nonce within limits
 * shared by all replicas, the other reads the order with its owner, its siblings and the block. Without batches, checks and
 * presentation, the difference from the server by hand is the additional work of PostgreSQL.
 */
const LIMITS = { reads: 1_000_000, writes: 1_000_000 };
const { rows: keys } = await pool.query<{ apiKey: string; keyId: string; revision: number; chainId: number }>(
  `SELECT k.api_key AS "apiKey", k.key_id AS "keyId", k.revision, s.chain_id AS "chainId"
   FROM app.api_key k JOIN app.api_key_scope s USING (key_id)`,
);
const keyOf = new Map(keys.map((key) => [key.apiKey, key]));
const ORDER = await statementOf(keys[0]?.chainId ?? 0);

/** Returns the api's statement for one order; the lookup is its only argument that is JSON. */
function statementOf(chainId: number): Promise<Statement> {
  const viewer = { keyId: null, chainId, productType: PRODUCT };
  return new Promise((resolve) => {
    const select = async (statement: Statement) => {
      resolve(statement);
      return [];
    };
    // Rejects, since there are no rows. Only the statement is needed.
    readOrder(select, viewer, "0x").catch(() => undefined);
  });
}

serveSigned(async ({ apiKey, nonce, orderId }) => {
  const key = keyOf.get(apiKey);
  if (!key) return undefined;
  const claim = { keyId: key.keyId, revision: key.revision, nonce, kind: "reads", cost: 1 } as const;
  const lookup = [{ lookup: 1, key_id: key.keyId, product_type: PRODUCT, value: orderId }];
  const values = ORDER.values.map((value) => (typeof value === "string" ? JSON.stringify(lookup) : value));
  const [{ rows: claimed }, { rows }] = await Promise.all([
    pool.query(singleClaimStatement({ claim, versionOf: null }, LIMITS)),
    pool.query({ name: "order", text: ORDER.text, values }),
  ]);
  return claimed.length > 0 && rows[0]?.order_id ? rows[0] : undefined;
});
