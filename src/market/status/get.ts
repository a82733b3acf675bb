import type { Caller } from "../../auth/caller.ts";
import type { Chain } from "../../chain/clients.ts";
import type { Deps } from "../../context/deps.ts";
import { withDatabaseErrors } from "../../db/errors.ts";
import { readChainStatuses, readMarketDataStatus } from "./health.ts";
import { readNotices } from "./notice-store.ts";
import { presentNotice } from "./present.ts";

/**
 * GET /status. It answers while parts of the service are down, save the database.
 * @throws ApiError DATABASE_UNAVAILABLE
 */
export async function getStatus(deps: Deps, caller: Caller) {
  const chains = await chainsOf(deps, caller);
  const chainIds = chains.map(({ config }) => config.chainId);
  const [statuses, marketData, notices] = await Promise.all([
    readChainStatuses(deps, chains),
    readMarketDataStatus(deps, caller),
    readNotices(deps.pool, { chainIds, at: new Date(deps.now()) }),
  ]);
  return { chains: statuses, marketData, maintenance: notices.map(presentNotice) };
}

/** Returns the chains of this installation that the key has a scope of, by id. */
async function chainsOf({ prisma, chains }: Deps, { keyId }: Caller): Promise<Chain[]> {
  const scopes = await withDatabaseErrors(() =>
    prisma.apiKeyScope.findMany({
      where: { keyId },
      select: { chainId: true },
      distinct: ["chainId"],
      orderBy: { chainId: "asc" },
    }),
  );
  return scopes.flatMap(({ chainId }) => chains.get(chainId) ?? []);
}
