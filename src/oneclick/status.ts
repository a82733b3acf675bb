import { getAddress, type Hex } from "viem";
import { z } from "zod";
import type { Caller } from "../auth/caller.ts";
import type { Deps } from "../context/deps.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import type { DelegationStatus } from "../protocol/enums.ts";
import { enablesOf, readDelegation } from "../sending/delegation/bound-user.ts";
import type { UserScope } from "../sending/delegation/store.ts";
import { requireBound } from "./bound-user.ts";

const lastSchema = z.object({
  operation: z.string(),
  state: z.string(),
  tx_hash: z.string().nullable(),
});

/**
 * GET /1ct/status, from the chain's latest block and from what is under way here. `enable`: this key may send; `pending`:
 * an enable of this key is on its way.
 * @throws ApiError USER_NOT_BOUND, OPERATOR_UNAVAILABLE, RPC_UNAVAILABLE
 */
export async function readStatus(deps: Deps, caller: Caller) {
  const { user, scope, row, chain, product } = await requireBound(deps, caller);
  const [onChain, last] = await Promise.all([
    readDelegation(chain, product, user),
    readLastChange(deps, caller, scope),
  ]);
  const enabling =
    last?.operation === "1ct/enable" && ["accepted", "signed", "broadcast"].includes(last.state);
  const enables = await enablesOf(deps, caller, user, { row, onChain });
  const status: DelegationStatus = enables.length > 0 ? "enable" : enabling ? "pending" : "disabled";
  return {
    status,
    delegatee: getAddress(row.delegatee),
    userAddress: getAddress(user),
    nonce: Number(onChain.nonce),
    txHash: last?.tx_hash ?? null,
  };
}

/** Returns the key's last enable or the user's last disable by any key, whichever came later. */
async function readLastChange(deps: Deps, { keyId }: Caller, { chainId, productType, user }: UserScope) {
  const { rows } = await withDatabaseErrors(() =>
    deps.pool.query<Record<string, unknown>>(
      `SELECT operation, state, tx_hash FROM app.send_request
       WHERE chain_id = $1 AND product_type = $2 AND user_address = $3
         AND (operation = '1ct/disable' OR (operation = '1ct/enable' AND key_id = $4))
       ORDER BY sequence DESC LIMIT 1`,
      [chainId, productType, user satisfies Hex, keyId],
    ),
  );
  return rows[0] ? lastSchema.parse(rows[0]) : null;
}
