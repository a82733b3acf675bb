import type { Hex } from "viem";
import { z } from "zod";
import { raw, type Sql } from "../../db/sql.ts";
import type { SendOperation } from "../../protocol/enums.ts";
import type { ErrCode } from "../../protocol/errors.ts";
import { storedAmount, storedHex } from "../../protocol/shapes.ts";

/**
 * States of a request to send: docs/sending.md#states. A reserved one has a nonce and no signature. Its row is "signed" with fees that
 * are reserved, as the version before can read it.
 */
export const SEND_STATES = [
  "accepted",
  "reserved",
  "signed",
  "broadcast",
  "mined",
  "final",
  "failed",
  "canceled",
] as const;
export type SendState = (typeof SEND_STATES)[number];

/** Reasons to fill a nonce instead of using it, and the error code of the request that had it. */
export type FillReason = Extract<
  ErrCode,
  | "DEADLINE_EXPIRED"
  | "OUT_OF_GAS"
  | "CHAIN_REVERT"
  | "DELEGATION_NOT_ENABLED"
  | "POLICY_REFUSED"
  | "INTERNAL"
>;

/** Bytes, as hex. */
export const storedBytes = z.instanceof(Buffer).transform(hexOf);

/** A time, as Unix milliseconds. */
export const storedMs = z.date().transform((time) => time.getTime());

/**
 * A request to send, as stored (app.send_request). Addresses and hashes are lower case. Names of operations, error codes and
 * reasons are not checked: the next version may have written others.
 */
export const sendSchema = z.object({
  requestId: z.string(),
  keyId: z.string(),
  chainId: z.int(),
  productType: z.string(),
  operation: z.custom<SendOperation>(),
  user: storedHex,
  wallet: storedHex,
  to: storedHex,
  data: storedBytes,
  gasLimit: z.coerce.bigint(),
  /** Unix seconds. */
  deadline: z.coerce.bigint().nullable(),
  /** mUSD wad, as the api counted it for the daily cap. */
  notional: storedAmount.nullable(),
  /** The MAC of it where the request was re-created from its trailer. */
  inputHash: z.string(),
  clientOrderId: z.string().nullable(),
  delegationEpoch: z.int().nullable(),
  claimId: z.string().nullable(),
  /** Span that accepted it; null where no trace is recorded. */
  traceparent: z.string().nullable(),
  state: z.enum(SEND_STATES),
  nonce: z.coerce.bigint().nullable(),
  /** Fees of the call while its nonce is reserved, wei per gas. */
  reservedMaxFee: storedAmount.nullable(),
  reservedTip: storedAmount.nullable(),
  txHash: storedHex.nullable(),
  fillReason: z.custom<FillReason>().nullable(),
  minedBlock: z.coerce.bigint().nullable(),
  minedBlockHash: storedHex.nullable(),
  minedSuccess: z.boolean().nullable(),
  minedFiller: z.boolean().nullable(),
  outcome: z.enum(["confirmed", "reverted"]).nullable(),
  errCode: z.custom<ErrCode>().nullable(),
  revert: z.string().nullable(),
  reason: z.string().nullable(),
  acceptedAtMs: storedMs,
});

export type SendRow = z.output<typeof sendSchema>;

const COLUMNS = [
  "request_id",
  "key_id",
  "chain_id",
  "product_type",
  "operation",
  'user_address AS "user"',
  "wallet",
  'to_address AS "to"',
  "call_data AS data",
  "gas_limit",
  "deadline",
  "notional",
  "input_hash",
  "client_order_id",
  "delegation_epoch",
  "claim_id",
  "traceparent",
  "nonce",
  "reserved_max_fee",
  "reserved_tip",
  "tx_hash",
  "fill_reason",
  "mined_block",
  "mined_block_hash",
  "mined_success",
  "mined_filler",
  "outcome",
  "err_code",
  "revert",
  "reason",
  "accepted_at AS accepted_at_ms",
];

/**
 * Returns the columns of sendSchema: all of app.send_request but those that only policies and the checks before it read.
 * @param table the table's name or alias in the statement
 */
export const sendColumns = (table = "send_request"): Sql =>
  raw([`${stateOf(table)} AS state`, ...COLUMNS.map((column) => `${table}.${column}`)].join(", "));

/**
 * Returns the SQL of a request's state (SendState).
 * @param table the table's name or alias in the statement
 */
export const stateOf = (table: string): string =>
  `CASE WHEN ${isReserved(table)} THEN 'reserved' ELSE ${table}.state END`;

/** Returns the SQL condition that a request's nonce is reserved and not signed. */
export const isReserved = (table: string): string =>
  `(${table}.state = 'signed' AND ${table}.reserved_max_fee IS NOT NULL)`;

/**
 * Returns the SQL of the lowest nonce of a request's wallet that has waited for its signature for 10 seconds; NULL without one.
 * @param table the request's table or alias in the statement
 */
export const unsignedNonceOf = (table: string): string => `
  (SELECT min(q.nonce)::text FROM app.send_request q WHERE q.chain_id = ${table}.chain_id AND q.wallet = ${table}.wallet
    AND ${isReserved("q")} AND q.signed_at < now() - interval '10 seconds')`;

function hexOf(bytes: Buffer): Hex {
  return `0x${bytes.toString("hex")}`;
}

export function bytesOf(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), "hex");
}
