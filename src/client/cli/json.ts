import type { Style } from "./terminal.ts";

type Paint = (style: Style, text: string) => string;

/** Strings, with the colon of a name, and other values of JSON text. */
const TOKENS = /("(?:[^"\\]|\\.)*"?)(:)?|true|false|null|-?\d[\d.eE+-]*/g;

/** Returns a value as JSON on several lines, coloured. */
export function presentJson(value: unknown, paint: Paint): string {
  return JSON.stringify(value, null, 2).replaceAll(
    TOKENS,
    (token: string, text: string | undefined, colon: string | undefined) => {
      if (colon !== undefined) return `${paint("blue", text ?? "")}${colon}`;
      return paint(text === undefined ? "yellow" : "green", token);
    },
  );
}
