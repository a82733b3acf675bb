import { randomUUID } from "node:crypto";
import { decodeFunctionData, type Hex } from "viem";
import { operationTypeOf } from "../../claims/attribution/kind.ts";
import type { ProductConfig } from "../../config/deployments.ts";
import { oneClickRouterAbi } from "../../contracts/abi/index.ts";
import { multiplyWadUp } from "../../protocol/decimal.ts";
import { type OperationType, SEND_OPERATIONS, type SendOperation } from "../../protocol/enums.ts";
import { decodeExecuteFor, type ExecuteFor } from "../execute-for.ts";
import { CallRefused, readRouterCall, type SignedOrder } from "../sender/router-call.ts";
import type { Trailer } from "../trailer.ts";
import type { MinedTransaction } from "./mined-transactions.ts";

/** A request as its transaction alone describes it. */
export interface Recreated {
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
  /** mUSD wad of an order, as far as its call shows it: a market sale's value is not in it. */
  notional: bigint | null;
  /** Identify its claim; both null where it has none. */
  claimId: string | null;
  operationType: OperationType | null;
  operationKey: string | null;
  trailer: Trailer;
  transaction: MinedTransaction;
}

/** A call with a trailer that names its request, in a product of the deployments file. */
export interface NamedCall extends Omit<ExecuteFor, "trailer"> {
  productType: string;
  trailer: Trailer;
  transaction: MinedTransaction;
}

type Products = readonly Pick<ProductConfig, "productType" | "contracts">[];

/** Returns the call that a transaction makes for a user, with its trailer; null where either is missing. */
export function readNamedCall(transaction: MinedTransaction, products: Products): NamedCall | null {
  const product = products.find(({ contracts }) => contracts.oneClickRouter === transaction.to);
  const call = decodeExecuteFor(transaction.data);
  if (!product || !call?.trailer || transaction.value !== 0n) return null;
  return { ...call, trailer: call.trailer, productType: product.productType, transaction };
}

/**
 * Re-creates a request from its transaction.
 * @param keyId of the API key that its trailer names
 * @returns null where no request makes its call
 */
export function recreate(
  { user, routerCall, productType, trailer, transaction }: NamedCall,
  { chainId, wallet, keyId }: { chainId: number; wallet: Hex; keyId: string },
): Recreated | null {
  const terms = readTerms(routerCall);
  if (!terms || !transaction.to) return null;
  const operationType = operationTypeOf(routerCall);
  return {
    requestId: randomUUID(),
    keyId,
    chainId,
    productType,
    user,
    wallet,
    ...terms,
    to: transaction.to,
    data: transaction.data,
    gasLimit: transaction.gasLimit,
    operationType,
    claimId: operationType && randomUUID(),
    trailer,
    transaction,
  };
}

type Terms = Pick<Recreated, "operation" | "deadline" | "notional" | "operationKey">;

/** Returns the terms of a request that a call of the router shows; null where no operation makes it. */
function readTerms(data: Hex): Terms | null {
  for (const operation of SEND_OPERATIONS) {
    const call = readCallOf(operation, data);
    if (!call) continue;
    const { action, deadline } = call;
    return {
      operation,
      deadline: deadline === null ? null : BigInt(deadline),
      notional: action.kind === "order" ? notionalOf(action) : null,
      operationKey: action.kind === "cancel" ? `cancel:${action.orderId}` : null,
    };
  }
  return null;
}

function readCallOf(operation: SendOperation, data: Hex) {
  try {
    return readRouterCall(operation, data);
  } catch (error) {
    if (error instanceof CallRefused) return null;
    throw error;
  }
}

function notionalOf(order: SignedOrder): bigint | null {
  if (order.side === "Buy") return order.notional;
  return order.price === null ? null : multiplyWadUp(order.quantity, order.price);
}

/** Describes a transaction that belongs to no request, as far as its content shows. */
export function describeUnbound(
  wallet: Hex,
  transaction: MinedTransaction,
  products: Products,
): { reason: string; user: Hex | null } {
  const { to, data, value } = transaction;
  if (to === wallet && data === "0x" && value === 0n) return { reason: "it fills a nonce", user: null };
  const isOurs = products.some(({ contracts }) => contracts.oneClickRouter === to) && value === 0n;
  if (!isOurs) return { reason: "it is none that this service sends", user: null };
  const call = decodeExecuteFor(data);
  if (call) {
    const { user } = call;
    if (!call.trailer) return { reason: "a version without trailers sent it", user };
    return { reason: "its API key, or the server key of its trailer, is not here", user };
  }
  return describeDelegation(data);
}

function describeDelegation(data: Hex): { reason: string; user: Hex | null } {
  try {
    const { functionName, args } = decodeFunctionData({ abi: oneClickRouterAbi, data });
    const user = (args?.[0]?.toString().toLowerCase() ?? null) as Hex | null;
    if (functionName === "delegateBySig") return { reason: "an enable", user };
    if (functionName === "undelegateFor") return { reason: "a disable", user };
  } catch {
    // Not a call of the router.
  }
  return { reason: "it is none that this service sends", user: null };
}
