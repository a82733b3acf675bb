/** A place that a search may lead to, as the service lists them. */
export interface Entry {
  url: string;
  page: string;
  heading: string;
  text: string;
}

const WEIGHTS = { heading: 8, page: 4, text: 1 } as const;
const RESULTS_MAX = 12;

/** Returns the entries that have every word of a query at the beginning of one of theirs, the best first. */
export function rank(entries: readonly Entry[], query: string): Entry[] {
  const terms = wordsOf(query);
  if (terms.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, terms) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, RESULTS_MAX)
    .map(({ entry }) => entry);
}

/** Returns 0 where a word is missing. */
function scoreOf(entry: Entry, terms: readonly string[]): number {
  const scores = terms.map((term) =>
    (["heading", "page", "text"] as const).reduce((sum, part) => {
      const words = wordsOf(entry[part]);
      if (words.includes(term)) return sum + 2 * WEIGHTS[part];
      return words.some((word) => word.startsWith(term)) ? sum + WEIGHTS[part] : sum;
    }, 0),
  );
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0);
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Returns the words of an entry around the first that a query names. */
export function excerpt({ text }: Entry, query: string): string {
  const [term = ""] = wordsOf(query);
  const place = text.toLowerCase().indexOf(term);
  const from = Math.max(0, text.lastIndexOf(" ", Math.max(0, place - 40)) + 1);
  const shown = text.slice(from, from + 140);
  return `${from > 0 ? "…" : ""}${shown}${from + 140 < text.length ? "…" : ""}`;
}
