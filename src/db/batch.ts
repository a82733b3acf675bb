import type pg from "pg";
import { ApiError } from "../protocol/errors.ts";
import { activeSpan, inSpan, isTracing, type Span } from "../telemetry/tracing.ts";

export interface BatchOptions {
  /** Items in one run at most. */
  maxItems: number;
  /** Runs at the same time at most; what arrives meanwhile forms the next one. */
  maxRunning: number;
  /** Timeout of an item, milliseconds. */
  timeoutMs: number;
}

interface Entry<Item, Result> {
  item: Item;
  deadline: number;
  /** Span that asked. */
  span: Span | null;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
  /** It has its result, or its time is over. */
  isDone: boolean;
}

/** Maximum wait of a batch while each iteration of the event loop brings more items, milliseconds. */
const WAIT_MAX_MS = 2;

/**
 * Turns many small statements into a few large ones: items that arrive in iterations of the event loop that follow each other, and
 * those that arrive while all runs are busy, go out together. An item of a statement that has others costs PostgreSQL a tenth
 * of one that has none; an item that is alone goes out in the next iteration. `run` answers one result per item, in order.
 * The returned function rejects with DATABASE_UNAVAILABLE when the result is not there in time, whatever `run` does.
 */
export function createBatcher<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  { maxItems, maxRunning, timeoutMs }: BatchOptions,
): (item: Item) => Promise<Result> {
  // Arrays: the former tables of a Set would keep whole requests alive until V8 collects all garbage, not the young alone.
  const running: Entry<Item, Result>[][] = [];
  let queue: Entry<Item, Result>[] = [];
  let scheduled = false;
  let timer: NodeJS.Timeout | undefined;

  function schedule(): void {
    if (scheduled || running.length >= maxRunning) return;
    scheduled = true;
    setImmediate(startOrWait, queue.length, performance.now() + WAIT_MAX_MS);
  }

  /** Callers that were answered together ask again in the next few iterations: their items are worth waiting for. */
  function startOrWait(known: number, until: number): void {
    const isGrowing = queue.length > known && queue.length < maxItems;
    if (isGrowing && performance.now() < until) setImmediate(startOrWait, queue.length, until);
    else start();
  }

  function start(): void {
    scheduled = false;
    // Items that expired in the queue have been answered already.
    queue = queue.filter(({ isDone }) => !isDone);
    while (queue.length > 0 && running.length < maxRunning) void runEntries(queue.splice(0, maxItems));
  }

  async function runEntries(entries: Entry<Item, Result>[]): Promise<void> {
    running.push(entries);
    try {
      const results = await runTraced(entries);
      if (results.length !== entries.length) throw new Error("a batch must answer every item");
      for (const [index, entry] of entries.entries())
        end(entry, () => entry.resolve(results[index] as Result));
    } catch (error) {
      for (const entry of entries) end(entry, () => entry.reject(error));
    } finally {
      running.splice(running.indexOf(entries), 1);
      if (queue.length > 0) schedule();
    }
  }

  function end(entry: Entry<Item, Result>, settleEntry: () => void): void {
    if (entry.isDone) return;
    entry.isDone = true;
    settleEntry();
  }

  /** Runs in the trace of the first item that has one; the others are linked. */
  function runTraced(entries: Entry<Item, Result>[]): Promise<Result[]> {
    const work = () => run(entries.map(({ item }) => item));
    if (!isTracing()) return work();
    const [first, ...others] = entries.flatMap(({ span }) => span ?? []);
    if (!first) return work();
    const links = others.map(({ traceparent }) => traceparent);
    return first.run(() => inSpan("batch", { attributes: { items: entries.length }, links }, work));
  }

  /** Sets the one timer of all items, for when the oldest one expires. */
  function watch(): void {
    if (timer) return;
    const oldest = [...running.flat(), ...queue].find(({ isDone }) => !isDone);
    if (!oldest) return;
    timer = setTimeout(expire, Math.max(oldest.deadline - performance.now(), 0)).unref();
  }

  function expire(): void {
    timer = undefined;
    const now = performance.now();
    for (const entry of [...running.flat(), ...queue]) {
      if (entry.deadline > now) break;
      const cause = new Error(`no answer in ${timeoutMs} ms`);
      end(entry, () => entry.reject(new ApiError("DATABASE_UNAVAILABLE", { cause })));
    }
    watch();
  }

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      const deadline = performance.now() + timeoutMs;
      const entry = { item, deadline, span: activeSpan(), resolve, reject, isDone: false };
      queue.push(entry);
      watch();
      schedule();
    });
}

/** Returns a batcher for each pool that it is called with, whose runs go to that pool. */
export function batchPerPool<Item, Result>(
  run: (pool: pg.Pool, items: Item[]) => Promise<Result[]>,
  options: BatchOptions,
): (pool: pg.Pool, item: Item) => Promise<Result> {
  const batchers = new WeakMap<pg.Pool, (item: Item) => Promise<Result>>();
  return (pool, item) => {
    const batch = batchers.get(pool) ?? createBatcher((items: Item[]) => run(pool, items), options);
    batchers.set(pool, batch);
    return batch(item);
  };
}

/**
 * Repeats the last item up to a power of two. Prisma writes a statement of its own for each length of a list, and connections keep
 * them prepared.
 */
export function padded<T>(items: readonly T[]): T[] {
  const missing = 2 ** Math.ceil(Math.log2(items.length)) - items.length;
  return [...items, ...items.slice(-1).flatMap((last) => Array<T>(missing).fill(last))];
}
