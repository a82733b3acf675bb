import { z } from "zod";
import { answerWithin } from "../chain/answer-within.ts";
import type { Chain } from "../chain/clients.ts";
import type { Deps } from "../context/deps.ts";
import { integer, parseInput } from "../context/input/fields.ts";
import type { IndexedBlock } from "../db/checkpoint.ts";
import { readCheckpoints } from "../db/checkpoint-watch.ts";
import { whereIndexed } from "../db/errors.ts";
import { readHalts } from "../sending/halt-store.ts";

export type ChainState = Awaited<ReturnType<typeof listChains>>[number];

/** Longest wait for a node: a dashboard that waits for one that hangs would show what was. Milliseconds. */
const NODE_MS = 2_000;
/** Blocks over which the time between two is measured, and how long the result holds, milliseconds. */
const MEASURED_BLOCKS = 50n;
const MEASURED_MS = 600_000;

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
    Promise.all(chains.map((chain) => ask(chain.client.getBlock()))),
    readHalts(deps.pool),
  ]);
  const [waiting, blockSeconds] = await Promise.all([
    Promise.all(chains.map((chain, index) => firstUnindexed(chain, blocks, heads[index] ?? null))),
    Promise.all(chains.map((chain, index) => secondsPerBlock(chain, heads[index] ?? null, deps.now()))),
  ]);
  return chains.map(({ config }, index) => {
    const block = blocks.get(config.chainId);
    const head = newest(heads[index] ?? null, block);
    const ageOf = (timestamp: bigint) => Math.max(0, deps.now() / 1000 - Number(timestamp));
    const first = waiting[index] ?? null;
    const halt = halts.find(({ chainId }) => chainId === config.chainId);
    return {
      chainId: config.chainId,
      products: config.products.map(({ productType }) => productType),
      confirmations: config.confirmations,
      explorerUrl: config.explorerUrl ?? null,
      indexedBlock: block?.number ?? null,
      indexedAt: block?.timestamp ?? null,
      lagSeconds: block ? ageOf(block.timestamp) : null,
      headBlock: head?.number ?? null,
      headAt: head?.timestamp ?? null,
      lagBlocks: block && head !== null ? Number(head.number - block.number) : null,
      behindSeconds: block && head !== null ? (first === null ? 0 : ageOf(first)) : null,
      blockSeconds: blockSeconds[index] ?? null,
      sendingHalted: halt !== undefined,
      sendingHaltedAt: halt ? BigInt(Math.floor(halt.haltedAt.getTime() / 1000)) : null,
      sendingHaltReason: halt?.reason ?? null,
    };
  });
}

const ask = <T>(answer: Promise<T>): Promise<T | null> => answerWithin(answer, NODE_MS);

interface Head {
  number: bigint;
  timestamp: bigint;
}

/** Returns the later one: the index may have a block that the node had not when it was asked. */
const newest = (head: Head | null, indexed: IndexedBlock | undefined): Head | null =>
  head && indexed && indexed.number > head.number ? indexed : head;

/** Returns the time of the first block that is not indexed, or null where all are. Its age does not depend on how often blocks come. */
async function firstUnindexed(
  { config, client }: Chain,
  blocks: ReadonlyMap<number, IndexedBlock>,
  head: Head | null,
): Promise<bigint | null> {
  const indexed = blocks.get(config.chainId);
  if (!indexed || head === null || head.number <= indexed.number) return null;
  if (head.number === indexed.number + 1n) return head.timestamp;
  const next = await ask(client.getBlock({ blockNumber: indexed.number + 1n }));
  // A node that has no such block any more: as old as the one before it.
  return next?.timestamp ?? indexed.timestamp;
}

const measured = new WeakMap<Chain, { seconds: number; untilMs: number }>();

/** Returns the mean time between blocks, seconds; null where it is not known. */
async function secondsPerBlock(chain: Chain, head: Head | null, nowMs: number): Promise<number | null> {
  const known = measured.get(chain);
  if (known && known.untilMs > nowMs) return known.seconds;
  if (head === null || head.number === 0n) return known?.seconds ?? null;
  const count = head.number < MEASURED_BLOCKS ? head.number : MEASURED_BLOCKS;
  const earlier = await ask(chain.client.getBlock({ blockNumber: head.number - count }));
  if (earlier === null) return known?.seconds ?? null;
  const seconds = Number(head.timestamp - earlier.timestamp) / Number(count);
  measured.set(chain, { seconds, untilMs: nowMs + MEASURED_MS });
  return seconds;
}
