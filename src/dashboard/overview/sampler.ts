import type { Deps } from "../../context/deps.ts";
import { withDatabaseErrors } from "../../db/errors.ts";
import { readQueues } from "../../sending/outbox/queue-store.ts";
import { listChains } from "../chains.ts";

const MINUTE_MS = 60_000;
/** A series covers 31 days at most, and its first step may begin a few hours before them. */
const KEPT_MS = 32 * 24 * 60 * MINUTE_MS;

type SamplerDeps = Pick<Deps, "pool" | "prisma" | "chains" | "now">;

/**
 * Samples the lag of every chain, and the queue and balance of every sending wallet, for the current minute. Any number of
 * workers may do it: the first sample of a minute stays.
 */
export async function sampleGauges(deps: SamplerDeps): Promise<void> {
  const minute = new Date(Math.floor(deps.now() / MINUTE_MS) * MINUTE_MS);
  const [chains, queues] = await Promise.all([listChains(deps, {}), readQueues(deps.pool, null)]);
  await withDatabaseErrors(() =>
    Promise.all([
      deps.prisma.chainSample.createMany({
        data: chains.map(({ chainId, lagSeconds, lagBlocks }) => ({
          chainId,
          minute,
          lagSeconds,
          lagBlocks,
        })),
        skipDuplicates: true,
      }),
      deps.prisma.walletSample.createMany({
        data: queues.map(({ chainId, wallet, depth, oldestSeconds, balanceWei }) => ({
          chainId,
          wallet,
          minute,
          balanceWei,
          depth: Object.values(depth).reduce((sum, count) => sum + count, 0),
          oldestSeconds: oldestSeconds ?? 0,
        })),
        skipDuplicates: true,
      }),
    ]),
  );
}

/** A timer may end a millisecond early. A sample that begins then is of the minute before, and ends in the one that it misses. */
const BEHIND_MS = 50;

/** Returns the milliseconds until the next minute has begun. */
export const untilNextMinute = ({ now }: Pick<Deps, "now">): number =>
  MINUTE_MS + BEHIND_MS - (now() % MINUTE_MS);

/** Removes samples that no series reads any more. */
export async function removeOldSamples({ prisma, now }: Pick<Deps, "prisma" | "now">): Promise<void> {
  const old = { lt: new Date(now() - KEPT_MS) };
  const where = { minute: old };
  await withDatabaseErrors(() =>
    Promise.all([
      prisma.chainSample.deleteMany({ where }),
      prisma.walletSample.deleteMany({ where }),
      prisma.requestSample.deleteMany({ where }),
      prisma.endpointSample.deleteMany({ where: { begin: old } }),
      prisma.orderQuote.deleteMany({ where: { placedAt: old } }),
    ]),
  );
}
