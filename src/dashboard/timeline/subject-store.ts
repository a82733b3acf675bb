import type { Hex } from "viem";
import { z } from "zod";
import type { Deps } from "../../context/deps.ts";
import { whereIndexed } from "../../db/errors.ts";
import { queryRows } from "../../db/query.ts";
import { join, raw, type Sql, sql } from "../../db/sql.ts";
import { storedHex } from "../../protocol/shapes.ts";
import { scopesSql } from "../scopes.ts";
import type { TimelineKind } from "../words.ts";
import type { Asked } from "./input.ts";

/** Ids of an object, by which the rest of its timeline is read. */
export interface Subject {
  kind: TimelineKind;
  id: string;
  chainId: number;
  /** Null for a transaction: it may have several. */
  productType: string | null;
  /** Null while a request is not signed. */
  txHash: Hex | null;
  claimId: string | null;
  requestId: string | null;
}

type Read = Pick<Deps, "pool" | "deployments">;

const foundSchema = z.object({
  chainId: z.number(),
  productType: z.string().nullable(),
  txHash: storedHex.nullable(),
  claimId: z.string().nullable(),
  requestId: z.string().nullable(),
});
type Found = z.output<typeof foundSchema>;

/** Returns where an object is found; null where there is none. @throws ApiError DATABASE_UNAVAILABLE */
export async function findSubject(deps: Read, asked: Asked): Promise<Subject | null> {
  const found = await candidates(deps, asked);
  // The order of the deployments file, so that the answer does not depend on which row came first.
  const [first] = asked.chainIds.flatMap((chainId) => found.filter((row) => row.chainId === chainId));
  if (!first) return null;
  const productType = asked.kind === "transaction" ? null : first.productType;
  return { ...first, kind: asked.kind, id: asked.id, productType };
}

async function candidates({ pool, deployments }: Read, asked: Asked): Promise<Found[]> {
  const scopes = scopesSql(deployments, asked.chainIds);
  switch (asked.kind) {
    case "send":
      return queryRows(pool, sendSql(asked.id), foundSchema);
    case "transaction":
      return transactions(pool, asked.id, asked.chainIds);
    case "order":
      return objects(pool, asked, inTables(["stock_order"], "order_id", scopes, asked.id));
    case "operation": {
      const tables = ["cash_operation", "stock_operation"];
      return objects(pool, asked, inTables(tables, "op_id", scopes, asked.id));
    }
  }
}

const sendSql = (requestId: string): Sql => sql`
  SELECT r.chain_id, r.product_type, r.tx_hash, r.claim_id::text AS claim_id, r.request_id::text AS request_id
  FROM app.send_request r WHERE r.request_id = ${requestId}::uuid`;

function inTables(tables: readonly string[], idColumn: string, scopes: Sql, id: Hex): Sql {
  const selects = tables.map(
    (table) => sql`
      SELECT o.chain_id, o.product_type, o.tx_hash, NULL::text AS claim_id, NULL::text AS request_id
      FROM ${scopes} JOIN onchain.${raw(table)} o
        ON o.chain_id = s.chain_id AND o.product_type = s.product_type AND ${raw(`o.${idColumn}`)} = ${id}`,
  );
  return join(selects, " UNION ALL ");
}

/** Finds an object in the index, or else in the rows of keys: a reorg or a rebuild of the index removes objects. */
async function objects(pool: Read["pool"], { kind, id, chainIds }: Asked, indexed: Sql): Promise<Found[]> {
  const found = await whereIndexed(() => queryRows(pool, indexed, foundSchema), []);
  if (found.length > 0) return found;
  const name = kind === "order" ? "order" : "operation";
  return queryRows(
    pool,
    sql`
      SELECT k.chain_id, k.product_type, k.tx_hash, k.claim_id::text AS claim_id, NULL::text AS request_id
      FROM ${raw(`app.key_${name}`)} k
      WHERE k.chain_id = ANY(${chainIds}::int[]) AND ${raw(`k.${name}_id`)} = ${id} LIMIT 1`,
    foundSchema,
  );
}

/** Finds the transactions of a hash: of an attempt, of a claim, or of an indexed object that no key claims. */
async function transactions(pool: Read["pool"], txHash: Hex, chainIds: readonly number[]): Promise<Found[]> {
  const known = await queryRows(
    pool,
    sql`
      SELECT r.chain_id, r.product_type, a.tx_hash, r.claim_id::text AS claim_id, r.request_id::text AS request_id
      FROM app.send_attempt a JOIN app.send_request r ON r.request_id = a.request_id WHERE a.tx_hash = ${txHash}
      UNION ALL SELECT c.chain_id, c.product_type, c.tx_hash, NULL, NULL
      FROM app.transaction_claim c WHERE c.chain_id = ANY(${chainIds}::int[]) AND c.tx_hash = ${txHash}`,
    foundSchema,
  );
  if (known.length > 0) return known;
  const tables = ["stock_order", "cash_operation", "stock_operation"].map(
    (table) => sql`
      SELECT o.chain_id, o.product_type, o.tx_hash, NULL::text AS claim_id, NULL::text AS request_id
      FROM onchain.${raw(table)} o WHERE o.chain_id = ANY(${chainIds}::int[]) AND o.tx_hash = ${txHash}`,
  );
  return whereIndexed(() => queryRows(pool, join(tables, " UNION ALL "), foundSchema), []);
}
