interface Waiter<T> {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
}

function createWaiter<T>(): Waiter<T> {
  let resolve: Waiter<T>["resolve"] = () => {};
  let reject: Waiter<T>["reject"] = () => {};
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/**
 * Collects the keys asked for within one turn of the event loop into calls of at most `maxKeys`, so that a page of
 * symbols costs one request. A key that the answer lacks resolves to null.
 */
export function createBatcher<T>(
  maxKeys: number,
  loadMany: (keys: readonly string[]) => Promise<ReadonlyMap<string, T | null>>,
): (key: string) => Promise<T | null> {
  let waiting = new Map<string, Waiter<T | null>>();

  function flush(): void {
    const batch = [...waiting];
    waiting = new Map();
    for (let from = 0; from < batch.length; from += maxKeys) void settle(batch.slice(from, from + maxKeys));
  }

  async function settle(batch: [string, Waiter<T | null>][]): Promise<void> {
    try {
      const found = await loadMany(batch.map(([key]) => key));
      for (const [key, waiter] of batch) waiter.resolve(found.get(key) ?? null);
    } catch (error) {
      for (const [, waiter] of batch) waiter.reject(error);
    }
  }

  return (key) => {
    const known = waiting.get(key);
    if (known) return known.promise;
    if (waiting.size === 0) setImmediate(flush);
    const waiter = createWaiter<T | null>();
    waiting.set(key, waiter);
    return waiter.promise;
  };
}
