import { LRUCache } from "lru-cache";

/** A cached value; stale where it outlived its time because no newer one could be loaded. */
export interface Cached<T> {
  value: T;
  stale: boolean;
}

export interface CacheOptions {
  /** Time for which a value is fresh, ms. */
  freshMs: number;
  /** Time after that in which it may stand in while loading fails, marked as stale, ms. */
  staleMs: number;
  /** Time without a new attempt after a failure, ms: callers get the old value or the failure at once. */
  coolDownMs: number;
  maxEntries: number;
  /** Unix ms. */
  now: () => number;
}

export interface Cache<T> {
  get(key: string, load: () => Promise<T>): Promise<Cached<T>>;
}

interface Loaded<T> {
  value: T;
  at: number;
}

/** Result of the last load, and the last value where it failed. */
type Entry<T> =
  | { loaded: Loaded<T>; failure: null }
  | { loaded: Loaded<T> | null; failure: { error: unknown; at: number } };

/** Creates a cache in which concurrent calls for one key share one load. The least recently used entries go first. */
export function createCache<T>({ freshMs, staleMs, coolDownMs, maxEntries, now }: CacheOptions): Cache<T> {
  const entries = new LRUCache<string, Entry<T>, () => Promise<T>>({
    max: maxEntries,
    // A load whose entry was evicted still answers its callers.
    ignoreFetchAbort: true,
    fetchMethod: async (_key, previous, { context: load }) => {
      try {
        return { loaded: { value: await load(), at: now() }, failure: null };
      } catch (error) {
        return { loaded: previous?.loaded ?? null, failure: { error, at: now() } };
      }
    },
  });

  // Replaces the library's time to live: how long an entry holds depends on how its load ended.
  function isDue({ loaded, failure }: Entry<T>): boolean {
    return failure ? now() - failure.at >= coolDownMs : now() - loaded.at >= freshMs;
  }

  return {
    async get(key, load) {
      const known = entries.peek(key);
      const forceRefresh = known !== undefined && isDue(known);
      const { loaded, failure } = await entries.forceFetch(key, { context: load, forceRefresh });
      if (!failure) return { value: loaded.value, stale: false };
      if (loaded && now() - loaded.at < freshMs + staleMs) return { value: loaded.value, stale: true };
      throw failure.error;
    },
  };
}
