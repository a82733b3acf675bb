import type { Caller } from "../auth/caller.ts";
import { requireCaller, requireWriter } from "../auth/viewer.ts";
import type { Deps } from "../context/deps.ts";
import type { RequestContext } from "../context/request.ts";
import { ApiError, type ErrCode } from "../protocol/errors.ts";
import type { SendAnswer } from "./send.ts";

/** Refusals of every /send endpoint. */
export const SEND_REFUSALS = [
  "USER_NOT_BOUND",
  "DELEGATION_NOT_ENABLED",
  "IDEMPOTENCY_KEY_REUSED",
  "POLICY_REFUSED",
  "CHAIN_REVERT",
  "OUT_OF_GAS",
] as const satisfies readonly ErrCode[];

/** Refusals of a /send endpoint that pays from the user's wallet or ledger. */
export const FUNDS_REFUSALS = [
  "ALLOWANCE_INSUFFICIENT",
  "BALANCE_INSUFFICIENT",
] as const satisfies readonly ErrCode[];

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Refuses a /send before its input is checked.
 * @throws ApiError USER_NOT_BOUND; VALIDATION_FAILED where the header Idempotency-Key is malformed
 */
export function requireSendable(context: RequestContext): void {
  if (!requireCaller(context).userAddress) throw new ApiError("USER_NOT_BOUND");
  const key = context.idempotencyKey ?? null;
  if (key === null || IDEMPOTENCY_KEY.test(key)) return;
  throw new ApiError("VALIDATION_FAILED", {
    param: "Idempotency-Key",
    message: "Idempotency-Key must be 1 to 255 printable ASCII characters",
  });
}

type SendVerb<I, R> = (deps: Deps, caller: Caller, input: I, idempotencyKey: string | null) => Promise<R>;

/** Resolves by a verb that sends. */
export const asSender =
  <I, R>(verb: SendVerb<I, R>) =>
  (context: RequestContext, input: I): Promise<R> =>
    verb(context.deps, requireWriter(context), input, context.idempotencyKey ?? null);

/** Returns the description of an endpoint that sends, without its route, input and refusals. */
export const sending = <I>(verb: SendVerb<I, SendAnswer>) => ({
  cost: 2,
  before: requireSendable,
  resolve: asSender(verb),
});
