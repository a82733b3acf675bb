import type { Hex } from "viem";
import type { Caller } from "../auth/caller.ts";
import type { RouterCall } from "../calldata/calldata.ts";
import { resolveScope } from "../chain/clients.ts";
import { estimate } from "../chain/simulate.ts";
import { sendingOf } from "../config/deployments.ts";
import type { Deps } from "../context/deps.ts";
import type { SendOperation } from "../protocol/enums.ts";
import { ApiError } from "../protocol/errors.ts";
import { requireEnabled, requireUnblocked } from "./delegation/bound-user.ts";
import { encodeExecuteFor } from "./execute-for.ts";
import { gasLimitFor } from "./gas.ts";
import type { NewSend } from "./outbox/submit.ts";
import { buildTrailer } from "./trailer.ts";

/** One of several calls to send together, each a request of its own. */
export interface PlannedSend {
  operation: SendOperation;
  /** See SendCall: it alone identifies a repeat. */
  operationKey: string;
  inputHash: string;
  call: RouterCall;
  symbol: string | null;
}

/** Simulates a call. @returns it as it is written, or why it is not sent */
export type PrepareSend = (planned: PlannedSend) => Promise<NewSend | ApiError>;

/** Idempotency-Key of several calls together, and the hash of their common input. */
export interface BatchName {
  idempotencyKey: string;
  inputHash: string;
}

/**
 * Requires that a key may send for its user, and returns what prepares each of its calls. Calls pay nothing from wallet or ledger. Nodes
 * are asked together for those that are prepared at once.
 * @param batch name of the calls together, which the trailer of each has
 * @throws ApiError DELEGATION_NOT_ENABLED, RPC_UNAVAILABLE, DATABASE_UNAVAILABLE
 */
export async function createPreparer(
  deps: Deps,
  caller: Caller,
  user: Hex,
  batch: BatchName | null = null,
): Promise<PrepareSend> {
  const { chain, product } = resolveScope(deps, caller);
  const delegation = await requireUnblocked(deps, caller, user);
  await requireEnabled(deps, caller, { chain, product, user }, delegation);
  const { gasLimitMax, queuedMax } = sendingOf(chain.config);
  const to = product.contracts.oneClickRouter;
  const wallet = delegation.delegatee;
  const prepare = async ({ call, ...plan }: PlannedSend): Promise<NewSend> => {
    const names = { idempotencyKey: null, clientOrderId: null, inputHash: plan.inputHash };
    const trailer = buildTrailer(deps.attributionKeys, caller, { ...names, ...batch });
    const data = encodeExecuteFor(user, call.callData, trailer);
    const gas = await estimate(chain, { from: wallet, to, data });
    return {
      ...names,
      ...plan,
      wallet,
      user,
      to,
      data,
      gasLimit: gasLimitFor({ data, asked: null, estimate: gas, cap: gasLimitMax }),
      deadline: null,
      operationType: null,
      notional: null,
      needsDelegation: true,
      queuedMax,
    };
  };
  return (planned) => prepare(planned).catch(refusalOf);
}

/** Returns a refusal as a value. @throws what is none */
export function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}
