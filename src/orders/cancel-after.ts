import { z } from "zod";
import type { Caller } from "../auth/caller.ts";
import type { Deps } from "../context/deps.ts";
import { integer } from "../context/input/fields.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import { inTransaction } from "../db/transaction.ts";
import { ApiError } from "../protocol/errors.ts";
import { setSwitch } from "../sending/outbox/cancel-after-store.ts";
import { enforcePolicy } from "../sending/outbox/policy.ts";
import { requireDelegation } from "../sending/outbox/submit.ts";

/** Bounds of the time, seconds: less than a few blocks could pass between two renewals. */
const SECONDS_MIN = 5;
const SECONDS_MAX = 86_400;

export const cancelAfterShape = z
  .object({
    seconds: integer
      .refine(
        (value) => value >= SECONDS_MIN && value <= SECONDS_MAX,
        `must be from ${SECONDS_MIN} to ${SECONDS_MAX} seconds, or null`,
      )
      .meta({ minimum: SECONDS_MIN, maximum: SECONDS_MAX, example: 60 })
      .nullable()
      .optional()
      .meta({ maxLength: 31, example: 60 }),
  })
  .meta({ required: ["seconds"] });
export type CancelAfterInput = z.output<typeof cancelAfterShape>;

/**
 * POST /orders/cancel-after: arms, renews or disarms the switch that cancels the key's open limit orders (docs/sending.md#cancel-after).
 * No node is asked, so that a renewal does not fail with one.
 * @throws ApiError USER_NOT_BOUND, DELEGATION_NOT_ENABLED, POLICY_REFUSED: a switch that could send nothing is not armed
 */
export async function setCancelAfter(
  deps: Pick<Deps, "pool" | "now">,
  caller: Caller,
  input: CancelAfterInput,
) {
  const seconds = input.seconds ?? null;
  const { keyId, chainId, productType, userAddress: user } = caller;
  if (!user) throw new ApiError("USER_NOT_BOUND");
  return withDatabaseErrors(() =>
    inTransaction(deps.pool, async (tx) => {
      if (seconds !== null) {
        await requireDelegation(tx, keyId, { chainId, productType, user });
        const cancel = { keyId, operation: "orders/cancel", symbol: null, notional: null };
        await enforcePolicy(tx, cancel, deps.now());
      }
      return setSwitch(tx, caller, seconds);
    }),
  );
}
