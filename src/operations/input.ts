import { z } from "zod";
import { address, hash, oneOf } from "../input/fields.ts";
import { listFields, listFilters } from "../input/list.ts";
import { OPERATION_STATUSES } from "../protocol/enums.ts";

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
