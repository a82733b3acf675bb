import { decodeFunctionData, encodeFunctionData, type Hex } from "viem";
import { oneClickRouterAbi } from "../../contracts/abi/index.ts";
import { decodeExecuteFor } from "../execute-for.ts";
import type { SendRow } from "../outbox/rows.ts";
import { CallRefused, decodeExactly, lower, type RouterAction, readRouterCall } from "./router-call.ts";

/**
 * Decides on signing a call (docs/sending.md#what-is-signed). Another program wrote the request's row, so its call is decoded,
 * compared with the rest of the row and this worker's own deployments file, encoded again and compared byte by byte.
 */

/** Bounds that the deployments file sets on a chain. */
export interface CallRules {
  /** OneClickRouter of each product, lower case. */
  routers: ReadonlyMap<string, Hex>;
  gasLimitMax: bigint;
}

/** Columns of a request that its call must agree with. */
type VerifiableRequest = Pick<
  SendRow,
  "operation" | "productType" | "user" | "wallet" | "to" | "data" | "gasLimit" | "deadline" | "notional"
>;

/** Effect of a call that may be signed. */
export type SignedAction = { kind: "enable" | "disable" } | RouterAction;

/** A request whose call was verified. Nothing else is signed. */
export type Verified<R> = R & { readonly action: SignedAction };

/**
 * Returns a request with the effect of its call.
 * @param wallet the signing one
 * @throws CallRefused where target, function, user, product, amount, deadline, gas or any other byte is not what the row's
 * operation sends
 */
export function verifyCall<R extends VerifiableRequest>(
  request: R,
  wallet: Hex,
  { routers, gasLimitMax }: CallRules,
): Verified<R> {
  const { productType, to, gasLimit } = request;
  const router = routers.get(productType);
  if (!router) throw new CallRefused(`the product ${productType} is not in the deployments file`);
  if (to !== router) throw new CallRefused(`its target ${to} is not the product's OneClickRouter`);
  if (request.wallet !== wallet) throw new CallRefused("it is for another wallet");
  if (gasLimit > gasLimitMax) throw new CallRefused(`its gas limit ${gasLimit} is above ${gasLimitMax}`);
  return { ...request, action: readAction(request) };
}

function readAction(request: VerifiableRequest): SignedAction {
  const { operation, user, wallet, deadline, notional } = request;
  const { functionName, args } = decode(request.data);
  if (functionName === "undelegateFor" && operation === "1ct/disable") {
    requireSame("user", lower(args[0]), user);
    return { kind: "disable" };
  }
  if (functionName === "delegateBySig" && operation === "1ct/enable") {
    requireSame("user", lower(args[0]), user);
    requireSame("delegatee", lower(args[1]), wallet);
    requireSame("deadline", BigInt(args[3]), deadline);
    return { kind: "enable" };
  }
  if (functionName === "executeFor" && !operation.startsWith("1ct/")) {
    requireSame("user", lower(args[0]), user);
    const sent = readRouterCall(operation, args[1]);
    requireSame("deadline", sent.deadline === null ? null : BigInt(sent.deadline), deadline);
    requireCounted(sent.action, notional);
    return sent.action;
  }
  throw new CallRefused(`${functionName} is no call of ${operation}`);
}

/** Allows more bytes only behind the arguments of `executeFor`: one whole trailer, or none in a request that 0.1.0 accepted. */
function decode(data: Hex) {
  const executed = decodeExecuteFor(data);
  if (executed) return { functionName: "executeFor", args: [executed.user, executed.routerCall] } as const;
  const abi = oneClickRouterAbi;
  return decodeExactly(
    data,
    () => decodeFunctionData({ abi, data }),
    (decoded) => encodeFunctionData({ abi, ...decoded }),
  );
}

/** Requires that a buy counts with its cost; with a deposit, the deposit's fee counts as well. */
function requireCounted(action: RouterAction, stored: bigint | null): void {
  if (action.kind !== "order" || action.side !== "Buy") return;
  const { notional, paidIn } = action;
  if (paidIn !== null && stored !== null && stored >= notional) return;
  requireSame("notional", notional, stored);
}

function requireSame<T>(what: string, called: T, stored: T): void {
  if (called !== stored)
    throw new CallRefused(`its ${what} is ${called} in the call and ${stored} in the row`);
}
