/** Keys that partners' orders are spread over: one large, some of every smaller size, down to a single order. */
export const KEYS = 20;
export const DETAIL_ORDERS = 200;

/** Returns the number of orders of each key, the largest first. @param largest at least 1,000 */
export function keySizes(largest: number): number[] {
  const tenths = [10, 100, 100].map((part) => Math.max(1_000, Math.floor(largest / part)));
  const small = [...fill(6, 1_000), ...fill(5, 100), ...fill(4, 10), 1];
  return [largest, ...tenths, ...small].slice(0, KEYS);
}

const fill = (count: number, value: number) => Array.from({ length: count }, () => value);

/** Returns the number of claims that the largest key lost to another key. */
export const lostClaims = (largest: number): number => Math.floor(largest / 1_000);

/** Picks orders evenly over all keys and over the age of each: pairs of key index and order. */
export function pickOrders(sizes: readonly number[], count = DETAIL_ORDERS): { key: number; i: number }[] {
  const picked: { key: number; i: number }[] = [];
  for (let turn = 0; picked.length < count; turn++) {
    const before = picked.length;
    for (const [key, orders] of sizes.entries()) {
      if (turn >= orders || picked.length >= count) continue;
      const parts = Math.min(orders, Math.ceil(count / sizes.length) + 1);
      if (turn < parts) picked.push({ key, i: Math.floor((turn * orders) / parts) });
    }
    if (picked.length === before) break;
  }
  return picked;
}
