import { z } from "zod";
import { address, decimal, hash, oneOf } from "../context/input/fields.ts";
import { listFields, listFilters } from "../context/input/list.ts";
import { OPERATION_STATUSES } from "../protocol/enums.ts";
import { gasLimitShape } from "../sending/gas.ts";

/** The token and the amount of an operation. How many fraction digits the amount may have depends on the token. */
const operationShape = z.object({ tokenAddress: address, tokenAmount: decimal });
export type OperationInput = z.output<typeof operationShape>;

/** Calldata names the wallet that submits. */
export const operationCalldataShape = z.object({ userAddress: address, ...operationShape.shape });
export type OperationCalldataInput = z.output<typeof operationCalldataShape>;

export const operationSendShape = z.object({
  userAddress: address.optional(),
  ...operationShape.shape,
  ...gasLimitShape.shape,
});
export type OperationSendInput = z.output<typeof operationSendShape>;

/** Filters of every list of operations. */
export const operationFilters = {
  status: oneOf(OPERATION_STATUSES).optional(),
  tokenAddress: address.optional(),
  ...listFilters,
};
export type OperationFilter = z.output<z.ZodObject<typeof operationFilters>>;

export const operationListShape = z.object({ ...operationFilters, ...listFields });
export type OperationListInput = z.output<typeof operationListShape>;

export const operationIdShape = z.object({ operationId: hash });
export type OperationIdInput = z.output<typeof operationIdShape>;
