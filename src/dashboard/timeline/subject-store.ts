import type { Hex } from "viem";
import { z } from "zod";
import type { Deps } from "../../context/deps.ts";
import { Prisma } from "../../db/generated/client.ts";
import { storedHex } from "../../protocol/shapes.ts";
import { selectRows, whereIndexed } from "../rows.ts";
import { scopesSql } from "../scopes.ts";
import type { TimelineKind } from "../words.ts";
import type { Asked } from "./input.ts";

/** Where an object is found: what everything else of its timeline is read by. */
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

type Read = Pick<Deps, "prisma" | "deployments">;

const subjectSchema = z.object({
  chain_id: z.number(),
  product_type: z.string().nullable(),
  tx_hash: storedHex.nullable(),
  claim_id: z.string().nullable(),
  request_id: z.string().nullable(),
});

/** Returns where an object is found; null where there is none. @throws ApiError DATABASE_UNAVAILABLE */
export async function findSubject(deps: Read, asked: Asked): Promise<Subject | null> {
  const rows = await candidates(deps, asked);
  // The order of the deployments file, so that the answer does not depend on which row came first.
  const parsed = rows.map((row) => subjectSchema.parse(row));
  const [first] = asked.chainIds.flatMap((chainId) => parsed.filter((row) => row.chain_id === chainId));
  if (!first) return null;
  const {
    chain_id: chainId,
    product_type,
    tx_hash: txHash,
    claim_id: claimId,
    request_id: requestId,
  } = first;
  const productType = asked.kind === "transaction" ? null : product_type;
  return { kind: asked.kind, id: asked.id, chainId, productType, txHash, claimId, requestId };
}

async function candidates({ prisma, deployments }: Read, asked: Asked): Promise<unknown[]> {
  const scopes = scopesSql(deployments, asked.chainIds);
  switch (asked.kind) {
    case "send":
      return selectRows(prisma, sendSql(asked.id));
    case "transaction":
      return transactions(prisma, asked.id, asked.chainIds);
    case "order":
      return objects(prisma, asked.id, inTables(["stock_order"], "order_id", scopes, asked.id));
    case "operation": {
      const tables = ["cash_operation", "stock_operation"];
      return objects(prisma, asked.id, inTables(tables, "op_id", scopes, asked.id));
    }
  }
}

const sendSql = (requestId: string): Prisma.Sql => Prisma.sql`
  SELECT r.chain_id, r.product_type, r.tx_hash, r.claim_id::text AS claim_id, r.request_id::text AS request_id
  FROM app.send_request r WHERE r.request_id = ${requestId}::uuid`;

function inTables(tables: readonly string[], idColumn: string, scopes: Prisma.Sql, id: Hex): Prisma.Sql {
  const selects = tables.map(
    (table) => Prisma.sql`
      SELECT o.chain_id, o.product_type, o.tx_hash, NULL::text AS claim_id, NULL::text AS request_id
      FROM ${scopes} JOIN onchain.${Prisma.raw(table)} o
        ON o.chain_id = s.chain_id AND o.product_type = s.product_type AND ${Prisma.raw(`o.${idColumn}`)} = ${id}`,
  );
  return Prisma.join(selects, " UNION ALL ");
}

/** Finds an object in the index, or else in the log of events: a reorg, or an index that is built anew, takes objects out. */
async function objects(prisma: Read["prisma"], id: Hex, indexed: Prisma.Sql): Promise<unknown[]> {
  const found = await whereIndexed(() => selectRows(prisma, indexed), []);
  if (found.length > 0) return found;
  return selectRows(
    prisma,
    Prisma.sql`
      SELECT m.chain_id, m.product_type, m.tx_hash, m.claim_id::text AS claim_id, NULL::text AS request_id
      FROM app.event_memory m WHERE m.object_id = ${id} LIMIT 1`,
  );
}

/** A hash may be that of an attempt, of a claim, or of what the index has although no key claims it. */
async function transactions(
  prisma: Read["prisma"],
  txHash: Hex,
  chainIds: readonly number[],
): Promise<unknown[]> {
  const known = await selectRows(
    prisma,
    Prisma.sql`
      SELECT r.chain_id, r.product_type, a.tx_hash, r.claim_id::text AS claim_id, r.request_id::text AS request_id
      FROM app.send_attempt a JOIN app.send_request r ON r.request_id = a.request_id WHERE a.tx_hash = ${txHash}
      UNION ALL SELECT c.chain_id, c.product_type, c.tx_hash, NULL, NULL
      FROM app.transaction_claim c WHERE c.chain_id = ANY(${chainIds}::int[]) AND c.tx_hash = ${txHash}`,
  );
  if (known.length > 0) return known;
  const tables = ["stock_order", "cash_operation", "stock_operation"].map(
    (table) => Prisma.sql`
      SELECT o.chain_id, o.product_type, o.tx_hash, NULL::text AS claim_id, NULL::text AS request_id
      FROM onchain.${Prisma.raw(table)} o WHERE o.chain_id = ANY(${chainIds}::int[]) AND o.tx_hash = ${txHash}`,
  );
  return whereIndexed(() => selectRows(prisma, Prisma.join(tables, " UNION ALL ")), []);
}
