import { createHash } from "node:crypto";
import type pg from "pg";
import type { Caller } from "../../auth/caller.ts";
import { trimTrailingZeros } from "../../protocol/decimal.ts";
import { ApiError } from "../../protocol/errors.ts";
import { type RawSendRow, type SendRow, toSendRow } from "./rows.ts";

/** What an Idempotency-Key was claimed for. */
export interface RequestIdentity {
  /** As sent in the header Idempotency-Key, or null. */
  idempotencyKey: string | null;
  /** Of method, path and normalised input: see inputHash. */
  inputHash: string;
}

/** Returns what a repeat must agree in: the method, the path and the input, whatever the order of its fields. */
export function inputHash(method: string, path: string, input: Readonly<Record<string, unknown>>): string {
  return createHash("sha256")
    .update(canonical([method, path, input]))
    .digest("hex");
}

/** Fields in which "1" and "01" are two names. */
const NAMES_OF_CALLERS: ReadonlySet<string> = new Set(["clientOrderId"]);

/** Returns the same input in one form: hex in lower case, decimals without superfluous zeros. */
export function normaliseInput(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(args).map(([name, value]) => [
    name,
    NAMES_OF_CALLERS.has(name) ? value : normaliseValue(value),
  ]);
  return Object.fromEntries(entries);
}

function normaliseValue(value: unknown): unknown {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string") return text;
  if (/^0x[0-9a-f]*$/i.test(text)) return text.toLowerCase();
  if (!/^\d+(\.\d+)?$/.test(text)) return text;
  const [whole = "", fraction = ""] = text.split(".");
  const digits = trimTrailingZeros(fraction);
  return `${whole.replace(/^0+(?=\d)/, "")}${digits && `.${digits}`}`;
}

function canonical(value: unknown): string {
  if (typeof value === "bigint") return `"${value}"`;
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const pairs = Object.entries(value)
      .filter(([, item]) => item !== undefined && item !== null)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`);
    return `{${pairs.join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}

/**
 * Returns the request that an Idempotency-Key stands for, or null where the key is free. Asked before any check, so that a
 * repeat is answered also where the checks would fail by now.
 * @throws ApiError IDEMPOTENCY_KEY_REUSED where it stands for another call
 */
export async function findByIdempotencyKey(
  pool: pg.Pool,
  caller: Caller,
  { idempotencyKey, inputHash: hash }: RequestIdentity,
): Promise<SendRow | null> {
  if (idempotencyKey === null) return null;
  const row = await findOne(
    pool,
    "key_id = $1 AND chain_id = $2 AND product_type = $3 AND idempotency_key = $4",
    [caller.keyId, caller.chainId, caller.productType, idempotencyKey],
  );
  if (row && row.inputHash !== hash) throw new ApiError("IDEMPOTENCY_KEY_REUSED");
  return row;
}

/** Returns the request that holds an operation key, or null. */
export async function findByOperationKey(
  pool: pg.Pool | pg.PoolClient,
  caller: { chainId: number; productType: string },
  operationKey: string | null,
): Promise<SendRow | null> {
  if (operationKey === null) return null;
  return findOne(pool, "chain_id = $1 AND product_type = $2 AND operation_key = $3", [
    caller.chainId,
    caller.productType,
    operationKey,
  ]);
}

export function findById(pool: pg.Pool | pg.PoolClient, requestId: string): Promise<SendRow | null> {
  return findOne(pool, "request_id = $1", [requestId]);
}

async function findOne(
  pool: pg.Pool | pg.PoolClient,
  where: string,
  values: unknown[],
): Promise<SendRow | null> {
  const { rows } = await pool.query<RawSendRow>(`SELECT * FROM app.send_request WHERE ${where}`, values);
  return rows[0] ? toSendRow(rows[0]) : null;
}
