import { viewerOf } from "../auth/viewer.ts";
import { atBlock } from "../context/endpoint.ts";
import { LIST_COST } from "../protocol/costs.ts";
import { getOperation } from "./get.ts";
import {
  type OperationIdInput,
  type OperationListInput,
  operationIdShape,
  operationListShape,
} from "./input.ts";
import type { OperationKind } from "./kinds.ts";
import { listOperations } from "./list.ts";

/** Describes a list of operations, but for its route. */
export const listing = (kind: OperationKind) => ({
  cost: LIST_COST,
  readsRows: true,
  logged: true,
  input: operationListShape,
  resolve: atBlock(viewerOf, (deps, viewer, input: OperationListInput) =>
    listOperations(deps, viewer, kind, input),
  ),
});

/** Describes the detail of an operation, but for its route. */
export const detail = (kind: OperationKind) => ({
  readsRows: true,
  input: operationIdShape,
  refusals: ["OPERATION_NOT_FOUND" as const],
  resolve: atBlock(viewerOf, (deps, viewer, input: OperationIdInput) =>
    getOperation(deps, viewer, kind, input),
  ),
});
