import type { Deps } from "../../context/deps.ts";
import { parseInput } from "../../context/input/fields.ts";
import type { OpenStream } from "../../context/stream.ts";
import type { StreamHost } from "../../context/streams/host.ts";
import type { StreamMetrics } from "../../context/streams/metrics.ts";
import type { ProductId } from "../../protocol/shapes.ts";
import { priceListShape } from "../input.ts";
import { findTokens } from "../prices.ts";
import { type Board, createBoard } from "./board.ts";
import { startPriceStream } from "./stream.ts";

export interface PriceStreamsOptions {
  deps: Deps;
  host: StreamHost;
  metrics: StreamMetrics;
  /** Times that tests change. */
  timing?: Partial<PriceTiming>;
}

export interface PriceTiming {
  /** Without a read for so long, every price is stale, milliseconds. */
  staleMs: number;
}

const STALE_MS = 5_000;

/** All streams of prices of this process. */
export interface PriceStreams {
  open: OpenStream;
  /** Stops reading; the host ends the streams. */
  stop(): void;
}

/** Creates the streams of prices of a process: prices of a chain and product are read once for all of them, while there are any. */
export function createPriceStreams({ deps, host, metrics, timing }: PriceStreamsOptions): PriceStreams {
  const boards = new Map<string, Board>();
  const options = { deps, guard: host.ensureAccess, staleMs: timing?.staleMs ?? STALE_MS };

  function boardOf(scope: ProductId): Board {
    const name = JSON.stringify([scope.chainId, scope.productType]);
    const board = boards.get(name) ?? createBoard(scope, options);
    boards.set(name, board);
    return board;
  }

  const timer = setInterval(() => {
    for (const [name, board] of boards) {
      if (board.isFollowed()) board.refresh();
      else boards.delete(name);
    }
  }, deps.marketData.quotesMaxAgeMs).unref();

  return {
    open: ({ caller, args, recheck }) =>
      host.open({
        holder: caller.keyId,
        metrics,
        recheck,
        prepare: async () => {
          const { keyId, chainId, productType } = caller;
          const { symbols } = parseInput(priceListShape, args);
          const tokens = symbols && (await findTokens(deps, { chainId, productType }, symbols)).data;
          const following = await boardOf({ chainId, productType }).follow(
            tokens ? new Set(tokens.map(({ address }) => address)) : null,
          );
          return {
            keyStream: { keyId, chainId, productType, kind: "prices", filter: symbols ?? null },
            start: (sink, onEnd) => startPriceStream({ sink, following, now: deps.now, onEnd }),
            isCurrent: () => true,
          };
        },
      }),
    stop: () => clearInterval(timer),
  };
}
