import type { Hex } from "viem";
import { getAddress } from "viem";
import { z } from "zod";
import type { Deps } from "../../context/deps.ts";
import { whereIndexed } from "../../db/errors.ts";
import { queryRows } from "../../db/query.ts";
import { sql } from "../../db/sql.ts";
import { scopesSql } from "../scopes.ts";
import type { SearchHit } from "../titles.ts";

/** Finds kept requests, webhooks with their deliveries, events, sending wallets and tokens. */

type Read = Pick<Deps, "pool">;

const uuidSchema = z.object({
  kind: z.enum(["request", "webhook", "delivery", "event"]),
  chainId: z.number(),
  productType: z.string(),
  title: z.string(),
});

/** Returns the kept request, the webhook, the delivery and the event with an id. Each is a look-up in an index of each partition. */
export async function findLogged({ pool }: Read, id: string): Promise<SearchHit[]> {
  const found = await queryRows(
    pool,
    sql`
      SELECT f.kind, f.chain_id, f.product_type, f.title || ' (' || k.name || ')' AS title FROM (
        SELECT 'request' AS kind, l.chain_id, l.product_type, l.key_id,
          l.method || ' ' || l.route || ', ' || CASE WHEN l.status >= 400 THEN 'refused: ' || coalesce(l.err_code, l.status::text)
            ELSE 'answered ' || l.status END AS title
        FROM app.request_log l WHERE l.uuid = ${id}::uuid
        UNION ALL SELECT 'webhook', w.chain_id, w.product_type, w.key_id, 'Webhook'
        FROM app.webhook w WHERE w.webhook_id = ${id}::uuid
        UNION ALL SELECT 'delivery', w.chain_id, w.product_type, w.key_id, 'Delivery of ' || d.event_type || ', ' || d.state
        FROM app.webhook_delivery d JOIN app.webhook w ON w.webhook_id = d.webhook_id WHERE d.delivery_id = ${id}::uuid
        UNION ALL SELECT 'event', e.chain_id, e.product_type, e.key_id, 'Event ' || e.type
        FROM app.event e WHERE e.event_id = ${id}::uuid) f
      JOIN app.api_key k ON k.key_id = f.key_id`,
    uuidSchema,
  );
  return found.map((hit) => ({ ...hit, id }));
}

const addressSchema = z.object({
  kind: z.enum(["wallet", "token"]),
  chainId: z.number(),
  productType: z.string().nullable(),
  title: z.string(),
});

/** Returns the sending wallet of each chain, and the token of each product, with an address. */
export async function findContracts(
  { pool, deployments }: Pick<Deps, "pool" | "deployments">,
  chainIds: readonly number[],
  address: Hex,
): Promise<SearchHit[]> {
  const wallets = sql`
    SELECT 'wallet' AS kind, w.chain_id, NULL AS product_type, 'Sending wallet, ' || w.state AS title
    FROM app.delegatee_wallet w WHERE w.chain_id = ANY(${chainIds}::int[]) AND w.address = ${address}`;
  const tokens = sql`
    SELECT 'token', t.chain_id, t.product_type, 'Token of ' || t.symbol FROM ${scopesSql(deployments, chainIds)}
    JOIN onchain.stock_token t ON t.chain_id = s.chain_id AND t.product_type = s.product_type AND t.token_address = ${address}`;
  const indexed = await whereIndexed(
    () => queryRows(pool, sql`${wallets} UNION ALL ${tokens}`, addressSchema),
    null,
  );
  const found = indexed ?? (await queryRows(pool, wallets, addressSchema));
  return found.map((hit) => ({ ...hit, id: getAddress(address) }));
}
