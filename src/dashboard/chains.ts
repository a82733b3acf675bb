import { z } from "zod";
import type { Chain } from "../chain/clients.ts";
import type { Deps } from "../context/deps.ts";
import { integer, parseInput } from "../context/input/fields.ts";
import type { IndexedBlock } from "../db/checkpoint.ts";
import { readCheckpoints } from "../db/checkpoint-watch.ts";
import { whereIndexed } from "../db/errors.ts";
import { readHalts } from "../sending/halt-store.ts";

const NOTHING: ReadonlyMap<number, IndexedBlock> = new Map();

const shape = z.object({ chainId: integer.optional() });

/**
 * GraphQL `Dashboard.chains`: every chain of this installation, how far the indexer is on it, and how far the chain is.
 * A value that cannot be read now is null: a dashboard must also work while a part of the service is down.
 * @throws ApiError VALIDATION_FAILED, DATABASE_UNAVAILABLE
 */
export async function listChains(deps: Pick<Deps, "pool" | "chains" | "now">, args: Record<string, unknown>) {
  const asked = parseInput(shape, args).chainId;
  const chains = [...deps.chains.values()].filter(
    ({ config }) => asked === undefined || config.chainId === asked,
  );
  const [blocks, heads, halts] = await Promise.all([
    whereIndexed(() => readCheckpoints(deps.pool), NOTHING),
    Promise.all(chains.map(headOf)),
    readHalts(deps.pool),
  ]);
  return chains.map(({ config }, index) => {
    const block = blocks.get(config.chainId);
    const head = heads[index] ?? null;
    const halt = halts.find(({ chainId }) => chainId === config.chainId);
    return {
      chainId: config.chainId,
      products: config.products.map(({ productType }) => productType),
      confirmations: config.confirmations,
      explorerUrl: config.explorerUrl ?? null,
      indexedBlock: block?.number ?? null,
      indexedAt: block?.timestamp ?? null,
      lagSeconds: block ? Math.max(0, deps.now() / 1000 - Number(block.timestamp)) : null,
      headBlock: head,
      lagBlocks: block && head !== null ? Math.max(0, Number(head - block.number)) : null,
      sendingHalted: halt !== undefined,
      sendingHaltedAt: halt ? BigInt(Math.floor(halt.haltedAt.getTime() / 1000)) : null,
      sendingHaltReason: halt?.reason ?? null,
    };
  });
}

const headOf = ({ client }: Chain): Promise<bigint | null> => client.getBlockNumber().catch(() => null);
