import { getAddress, type Hex } from "viem";
import { z } from "zod";
import type { Mapping } from "../context/schema-types.ts";
import type { TransactionClaim } from "../db/generated/client.ts";
import { ClaimState, type OperationType as StoredType } from "../db/generated/enums.ts";
import {
  MAPPING_SOURCES,
  type MappingStatus,
  OPERATION_TYPES,
  type OperationType,
} from "../protocol/enums.ts";
import { storedHex } from "../protocol/shapes.ts";

/** A claim as `claimColumns` selects it. */
export const claimSchema = z.object({
  claimId: z.string(),
  chainId: z.number(),
  productType: z.string(),
  operationType: z.enum(OPERATION_TYPES),
  txHash: storedHex.nullable(),
  source: z.enum(MAPPING_SOURCES),
  state: z.enum(ClaimState),
  claimUser: storedHex.nullable(),
  clientOrderId: z.string().nullable(),
  /** Unix milliseconds. */
  createdMs: z.coerce.number(),
  updatedMs: z.coerce.number(),
});
export type Claim = z.output<typeof claimSchema>;

/** Returns a kind of claim by the name that Prisma gives it: an identifier holds no dash. */
export const storedTypeOf = (type: OperationType): StoredType => type.replace("-", "_") as StoredType;

/** Returns a claim as Prisma's query API reads it, in the form of claimSchema. */
export function claimOf(row: TransactionClaim): Claim {
  return claimSchema.parse({
    ...row,
    operationType: OPERATION_TYPES.find((type) => storedTypeOf(type) === row.operationType),
    claimUser: row.userAddress,
    createdMs: row.createdAt.getTime(),
    updatedMs: row.updatedAt.getTime(),
  });
}

/** The outcome of a claim: one order or operation of its transaction. */
export interface Outcome {
  /** Counts from 0 the orders, or the operations, of the transaction in log order. */
  ordinal: number;
  userAddress: Hex;
  orderId: Hex | null;
  operationId: Hex | null;
  /** False where it is known from a receipt that the index has not reached yet. */
  indexed: boolean;
}

/** Returns a claim as callers see it (docs/api.md#mapping); `outcome` is null while nothing of the transaction is known. */
export function presentMapping(claim: Claim, outcome: Outcome | null): Mapping {
  const user = outcome?.userAddress ?? claim.claimUser;
  return {
    mappingId: mappingIdOf(claim.claimId, outcome?.ordinal ?? 0),
    chainId: claim.chainId,
    productType: claim.productType,
    operationType: claim.operationType,
    txHash: claim.txHash,
    userAddress: user && getAddress(user),
    orderId: outcome?.orderId ?? null,
    operationId: outcome?.operationId ?? null,
    clientOrderId: claim.clientOrderId,
    mappingStatus: mappingStatusOf(claim.state, outcome?.indexed ?? false),
    source: claim.source,
    createdAt: toSeconds(claim.createdMs),
  };
}

/** Returns the id of the mapping to the order or operation with this ordinal in the claim's transaction. */
export const mappingIdOf = (claimId: string, ordinal: number): string =>
  ordinal === 0 ? claimId : `${claimId}.${ordinal}`;

/** Returns the status of a mapping. The index comes first: a claim is only asked where the index has nothing. */
export function mappingStatusOf(state: Claim["state"], indexed: boolean): MappingStatus {
  if (indexed) return "indexed";
  return state === "reverted" ? "reverted" : "pending";
}

export const toSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);
