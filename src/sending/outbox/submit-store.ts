import type { Hex } from "viem";
import { CHANNELS } from "../../db/notifications.ts";
import type { OperationType } from "../../protocol/enums.ts";
import { bytesOf, type RawSendRow, type SendRow, toSendRow } from "./rows.ts";
import type { Tx } from "./transaction.ts";

/** The statements that write a request, each within the transaction that decides whether it may be. */

/** A request as it is written: columns of SendRow, and those that only the checks before it and policies read. */
interface RequestInput
  extends Pick<
    SendRow,
    | "requestId"
    | "keyId"
    | "chainId"
    | "productType"
    | "operation"
    | "user"
    | "wallet"
    | "to"
    | "data"
    | "gasLimit"
    | "deadline"
    | "inputHash"
    | "clientOrderId"
    | "claimId"
  > {
  /** mUSD wad. */
  notional: bigint | null;
  symbol: string | null;
  idempotencyKey: string | null;
  operationKey: string | null;
  delegationEpoch?: number | null;
}

// No conflict target: an Idempotency-Key, a clientOrderId or an operation key may be taken, and so may the request's
// own id after a commit of unknown outcome. Which one it was is read afterwards, from committed rows.
const INSERT = `
  INSERT INTO app.send_request (request_id, key_id, chain_id, product_type, operation, user_address, wallet, to_address,
    call_data, gas_limit, deadline, notional, symbol, idempotency_key, input_hash, client_order_id, operation_key,
    delegation_epoch, claim_id)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
  ON CONFLICT DO NOTHING RETURNING *`;

const INSERT_CLAIM = `
  INSERT INTO app.transaction_claim (claim_id, key_id, chain_id, product_type, operation_type, source, user_address,
    client_order_id)
  VALUES ($1, $2, $3, $4, $5::app.operation_type, 'send', $6, $7)`;

/** Writes a request; null where another one has its id, its Idempotency-Key, clientOrderId or operation key. */
export async function insertRequest(tx: Tx, request: RequestInput): Promise<SendRow | null> {
  const { rows } = await tx.query<RawSendRow>(INSERT, [
    request.requestId,
    request.keyId,
    request.chainId,
    request.productType,
    request.operation,
    request.user,
    request.wallet,
    request.to,
    bytesOf(request.data),
    request.gasLimit.toString(),
    request.deadline?.toString() ?? null,
    request.notional?.toString() ?? null,
    request.symbol,
    request.idempotencyKey,
    request.inputHash,
    request.clientOrderId,
    request.operationKey,
    request.delegationEpoch ?? null,
    request.claimId,
  ]);
  return rows[0] ? toSendRow(rows[0]) : null;
}

interface ClaimInput
  extends Pick<RequestInput, "keyId" | "chainId" | "productType" | "user" | "clientOrderId"> {
  claimId: string;
  operationType: OperationType | null;
}

/** Writes the claim of a request: the mapping that its key is shown. */
export async function insertClaim(tx: Tx, claim: ClaimInput): Promise<void> {
  await tx.query(INSERT_CLAIM, [
    claim.claimId,
    claim.keyId,
    claim.chainId,
    claim.productType,
    claim.operationType,
    claim.user,
    claim.clientOrderId,
  ]);
}

/** Returns the notification key of a wallet's worker. */
export function workKey(chainId: number, wallet: Hex): string {
  return `${chainId}:${wallet}`;
}

/** Notifies the worker that drives the wallet. Delivered at COMMIT. */
export async function notifyWork(tx: Tx, chainId: number, wallet: Hex): Promise<void> {
  await tx.query("SELECT pg_notify($1, $2)", [CHANNELS.work, workKey(chainId, wallet)]);
}

/** Returns the state of a wallet; null where the chain has no such wallet. */
export async function readWalletState(tx: Tx, chainId: number, wallet: Hex): Promise<string | null> {
  const { rows } = await tx.query<{ state: string }>(
    "SELECT state FROM app.delegatee_wallet WHERE chain_id = $1 AND address = $2",
    [chainId, wallet],
  );
  return rows[0]?.state ?? null;
}

/** Counts the requests of a key that wait on a wallet, up to a limit. */
export async function countWaiting(
  tx: Tx,
  { keyId, chainId, wallet }: { keyId: string; chainId: number; wallet: Hex },
  limit: number,
): Promise<number> {
  const { rowCount } = await tx.query(
    `SELECT 1 FROM app.send_request WHERE chain_id = $1 AND wallet = $2 AND key_id = $3 AND state = 'accepted' LIMIT $4`,
    [chainId, wallet, keyId, limit],
  );
  return rowCount ?? 0;
}
