import { getAddress } from "viem";
import type { Deps } from "../context/deps.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import { decimalAmount, readAtIndexedBlock } from "../db/index-snapshot.ts";
import { parseUser } from "./input.ts";

/**
 * GraphQL `Dashboard.delegations`: the delegations of a user, by chain and product. Each is as the index has it; the wallet and the
 * block of `/send` are of the service itself.
 * @throws ApiError VALIDATION_FAILED, INDEXER_BEHIND, DATABASE_UNAVAILABLE
 */
export async function listDelegations({ prisma, deployments }: Deps, args: Record<string, unknown>) {
  const userAddress = parseUser(args);
  const where = { userAddress };
  const [locks, ...onChain] = await Promise.all([
    withDatabaseErrors(() => prisma.delegationLock.findMany({ where })),
    ...deployments.chains.map(({ chainId }) =>
      readAtIndexedBlock(prisma, chainId, (index) =>
        index.delegation.findMany({ where: { ...where, chainId } }),
      ),
    ),
  ]);
  const delegations = onChain.flatMap(({ data }) => data);
  return deployments.chains.flatMap(({ chainId, products }) =>
    products.flatMap(({ productType }) => {
      const isOfProduct = (row: { chainId: number; productType: string }) =>
        row.chainId === chainId && row.productType === productType;
      const lock = locks.find(isOfProduct);
      const delegation = delegations.find(isOfProduct);
      if (!lock && !delegation) return [];
      const delegatee = delegation?.delegatee ?? null;
      return {
        chainId,
        productType,
        state: stateOf(delegatee, lock),
        delegatee: delegatee && getAddress(delegatee),
        wallet: lock ? getAddress(lock.delegatee) : null,
        txHash: delegation?.txHash ?? null,
        updatedAt: delegation ? Number(decimalAmount.parse(delegation.updatedAt)) : null,
      };
    }),
  );
}

function stateOf(delegatee: string | null, lock: { delegatee: string; blocked: boolean } | undefined) {
  if (delegatee === null) return "ended";
  if (delegatee !== lock?.delegatee) return "elsewhere";
  return lock.blocked ? "blocked" : "active";
}
