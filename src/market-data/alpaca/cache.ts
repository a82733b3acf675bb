/** A cached value and whether it outlived its time because a newer one could not be had. */
export interface Cached<T> {
  value: T;
  stale: boolean;
}

export interface CacheOptions {
  /** How long a value is as good as new, ms. */
  freshMs: number;
  /** How long after that it may still stand in while loading fails, ms; it is then marked stale. */
  staleMs: number;
  /** After a failure, how long nobody tries again, ms: callers get the old value or the failure at once. */
  coolDownMs: number;
  maxEntries: number;
  /** Unix ms. */
  now: () => number;
}

export interface Cache<T> {
  get(key: string, load: () => Promise<T>): Promise<Cached<T>>;
}

interface Entry<T> {
  current: { value: T; loadedAt: number } | null;
  failure: { error: unknown; at: number } | null;
  loading: Promise<T> | null;
}

/**
 * A cache in which concurrent calls for one key share one load. The least recently used entries go first; an entry
 * that is still loading stays, so that nothing is loaded twice at a time.
 */
export function createCache<T>(options: CacheOptions): Cache<T> {
  const entries = new Map<string, Entry<T>>();

  function touch(key: string): Entry<T> {
    const entry = entries.get(key) ?? { current: null, failure: null, loading: null };
    entries.delete(key);
    entries.set(key, entry);
    for (const [oldest, { loading }] of entries) {
      if (entries.size <= options.maxEntries) break;
      if (!loading && oldest !== key) entries.delete(oldest);
    }
    return entry;
  }

  function startLoading(entry: Entry<T>, load: () => Promise<T>): Promise<T> {
    const loading = load().then(
      (value) => {
        entry.current = { value, loadedAt: options.now() };
        entry.failure = null;
        entry.loading = null;
        return value;
      },
      (error: unknown) => {
        entry.failure = { error, at: options.now() };
        entry.loading = null;
        throw error;
      },
    );
    entry.loading = loading;
    return loading;
  }

  async function get(key: string, load: () => Promise<T>): Promise<Cached<T>> {
    const entry = touch(key);
    const fresh = entry.current && options.now() - entry.current.loadedAt < options.freshMs;
    if (entry.current && fresh) return { value: entry.current.value, stale: false };
    try {
      const failure = entry.failure;
      if (!entry.loading && failure && options.now() - failure.at < options.coolDownMs) throw failure.error;
      return { value: await (entry.loading ?? startLoading(entry, load)), stale: false };
    } catch (error) {
      const usable =
        entry.current && options.now() - entry.current.loadedAt < options.freshMs + options.staleMs;
      if (entry.current && usable) return { value: entry.current.value, stale: true };
      throw error;
    }
  }

  return { get };
}
