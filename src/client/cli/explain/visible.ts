const NAMES: Readonly<Record<string, string>> = { "\n": "↵", "\r": "␍", "\t": "␉", " ": "␣" };

/** Returns text on one line: newlines and other control characters are visible. */
export const visible = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is for
  text.replaceAll(/[\x00-\x1f\x7f]/g, (character) => NAMES[character] ?? `\\x${hex(character)}`);

/** Shows a text as `visible` does, and also the blanks at its ends. */
export function visibleEnds(text: string): string {
  const inner = text.trim();
  const start = text.indexOf(inner);
  const show = (blanks: string) => blanks.replaceAll(" ", "␣");
  return visible(show(text.slice(0, start)) + inner + show(text.slice(start + inner.length)));
}

const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(2, "0");

/** The lines of a canonical string. The body may hold newlines of its own. */
export const LINE_NAMES = ["method", "URI", "timestamp", "nonce", "body"] as const;

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
