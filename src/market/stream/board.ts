import type { Logger } from "pino";
import type { Deps } from "../../context/deps.ts";
import { plainFrame } from "../../context/streams/frames.ts";
import { readTerms } from "../../context/terms.ts";
import type { Session } from "../../protocol/enums.ts";
import type { ProductId } from "../../protocol/shapes.ts";
import { type ListedPrice, readPrices } from "../prices.ts";

/** Frames by what they replace: a token's address, or STATUS. */
export type Frames = ReadonlyMap<string, Buffer>;

/** Key of the frame that says how the market is. */
export const STATUS = "status";

/** The market, as all streams of a board see it. */
export interface MarketState {
  session: Session;
  /** True while no price that is followed has a fresh quote. */
  stale: boolean;
}

/** One stream's subscription to a board. */
export interface PriceFollowing {
  /** Passes the latest frame of each token at once, and then those that change. The map may have tokens that are not followed. */
  subscribe(deliver: (frames: Frames) => void): void;
  isFollowed(key: string): boolean;
  state(): MarketState;
  /** Unsubscribes; idempotent. */
  leave(): void;
}

export interface BoardOptions {
  deps: Pick<Deps, "prisma" | "marketData" | "log" | "now">;
  /** Runs before each read, which is put off where it throws. */
  guard: () => Promise<void>;
  /** Without a read for so long, every price is stale, milliseconds. */
  staleMs: number;
}

/** The prices of one chain and product, for all streams of it: one read for all of them. */
export interface Board {
  /**
   * @param tokens addresses; null: everything that is listed
   * @throws ApiError where the prices cannot be read: INDEXER_BEHIND, DATABASE_UNAVAILABLE, MARKET_DATA_UNAVAILABLE
   */
  follow(tokens: ReadonlySet<string> | null): Promise<PriceFollowing>;
  /** Begins the next read, unless one is under way, and marks prices stale that were not read for too long. */
  refresh(): void;
  isFollowed(): boolean;
}

interface Follower {
  tokens: ReadonlySet<string> | null;
  deliver: ((frames: Frames) => void) | null;
}

interface Shown {
  price: ListedPrice;
  json: string;
  frame: Buffer;
}

export function createBoard(scope: ProductId, { deps, guard, staleMs }: BoardOptions): Board {
  const { prisma, marketData, now } = deps;
  const followers = new Set<Follower>();
  const shown = new Map<string, Shown>();
  const logOnce = createFailureLog(deps.log, scope);
  let state: MarketState = { session: "closed", stale: true };
  /** When the last read that succeeded began, by a clock that only goes forward. */
  let readAt = Number.NEGATIVE_INFINITY;
  let isReading = false;

  /** Followed tokens, null for all; undefined where that has changed. */
  let followed: ReadonlySet<string> | null | undefined;

  const isFollowed = (address: string): boolean => {
    if (followed === undefined) followed = unionOf(followers);
    return followed === null || followed.has(address);
  };

  async function read(): Promise<void> {
    await guard();
    const startedAt = performance.now();
    const { stockTokens } = (await readTerms(prisma, scope)).data;
    const tokens = stockTokens.filter(({ address }) => isFollowed(address));
    const [prices, session] = await Promise.all([
      readPrices(marketData, scope, tokens),
      marketData.session(),
    ]);
    // A later read that was faster has newer prices, of at least these tokens.
    if (startedAt < readAt) return;
    readAt = startedAt;
    publish(prices, session);
  }

  function publish(prices: readonly ListedPrice[], session: Session): void {
    const changed = new Map<string, Buffer>();
    const isStale = prices.length > 0 && prices.every(({ basicInfo }) => basicInfo?.stale !== false);
    if (session !== state.session || isStale !== state.stale) {
      state = { session, stale: isStale };
      changed.set(STATUS, statusFrame(STATUS, state, now()));
    }
    for (const price of prices) {
      const address = price.onChain.contractAddress.toLowerCase();
      const json = JSON.stringify(price);
      if (shown.get(address)?.json === json) continue;
      const frame = plainFrame("price", json);
      shown.set(address, { price, json, frame });
      changed.set(address, frame);
    }
    if (changed.size > 0) for (const { deliver } of followers) deliver?.(changed);
  }

  function markStale(): void {
    const prices = [...shown].filter(([address]) => isFollowed(address));
    publish(
      prices.map(([, { price }]) => withStaleQuote(price)),
      state.session,
    );
  }

  return {
    follow: async (tokens) => {
      const follower: Follower = { tokens, deliver: null };
      followers.add(follower);
      followed = undefined;
      const leave = () => {
        followers.delete(follower);
        followed = undefined;
      };
      await read().catch((error: unknown) => {
        leave();
        throw error;
      });
      return {
        subscribe: (deliver) => {
          follower.deliver = deliver;
          const status = [STATUS, statusFrame(STATUS, state, now())] as const;
          deliver(new Map([status, ...[...shown].map(([key, { frame }]) => [key, frame] as const)]));
        },
        isFollowed: (key) => tokens === null || tokens.has(key),
        state: () => state,
        leave,
      };
    },
    refresh: () => {
      if (!isReading) {
        isReading = true;
        void read()
          .then(() => logOnce(null), logOnce)
          .finally(() => {
            isReading = false;
          });
      }
      if (performance.now() - readAt > staleMs) markStale();
    },
    isFollowed: () => followers.size > 0,
  };
}

/** Returns the frame of a status or heartbeat. @param t Unix milliseconds */
export const statusFrame = (type: string, { session, stale }: MarketState, t: number): Buffer =>
  plainFrame(type, JSON.stringify({ session, stale, t }));

const withStaleQuote = (price: ListedPrice): ListedPrice => {
  const { basicInfo } = price;
  // The order of its fields stays: the text of a price is compared.
  return { ...price, basicInfo: basicInfo && { ...basicInfo, stale: true } };
};

/** Returns the tokens that any of the followers follows; null for all. */
function unionOf(followers: Iterable<Follower>): ReadonlySet<string> | null {
  const union = new Set<string>();
  for (const { tokens } of followers) {
    if (tokens === null) return null;
    for (const address of tokens) union.add(address);
  }
  return union;
}

/** Logs the first of failures in a row. */
function createFailureLog(log: Logger, scope: ProductId): (error: unknown) => void {
  let isFailing = false;
  return (err) => {
    if (err !== null && !isFailing)
      log.warn({ err, ...scope }, "streams of prices are stale: prices cannot be read");
    isFailing = err !== null;
  };
}
