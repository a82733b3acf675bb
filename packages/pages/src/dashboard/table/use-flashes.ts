import { useEffect, useRef, useState } from "preact/hooks";

/** Time for which a changed row stands out. The style fades it within the same time. */
const FLASH_MS = 2_000;

/** Returns the rows that differ from those of the answer before, for a short while. */
export function useFlashes<Row>(
  rows: readonly Row[],
  idOf: (row: Row) => string,
  key: string | null,
): ReadonlySet<string> {
  const last = useRef<{ key: string | null; texts: Map<string, string> } | null>(null);
  const [flashes, setFlashes] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const texts = new Map(rows.map((row) => [idOf(row), JSON.stringify(row)]));
    const before = last.current;
    last.current = { key, texts };
    const changed = key !== null && before?.key === key ? changedIds(before.texts, texts) : new Set<string>();
    setFlashes((shown) => (shown.size === 0 && changed.size === 0 ? shown : changed));
    if (changed.size === 0) return;
    const timer = setTimeout(() => setFlashes(new Set()), FLASH_MS);
    return () => clearTimeout(timer);
  }, [rows, key]);
  return flashes;
}

/** Returns the ids whose text is new or changed. An empty list before means a first answer, in which nothing has changed. */
export function changedIds(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): Set<string> {
  if (before.size === 0) return new Set();
  return new Set([...now].filter(([id, text]) => before.get(id) !== text).map(([id]) => id));
}
