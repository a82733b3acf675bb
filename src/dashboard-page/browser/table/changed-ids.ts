/** Returns the ids whose text is new or another. An empty list before is a first answer: nothing of it has changed. */
export function changedIds(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): Set<string> {
  if (before.size === 0) return new Set();
  return new Set([...now].filter(([id, text]) => before.get(id) !== text).map(([id]) => id));
}
