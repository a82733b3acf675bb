import type { Hex } from "viem";
import { z } from "zod";
import { address, hash, oneOf, parseInput } from "../input/fields.ts";
import { listFields } from "../input/list.ts";
import { OPERATION_STATUSES } from "../protocol/enums.ts";

const listShape = z.object({
  status: oneOf(OPERATION_STATUSES).optional(),
  tokenAddress: address.optional(),
  ...listFields,
});
export type OperationListInput = z.output<typeof listShape>;

/** @throws ApiError VALIDATION_FAILED */
export const parseOperationList = (args: Record<string, unknown>): OperationListInput =>
  parseInput(listShape, args);

const idShape = z.object({ operationId: hash });

/** @throws ApiError VALIDATION_FAILED */
export const parseOperationId = (args: Record<string, unknown>): Hex => parseInput(idShape, args).operationId;
