import type { ProductId } from "../protocol/shapes.ts";

/** A read whose answer depends on the scope and the input alone, never on the caller. */
type Read<D, I, T> = (deps: D, scope: ProductId, input: I) => Promise<T>;

/**
 * Returns a read that answers identical requests by one run. A request joins the next run, which begins when the current
 * one has ended, and never one that has begun: so a caller finds what they wrote before.
 * All of them get the same object, which must not be changed, or the same error.
 */
export function joined<D extends object, I, T>(read: Read<D, I, T>): Read<D, I, T> {
  const runsOf = new WeakMap<D, Runs<T>>();
  return (deps, scope, input) => {
    let runs = runsOf.get(deps);
    if (!runs) {
      runs = { current: new Map(), next: new Map() };
      runsOf.set(deps, runs);
    }
    const key = JSON.stringify([scope.chainId, scope.productType, input ?? null]);
    return join(runs, key, () => read(deps, scope, input));
  };
}

/** By request, where there are any; none is kept once it has ended. */
interface Runs<T> {
  current: Map<string, Promise<T>>;
  next: Map<string, Promise<T>>;
}

function join<T>({ current, next }: Runs<T>, key: string, read: () => Promise<T>): Promise<T> {
  const begin = (): Promise<T> => {
    next.delete(key);
    const run = read();
    current.set(key, run);
    const end = () => void (current.get(key) === run && current.delete(key));
    run.then(end, end);
    return run;
  };
  const running = current.get(key);
  if (!running) return begin();
  const waiting = next.get(key) ?? running.then(begin, begin);
  next.set(key, waiting);
  return waiting;
}
