import type pg from "pg";
import { z } from "zod";
import { Prisma } from "../../db/generated/client.ts";
import { parseSend, sendRows } from "../../sends/store.ts";
import { select } from "./changes-store.ts";
import type { CurrentSend } from "./sends.ts";

const rowSchema = z.object({
  key_id: z.string(),
  scope_product: z.string(),
  mined_block: z.coerce.bigint().nullable(),
});

/** Returns requests as their GET answers them: those named, and those of some claims. The index is ready. */
export async function readSendsNow(
  client: pg.PoolClient,
  { requestIds, claimIds }: { requestIds: readonly string[]; claimIds: readonly string[] },
): Promise<CurrentSend[]> {
  const found = Prisma.sql`
    SELECT l.request_id FROM unnest(${requestIds}::uuid[]) AS l (request_id)
    UNION SELECT r.request_id FROM unnest(${claimIds}::uuid[]) AS l (claim_id) CROSS JOIN LATERAL (
      SELECT s.request_id FROM app.send_request s WHERE s.claim_id = l.claim_id OFFSET 0) r`;
  const rows = await select(
    client,
    Prisma.sql`
      SELECT s.*, k.key_id::text AS key_id, k.product_type AS scope_product, k.mined_block::text AS mined_block
      FROM (${sendRows(found)}) s JOIN app.send_request k ON k.request_id = s.request_id::uuid
      ORDER BY k.sequence`,
  );
  return rows.map((row) => {
    const { key_id: keyId, scope_product: productType, mined_block: blockNumber } = rowSchema.parse(row);
    return { keyId, productType, blockNumber, answer: parseSend(row).answer };
  });
}
