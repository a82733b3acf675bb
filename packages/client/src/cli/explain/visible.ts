const NAMES: Readonly<Record<string, string>> = { "\n": "↵", "\r": "␍", "\t": "␉", " ": "␣" };

/** Returns text on one line: newlines and other control characters are visible. */
export const visible = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is for
  text.replaceAll(/[\x00-\x1f\x7f]/g, (character) => NAMES[character] ?? `\\x${hex(character)}`);

/** Shows a text as `visible` does, and also the blanks at its ends. */
function visibleEnds(text: string): string {
  const inner = text.trim();
  const start = text.indexOf(inner);
  const show = (blanks: string) => blanks.replaceAll(" ", "␣");
  return visible(show(text.slice(0, start)) + inner + show(text.slice(start + inner.length)));
}

const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(2, "0");

/** Lines of a canonical string. The body may contain newlines. */
const LINE_NAMES = ["method", "URI", "timestamp", "nonce", "body"] as const;

/** Returns the canonical string line by line, each newline visible. */
export function presentCanonical(payload: string): string {
  const lines = payload.split("\n");
  const body = lines.slice(LINE_NAMES.length - 1).join("\n");
  return LINE_NAMES.map((name, index) => {
    const isBody = index === LINE_NAMES.length - 1;
    const text = isBody
      ? visible(body) || "(empty: the string ends with the newline of line 4)"
      : visible(`${lines[index]}\n`);
    return `  ${index + 1} ${name.padEnd(10)} ${text}`;
  }).join("\n");
}

/** Number of characters shown around a difference. */
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
