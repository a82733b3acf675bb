import { encodeFunctionData, type LocalAccount, parseUnits } from "viem";
import { stockRouterAbi } from "../../../../../src/contracts/abi/index.ts";
import { PartnerTrading } from "../../../../client/src/index.ts";
import { sendAll } from "../../transact.ts";
import { ControlError } from "../context.ts";
import { type Cause, having, type Scene } from "./scene.ts";

const CALL_GAS = 500_000n;

/**
 * Records the deposit of another user, whose own key then records it, too, and owns it (docs/claims.md). That key is made for this, and
 * revoked.
 */
async function removed(scene: Scene) {
  const { context, key, trading, seen } = scene;
  const other = [...context.wallets.values()].find(
    ({ address }) => address.toLowerCase() !== key.userAddress,
  );
  if (!other) throw new ControlError(409, "there is no other user");
  const txHash = await depositOf(scene, other);
  const { mappingId } = await trading.cash.deposits.record({ txHash });
  await seen(having("mapping.mappingId", mappingId), { type: "operation.completed" });
  const { operator } = context;
  const owner = await operator.makeKey(key.chainId, other.address);
  try {
    await new PartnerTrading({ ...key, ...owner, baseUrl: context.baseUrl }).cash.deposits.record({ txHash });
    return await seen(having("mappingId", mappingId));
  } finally {
    await operator.revokeKey(owner.apiKey);
  }
}

/** Deposits a cash token from a wallet, without a suffix that would attribute it. @returns the transaction's hash */
async function depositOf({ desk }: Scene, wallet: LocalAccount): Promise<string> {
  const { cashTokens, stockRouter } = desk.deployment;
  const [token] = cashTokens;
  if (!token) throw new ControlError(409, "the chain has no cash token");
  const args = [token.address, parseUnits("1", token.decimals)] as const;
  const data = encodeFunctionData({ abi: stockRouterAbi, functionName: "deposit", args });
  const step = { name: `deposit ${token.symbol}`, to: stockRouter, data, gas: CALL_GAS };
  const [receipt] = await sendAll(desk.client, wallet, [step]);
  return receipt?.transactionHash ?? "";
}

export const mappingCauses = { "mapping.removed": removed } satisfies Record<string, Cause>;
