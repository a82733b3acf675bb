import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import type { Caller } from "../../auth/caller.ts";
import type { PrismaClient } from "../../db/generated/client.ts";
import { queryMaybeOne, queryOne, queryRows } from "../../db/query.ts";
import { sql } from "../../db/sql.ts";
import type { Tx } from "../../db/transaction.ts";
import type { ErrCode } from "../../protocol/errors.ts";
import { storedHex } from "../../protocol/shapes.ts";
import { type KeyPolicy, policySchema } from "./policy-store.ts";
import type { NewSend } from "./submit.ts";

// Switches that cancel a key's open orders (app.cancel_after). Their times are those of the database's clock.

type SwitchName = Pick<Caller, "keyId" | "chainId" | "productType">;

const seconds = z.coerce.number();
const armedSchema = z.object({
  seconds: z.int().nullable(),
  /** Unix seconds. */
  cancelAt: seconds.nullable(),
  firedAt: seconds.nullable(),
  now: seconds,
});

/** Arms, renews or disarms a key's switch. @param after seconds from now; null disarms it */
export function setSwitch(
  db: Tx | pg.Pool,
  { keyId, chainId, productType }: SwitchName,
  after: number | null,
): Promise<z.output<typeof armedSchema>> {
  const statement = sql`
    INSERT INTO app.cancel_after AS c (key_id, chain_id, product_type, seconds, cancel_at)
    VALUES (${keyId}, ${chainId}, ${productType}, ${after}, clock_timestamp() + make_interval(secs => ${after}::int))
    ON CONFLICT (key_id, chain_id, product_type)
      DO UPDATE SET seconds = excluded.seconds, cancel_at = excluded.cancel_at
    RETURNING seconds, floor(extract(epoch FROM cancel_at)) AS cancel_at, floor(extract(epoch FROM fired_at)) AS fired_at,
      floor(extract(epoch FROM clock_timestamp())) AS now`;
  return queryOne(db, statement, armedSchema);
}

/** Returns switches that were due before a time and are not carried out, the earliest first. */
export const readOverdueSwitches = (prisma: PrismaClient, before: Date, max: number) =>
  prisma.cancelAfter.findMany({
    select: { keyId: true, chainId: true, cancelAt: true },
    where: { cancelAt: { lt: before } },
    orderBy: { cancelAt: "asc" },
    take: max,
  });

const dueSchema = z.object({
  keyId: z.string(),
  chainId: z.int(),
  productType: z.string(),
  apiKey: z.string(),
  userAddress: storedHex.nullable(),
  /** True where the key may not send in its scope any more. */
  ended: z.boolean(),
  epoch: z.int().nullable(),
  hasPolicy: z.boolean(),
});

/** A switch whose time has passed. */
export interface DueSwitch extends z.output<typeof dueSchema> {
  /** Null where its key has none. */
  policy: KeyPolicy | null;
}

const parseDue = (row: unknown): DueSwitch => {
  const due = dueSchema.parse(row);
  return { ...due, policy: due.hasPolicy ? policySchema.parse(row) : null };
};

/**
 * Returns switches of a chain's products whose time has passed, the longest first. One whose wallet does not send now, or whose chain is halted, waits: nothing
 * could be sent, and a renewal meanwhile counts.
 */
export function readDueSwitches(
  pool: pg.Pool,
  { chainId, productTypes }: { chainId: number; productTypes: readonly string[] },
  limit: number,
): Promise<DueSwitch[]> {
  const statement = sql`
    SELECT c.key_id, c.chain_id, c.product_type, k.api_key, k.user_address, d.epoch,
      k.revoked_at IS NOT NULL OR NOT EXISTS (SELECT FROM app.api_key_scope s
        WHERE s.key_id = c.key_id AND s.chain_id = c.chain_id AND s.product_type = c.product_type) AS ended,
      p.key_id IS NOT NULL AS has_policy, p.daily_notional_cap, p.allowed_symbols, p.allowed_operations,
      p.expires_at AS expires_at_ms, coalesce(p.killed, false) AS killed
    FROM app.cancel_after c JOIN app.api_key k USING (key_id) LEFT JOIN app.key_policy p USING (key_id)
    LEFT JOIN app.delegation d
      ON d.chain_id = c.chain_id AND d.product_type = c.product_type AND d.user_address = k.user_address
    LEFT JOIN app.delegatee_wallet w ON w.chain_id = d.chain_id AND w.address = d.delegatee
    WHERE c.cancel_at <= clock_timestamp() AND c.chain_id = ${chainId}
      AND c.product_type = ANY(${productTypes}::text[])
      AND NOT EXISTS (SELECT FROM app.sending_halt h WHERE h.chain_id = c.chain_id)
      AND (w.state = 'active' OR w.state IS NULL OR d.blocked OR NOT w.assignable)
    ORDER BY c.cancel_at LIMIT ${limit}`;
  return queryRows(pool, statement, { parse: parseDue });
}

/** Cancels of a switch that is carried out. */
export interface Firing {
  /** The product's OneClickRouter. */
  target: Hex;
  sends: readonly {
    requestId: string;
    orderId: Hex;
    send: Pick<NewSend, "data" | "gasLimit" | "inputHash" | "symbol">;
  }[];
  /** Orders whose cancel is not asked for, and why not for one of them. */
  refused: number;
  cause: ErrCode | null;
}

const firedSchema = z.object({ requested: z.int().nullable() });

/**
 * Carries a switch out, in one statement: writes its cancels and disarms it.
 * @returns the number of requests written; null where it was renewed, disarmed or carried out meanwhile, or its delegation has changed
 */
export async function fireSwitch(
  pool: pg.Pool,
  { keyId, chainId, productType, epoch }: DueSwitch,
  { target, sends, refused, cause }: Firing,
): Promise<number | null> {
  const rows = sends.map(({ requestId, orderId, send: { data, gasLimit, inputHash, symbol } }) => ({
    requestId,
    orderId,
    callData: data,
    gasLimit: gasLimit.toString(),
    inputHash,
    symbol,
  }));
  const statement = sql`
    SELECT app.fire_cancel_after(${keyId}, ${chainId}, ${productType}, ${epoch}::int, ${target}, ${JSON.stringify(rows)}::jsonb,
      ${refused}, ${cause}) AS requested`;
  return (await queryMaybeOne(pool, statement, firedSchema))?.requested ?? null;
}
