import { setTimeout as delay } from "node:timers/promises";

/** Runs work by name, one after the other; each piece with a pause behind it. */
export type InTurn = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** @param pauseMs how long the next work of the same name waits, milliseconds */
export function createTurns(pauseMs: number): InTurn {
  const last = new Map<string, Promise<void>>();
  return (name, work) => {
    const before = last.get(name) ?? Promise.resolve();
    const result = before.then(work);
    const over = result
      .then(ignore, ignore)
      .then(() => delay(pauseMs, undefined, { ref: false }))
      .then(() => {
        if (last.get(name) === over) last.delete(name);
      });
    last.set(name, over);
    return result;
  };
}

const ignore = (): undefined => undefined;
