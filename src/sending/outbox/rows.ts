import type { Hex } from "viem";
import type { SendOperation } from "../../protocol/enums.ts";
import type { ErrCode } from "../../protocol/errors.ts";

/** Life of a request to send: docs/sending.md#states. */
export const SEND_STATES = [
  "accepted",
  "signed",
  "broadcast",
  "mined",
  "final",
  "failed",
  "canceled",
] as const;
export type SendState = (typeof SEND_STATES)[number];

/** Why a nonce is filled instead of used: its request ends canceled (deadline) or failed (the others). */
export type FillReason = "DEADLINE_EXPIRED" | "OUT_OF_GAS" | "CHAIN_REVERT";

/** One intent to send, as it is stored (app.send_request). Addresses and hashes are lower case, times Unix ms. */
export interface SendRow {
  requestId: string;
  keyId: string;
  chainId: number;
  productType: string;
  operation: SendOperation;
  user: Hex;
  wallet: Hex;
  to: Hex;
  data: Hex;
  gasLimit: bigint;
  /** Unix seconds. */
  deadline: bigint | null;
  /** mUSD wad, as the api counted it for the daily cap. */
  notional: bigint | null;
  /** Of a request that was re-created from its trailer, the MAC of it. */
  inputHash: string;
  clientOrderId: string | null;
  delegationEpoch: number | null;
  claimId: string | null;
  /** The span that accepted it; null where no trace is recorded. */
  traceparent: string | null;
  state: SendState;
  nonce: bigint | null;
  txHash: Hex | null;
  fillReason: FillReason | null;
  minedBlock: bigint | null;
  minedBlockHash: Hex | null;
  minedSuccess: boolean | null;
  minedFiller: boolean | null;
  outcome: "confirmed" | "reverted" | null;
  errCode: ErrCode | null;
  revert: string | null;
  reason: string | null;
  acceptedAtMs: number;
}

/** A row of app.send_request as `pg` gives it. */
export interface RawSendRow {
  request_id: string;
  key_id: string;
  chain_id: number;
  product_type: string;
  operation: SendOperation;
  user_address: Hex;
  wallet: Hex;
  to_address: Hex;
  call_data: Buffer;
  gas_limit: string;
  deadline: string | null;
  notional: string | null;
  input_hash: string;
  client_order_id: string | null;
  delegation_epoch: number | null;
  claim_id: string | null;
  traceparent: string | null;
  state: SendState;
  nonce: string | null;
  tx_hash: Hex | null;
  fill_reason: FillReason | null;
  mined_block: string | null;
  mined_block_hash: Hex | null;
  mined_success: boolean | null;
  mined_filler: boolean | null;
  outcome: "confirmed" | "reverted" | null;
  err_code: ErrCode | null;
  revert: string | null;
  reason: string | null;
  accepted_at: Date;
}

/** The columns of RawSendRow: those of app.send_request that only the checks before it and policies read are not among them. */
export const SEND_COLUMNS = `request_id, key_id, chain_id, product_type, operation, user_address, wallet, to_address,
  call_data, gas_limit, deadline, notional, input_hash, client_order_id, delegation_epoch, claim_id, traceparent, state, nonce, tx_hash,
  fill_reason, mined_block, mined_block_hash, mined_success, mined_filler, outcome, err_code, revert, reason, accepted_at`;

export function toSendRow(raw: RawSendRow): SendRow {
  return {
    requestId: raw.request_id,
    keyId: raw.key_id,
    chainId: raw.chain_id,
    productType: raw.product_type,
    operation: raw.operation,
    user: raw.user_address,
    wallet: raw.wallet,
    to: raw.to_address,
    data: hexOf(raw.call_data),
    gasLimit: BigInt(raw.gas_limit),
    deadline: bigintOrNull(raw.deadline),
    notional: bigintOrNull(raw.notional),
    inputHash: raw.input_hash,
    clientOrderId: raw.client_order_id,
    delegationEpoch: raw.delegation_epoch,
    claimId: raw.claim_id,
    traceparent: raw.traceparent,
    state: raw.state,
    nonce: bigintOrNull(raw.nonce),
    txHash: raw.tx_hash,
    fillReason: raw.fill_reason,
    minedBlock: bigintOrNull(raw.mined_block),
    minedBlockHash: raw.mined_block_hash,
    minedSuccess: raw.mined_success,
    minedFiller: raw.mined_filler,
    outcome: raw.outcome,
    errCode: raw.err_code,
    revert: raw.revert,
    reason: raw.reason,
    acceptedAtMs: raw.accepted_at.getTime(),
  };
}

export function hexOf(bytes: Buffer): Hex {
  return `0x${bytes.toString("hex")}`;
}

export function bytesOf(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), "hex");
}

function bigintOrNull(text: string | null): bigint | null {
  return text === null ? null : BigInt(text);
}
