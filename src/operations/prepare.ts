import { encodeFunctionData, getAbiItem, getAddress, type Hex } from "viem";
import type { Viewer } from "../auth/viewer.ts";
import { type RouterCall, routerCall } from "../calldata/calldata.ts";
import type { Requirement } from "../calldata/preflight.ts";
import { ledgerRequirement, walletRequirements } from "../calldata/requirements.ts";
import { type Chain, resolveScope } from "../chain/clients.ts";
import type { Deps } from "../context/deps.ts";
import { readTerms } from "../context/terms.ts";
import { stockRouterAbi as abi } from "../contracts/abi/index.ts";
import type { IndexedBlock } from "../db/checkpoint.ts";
import { OPERATIONS, type OperationKind } from "../protocol/operations.ts";
import { type Amount, readAmount } from "./amounts.ts";
import type { OperationInput } from "./input.ts";

/** An operation that passed every rule which needs no wallet: the same for calldata and for send. */
interface PreparedOperation extends Pick<Amount, "forecast" | "notional" | "symbol"> {
  block: IndexedBlock;
  chain: Chain;
  call: RouterCall;
  /** Returns what it needs of a user, at the latest block. */
  requirementsOf(user: Hex): Promise<Requirement[]>;
}

/** Prepares an operation. @throws ApiError as readAmount; INDEXER_BEHIND */
export async function prepareOperation(
  deps: Deps,
  viewer: Viewer,
  kind: OperationKind,
  input: OperationInput,
): Promise<PreparedOperation> {
  const { chain, product } = resolveScope(deps, viewer);
  const { block, data: terms } = await readTerms(deps.prisma, viewer);
  const { amount, decimals, ...consequences } = readAmount(kind, terms, input);
  const { asset, isDeposit } = OPERATIONS[kind];
  const { tokenAddress: token } = input;
  const spender = product.contracts.stockRouter;
  return {
    ...consequences,
    block,
    chain,
    call: encodeOperation(kind, spender, token, amount),
    requirementsOf: async (user) =>
      isDeposit
        ? walletRequirements({ chain, user, spender, token, decimals }, amount)
        : [await ledgerRequirement({ chain, product, user }, asset === "stock" ? token : null, amount)],
  };
}

/** Encodes an operation for the router. @param amount see Amount */
export function encodeOperation(kind: OperationKind, router: Hex, token: Hex, amount: bigint): RouterCall {
  const { routerFunction } = OPERATIONS[kind];
  const callData = encodeFunctionData({ abi, functionName: routerFunction, args: [token, amount] });
  const [tokenInput, amountInput] = getAbiItem({ abi, name: routerFunction }).inputs;
  const args = { [tokenInput.name]: getAddress(token), [amountInput.name]: `${amount}` };
  return routerCall(router, routerFunction, callData, args);
}
