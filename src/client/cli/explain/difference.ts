import { LINE_NAMES, visibleEnds } from "./visible.ts";

/** How much is shown around a difference. */
const BEFORE = 32;
const BEHIND = 40;

/** Returns the first difference of two strings, shown one below the other; null where they are equal. */
export function presentDifference(right: string, yours: string): string | null {
  if (right === yours) return null;
  let index = 0;
  while (index < right.length && right[index] === yours[index]) index += 1;
  const before = right.slice(0, index);
  const line = Math.min(before.split("\n").length, LINE_NAMES.length);
  const start = Math.max(before.lastIndexOf("\n") + 1, index - BEFORE);
  const excerpt = (text: string) => visibleEnds(text.slice(start, index + BEHIND)) || "(ends here)";
  const caret = " ".repeat(visibleEnds(right.slice(start, index)).length);
  return [
    `The first difference is at character ${index + 1}, in line ${line} (${LINE_NAMES[line - 1]}):`,
    `  right  ${excerpt(right)}`,
    `  yours  ${excerpt(yours)}`,
    `         ${caret}^`,
  ].join("\n");
}
