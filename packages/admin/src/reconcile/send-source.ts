import type { Hex } from "viem";
import { z } from "zod";
import { join, sql } from "../../../../src/db/sql.ts";
import type { Source } from "./pages.ts";

/** A signed attempt of a request. */
export interface SignedAttempt {
  hash: Hex;
  kind: "call" | "filler";
  bytes: Hex;
}

const rowSchema = z.object({
  requestId: z.string(),
  productType: z.string(),
  wallet: z.string(),
  nonce: z.string(),
  state: z.string(),
  outcome: z.string().nullable(),
  /** True where its call reverted because it had nothing to end, which is no failure (docs/sending.md#retiring-a-wallet). */
  hadEnded: z.boolean(),
  minedBlock: z.string().nullable(),
  minedBlockHash: z.string().nullable(),
  /** State of its claim; null where it makes nothing that is claimed. */
  claimState: z.string().nullable(),
  attempts: z.custom<SignedAttempt[] | null>(),
});
export type SendRequestRow = z.output<typeof rowSchema>;

interface SendScope {
  chainId: number;
  keyId: string | null;
  range: { from: bigint | null; to: bigint | null };
}

/** Returns the requests of a chain that have a nonce, by wallet and nonce. Leaves out those mined outside of the range. */
export function sends({ chainId, keyId, range: { from, to } }: SendScope): Source<SendRequestRow> {
  const where = [
    sql`t.chain_id = ${chainId}::int AND t.nonce IS NOT NULL`,
    ...(keyId === null ? [] : [sql`t.key_id = ${keyId}::uuid`]),
    ...(from === null ? [] : [sql`(t.mined_block IS NULL OR t.mined_block >= ${from})`]),
    ...(to === null ? [] : [sql`(t.mined_block IS NULL OR t.mined_block <= ${to})`]),
  ];
  return {
    table: "app.send_request",
    key: [
      ["wallet", "text"],
      ["nonce", "bigint"],
    ],
    where: join(where, " AND "),
    columns: sql`t.request_id::text, t.product_type, t.wallet, t.nonce::text, t.state, t.outcome,
      (t.operation = '1ct/disable' AND t.revert IS NOT DISTINCT FROM 'NotDelegatee') AS had_ended,
      t.mined_block::text, t.mined_block_hash, c.state::text AS claim_state, signed.attempts`,
    row: rowSchema,
    joins: sql`
      LEFT JOIN app.transaction_claim c ON c.claim_id = t.claim_id
      LEFT JOIN LATERAL (
        SELECT json_agg(json_build_object('hash', a.tx_hash, 'kind', a.kind,
          'bytes', '0x' || encode(a.signed_bytes, 'hex')) ORDER BY a.attempt_id) AS attempts
        FROM app.send_attempt a WHERE a.request_id = t.request_id AND a.tx_hash IS NOT NULL
      ) signed ON true`,
  };
}
