import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import { execute, queryOne, queryRows } from "../../db/query.ts";
import { raw, sql } from "../../db/sql.ts";
import type { Tx } from "../../db/transaction.ts";
import { endRequest } from "../outbox/end-store.ts";
import { type FillReason, isReserved } from "../outbox/rows.ts";

/** Owner of the lease of a wallet whose key is lost. That lease never ends, so no worker, of any version, drives the wallet again. */
export const KEY_LOST = "its key is lost";

interface WalletName {
  chainId: number;
  wallet: Hex;
}

const lowestSchema = z.object({ nonce: z.coerce.bigint().nullable() });

/** Returns the lowest nonce of a wallet that is reserved, and for which nothing is signed; null without one. */
export async function readLowestReserved(
  pool: pg.Pool,
  { chainId, wallet }: WalletName,
): Promise<bigint | null> {
  const statement = sql`
    SELECT min(nonce) AS nonce FROM app.send_request r
    WHERE chain_id = ${chainId} AND wallet = ${wallet} AND state = 'signed' AND ${raw(isReserved("r"))}`;
  return (await queryOne(pool, statement, lowestSchema)).nonce;
}

const signedSchema = z.object({ count: z.int() });
const unsignedSchema = z.object({ requestId: z.string(), fillReason: z.custom<FillReason>().nullable() });

/**
 * Takes a retired wallet from its worker for good, and ends what it has not signed (docs/sending.md#a-lost-key). A worker that signs
 * meanwhile has lost its lease, and stores nothing; what is not stored is never broadcast.
 * @returns the ids of the requests that it ended
 * @throws Error where the wallet is not retired, or a signed request is not final: nobody would follow it any more
 */
export async function giveUpWallet(tx: Tx, { chainId, wallet }: WalletName): Promise<string[]> {
  const taken = await execute(
    tx,
    sql`
      UPDATE app.delegatee_wallet SET lease_epoch = lease_epoch + 1, lease_owner = ${KEY_LOST}, lease_until = 'infinity'
      WHERE chain_id = ${chainId} AND address = ${wallet} AND NOT assignable`,
  );
  if (taken === 0) throw new Error(`${wallet} is not retired on chain ${chainId}`);
  const signed = sql`
    SELECT count(*)::int AS count FROM app.send_request r
    WHERE chain_id = ${chainId} AND wallet = ${wallet} AND state IN ('signed', 'broadcast', 'mined')
      AND NOT ${raw(isReserved("r"))}`;
  const { count } = await queryOne(tx, signed, signedSchema);
  if (count > 0)
    throw new Error(
      `${count} of its requests are signed and not final: workers have to follow these first; nothing was given up`,
    );
  const unsigned = sql`
    SELECT request_id, fill_reason FROM app.send_request r
    WHERE chain_id = ${chainId} AND wallet = ${wallet} AND (state = 'accepted' OR ${raw(isReserved("r"))})
    ORDER BY sequence FOR UPDATE`;
  const requests = await queryRows(tx, unsigned, unsignedSchema);
  for (const { requestId, fillReason } of requests)
    await endRequest(tx, requestId, {
      state: "canceled",
      errCode: fillReason ?? "OPERATOR_UNAVAILABLE",
      reason: "the wallet's key was lost before it was signed",
    });
  return requests.map(({ requestId }) => requestId);
}
