/**
 * Waits for a condition instead of for a time: asks again until `probe` gives something other than undefined.
 * @throws Error telling what was awaited and what was seen last, after `withinMs`.
 */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined> | T | undefined,
  withinMs = 60_000,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  let last: unknown = "nothing";
  for (;;) {
    try {
      const found = await probe();
      if (found !== undefined) return found;
      last = "not yet";
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Error(`${what}: not within ${withinMs} ms; last: ${String(last)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/**
 * The value itself, where a test relies on it being there.
 * @throws Error naming what is missing.
 */
export function present<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`expected ${what}, found none`);
  return value;
}
