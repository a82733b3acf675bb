/** Splits by a key; groups and items keep their order. */
export function groups<T>(items: Iterable<T>, keyOf: (item: T) => string | null): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === null) continue;
    const group = found.get(key);
    if (group) group.push(item);
    else found.set(key, [item]);
  }
  return found;
}
