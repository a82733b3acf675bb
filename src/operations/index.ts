import { requireCaller, viewerOf } from "../auth/viewer.ts";
import { AMOUNT_REFUSALS } from "../calldata/calldata.ts";
import { recording } from "../claims/record.ts";
import { atBlock, type Endpoint, endpointsOf } from "../context/endpoint.ts";
import { LISTED_AHEAD } from "../context/input/list.ts";
import { LIST_COST } from "../protocol/costs.ts";
import { OPERATION_KINDS, OPERATIONS, type OperationKind } from "../protocol/operations.ts";
import { FUNDS_REFUSALS, SEND_REFUSALS, sending } from "../sending/endpoint.ts";
import { operationCalldata } from "./calldata.ts";
import { examplesOf } from "./examples.ts";
import { getOperation } from "./get.ts";
import {
  type OperationCalldataInput,
  type OperationIdInput,
  type OperationListInput,
  type OperationSendInput,
  operationCalldataShape,
  operationIdShape,
  operationListShape,
  operationSendShape,
} from "./input.ts";
import { listOperations } from "./list.ts";
import { sendOperation } from "./send.ts";

/** Operations are grouped by what they move. */
const BY_ASSET = {
  cash: endpointsOf({
    name: "Cash",
    description: "Deposits and withdrawals of cash tokens against mUSD, instant or queued.",
  }),
  stock: endpointsOf({
    name: "Stock",
    description: "Moving stock tokens between wallet and exchange.",
  }),
};

const REFUSED_SENDS = [...AMOUNT_REFUSALS, ...SEND_REFUSALS, ...FUNDS_REFUSALS] as const;

/** Returns the endpoints of a kind of operation, from its description. */
function endpointsOfKind(kind: OperationKind): Endpoint[] {
  const { asset, path, field, recordField, isDeposit } = OPERATIONS[kind];
  const noun = `${asset} ${isDeposit ? "deposit" : "withdrawal"}`;
  const endpoint = BY_ASSET[asset];
  const examples = examplesOf(kind);
  return [
    endpoint({
      method: "POST",
      path: `/${path}/calldata`,
      field: `Mutation.${field}Calldata`,
      title: `Encode a ${noun}`,
      cost: 2,
      input: operationCalldataShape,
      refusals: AMOUNT_REFUSALS,
      examples: examples.calldata,
      resolve: atBlock(requireCaller, (deps, caller, input: OperationCalldataInput) =>
        operationCalldata(deps, caller, kind, input),
      ),
    }),
    endpoint({
      method: "POST",
      path: `/${path}/send`,
      field: `Mutation.${field}Send`,
      title: `${isDeposit ? "Deposit" : "Withdraw"} ${asset}`,
      input: operationSendShape,
      refusals: REFUSED_SENDS,
      examples: examples.send,
      ...sending((deps, caller, input: OperationSendInput, idempotencyKey) =>
        sendOperation(deps, caller, kind, input, idempotencyKey),
      ),
    }),
    endpoint({
      method: "POST",
      path: `/${path}/tx`,
      field: `Mutation.${recordField}`,
      title: `Record a ${noun}`,
      examples: examples.record,
      ...recording(kind),
    }),
    endpoint({
      method: "GET",
      path: `/${path}`,
      field: `Query.${field}s`,
      title: `List ${noun}s`,
      cost: LIST_COST,
      readsAhead: LISTED_AHEAD,
      readsRows: true,
      logged: true,
      input: operationListShape,
      examples: examples.list,
      resolve: atBlock(viewerOf, (deps, viewer, input: OperationListInput) =>
        listOperations(deps, viewer, kind, input),
      ),
    }),
    endpoint({
      method: "GET",
      path: `/${path}/:operationId`,
      field: `Query.${field}`,
      title: `Get a ${noun}`,
      readsAhead: [],
      readsRows: true,
      input: operationIdShape,
      refusals: ["OPERATION_NOT_FOUND"],
      examples: examples.get,
      resolve: atBlock(viewerOf, (deps, viewer, input: OperationIdInput) =>
        getOperation(deps, viewer, kind, input),
      ),
    }),
  ];
}

export const endpoints = OPERATION_KINDS.flatMap(endpointsOfKind);
