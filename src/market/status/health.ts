import type { Caller } from "../../auth/caller.ts";
import { answerWithin } from "../../chain/answer-within.ts";
import type { Chain } from "../../chain/clients.ts";
import type { Deps } from "../../context/deps.ts";
import { readTerms } from "../../context/terms.ts";
import type { IndexedBlock } from "../../db/checkpoint.ts";
import { readCheckpoints } from "../../db/checkpoint-watch.ts";
import { whereIndexed } from "../../db/errors.ts";
import type { Health } from "../../protocol/enums.ts";
import { ApiError } from "../../protocol/errors.ts";
import { readHalts } from "../../sending/halt-store.ts";

/** Age of the indexed block from which it is behind, where the chain has newer ones, seconds: that of readiness. */
const BEHIND_SECONDS = 60;
/** A node that does not answer by then does not keep the answer, milliseconds. */
const NODE_WAIT_MS = 2_000;

const NOTHING: ReadonlyMap<number, IndexedBlock> = new Map();

/** Returns how far some chains are read, and whether sending is halted there, in their order. @throws ApiError DATABASE_UNAVAILABLE */
export async function readChainStatuses({ pool, now }: Pick<Deps, "pool" | "now">, chains: readonly Chain[]) {
  const [blocks, heads, halts] = await Promise.all([
    whereIndexed(() => readCheckpoints(pool), NOTHING),
    Promise.all(chains.map(({ client }) => answerWithin(client.getBlockNumber(), NODE_WAIT_MS))),
    readHalts(pool),
  ]);
  const halted = new Set(halts.map(({ chainId }) => chainId));
  return chains.map(({ config: { chainId } }, index) => ({
    ...chainStatus(blocks.get(chainId) ?? null, heads[index] ?? null, now()),
    chainId,
    sendingHalted: halted.has(chainId),
  }));
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

/** Returns whether a product has quotes, by that of the stock that is listed longest. @throws ApiError DATABASE_UNAVAILABLE */
export async function readMarketDataStatus(
  deps: Pick<Deps, "prisma" | "marketData">,
  { chainId, productType }: Pick<Caller, "chainId" | "productType">,
) {
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
