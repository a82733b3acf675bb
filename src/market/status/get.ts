import type { Caller } from "../../auth/caller.ts";
import { answerWithin } from "../../chain/answer-within.ts";
import type { Chain } from "../../chain/clients.ts";
import type { Deps } from "../../context/deps.ts";
import { readTerms } from "../../context/terms.ts";
import type { IndexedBlock } from "../../db/checkpoint.ts";
import { readCheckpoints } from "../../db/checkpoint-watch.ts";
import { whereIndexed, withDatabaseErrors } from "../../db/errors.ts";
import type { Health } from "../../protocol/enums.ts";
import { ApiError } from "../../protocol/errors.ts";
import { readHalts } from "../../sending/halt-store.ts";
import { readNotices } from "./notice-store.ts";
import { presentNotice } from "./present.ts";

/** Age of the indexed block from which it is behind, where the chain has newer ones, seconds: that of readiness. */
const BEHIND_SECONDS = 60;
/** A node that does not answer by then does not keep the answer, milliseconds. */
const NODE_WAIT_MS = 2_000;

const NOTHING: ReadonlyMap<number, IndexedBlock> = new Map();

/**
 * GET /status. It answers while parts of the service are down, save the database.
 * @throws ApiError DATABASE_UNAVAILABLE
 */
export async function getStatus(deps: Deps, caller: Caller) {
  const chains = await chainsOf(deps, caller);
  const chainIds = chains.map(({ config }) => config.chainId);
  const [blocks, heads, halts, marketData, notices] = await Promise.all([
    whereIndexed(() => readCheckpoints(deps.pool), NOTHING),
    Promise.all(chains.map(({ client }) => answerWithin(client.getBlockNumber(), NODE_WAIT_MS))),
    readHalts(deps.pool),
    marketDataOf(deps, caller),
    readNotices(deps.pool, { chainIds, at: new Date(deps.now()) }),
  ]);
  const halted = new Set(halts.map(({ chainId }) => chainId));
  return {
    chains: chainIds.map((chainId, index) => ({
      ...chainStatus(blocks.get(chainId) ?? null, heads[index] ?? null, deps.now()),
      chainId,
      sendingHalted: halted.has(chainId),
    })),
    marketData,
    maintenance: notices.map(presentNotice),
  };
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

function chainStatus(block: IndexedBlock | null, headBlock: bigint | null, nowMs: number) {
  const ageSeconds = block && Math.max(0, Math.floor(nowMs / 1000) - Number(block.timestamp));
  return {
    health: healthOf(block, headBlock, ageSeconds ?? 0),
    indexedBlock: block?.number ?? null,
    indexedAt: block?.timestamp ?? null,
    ageSeconds,
    headBlock,
  };
}

function healthOf(block: IndexedBlock | null, headBlock: bigint | null, ageSeconds: number): Health {
  if (block === null || headBlock === null) return "unavailable";
  // A chain that makes no blocks is not behind.
  return headBlock > block.number && ageSeconds > BEHIND_SECONDS ? "behind" : "healthy";
}

/** Asks for the quote of the stock that is listed longest. */
async function marketDataOf(deps: Deps, { chainId, productType }: Caller) {
  const none = { quoteAt: null, session: null };
  try {
    const terms = await whereIndexed(() => readTerms(deps.prisma, { chainId, productType }), null);
    const symbol = terms?.data.stockTokens[0]?.symbol.toUpperCase();
    const quote = symbol === undefined ? null : await deps.marketData.quote(symbol);
    if (!quote) return { ...none, health: "unavailable" as const };
    const { timestamp: quoteAt, session, stale } = quote;
    return { health: stale ? ("behind" as const) : ("healthy" as const), quoteAt, session };
  } catch (error) {
    if (error instanceof ApiError && error.errCode === "MARKET_DATA_UNAVAILABLE")
      return { ...none, health: "unavailable" as const };
    throw error;
  }
}
