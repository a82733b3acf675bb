/** Texts of values. Pure, so that they are tested without a browser. */

/** Stands for an unknown value. */
export const NOTHING = "–";

/** Returns a time as `2026-01-05 10:00:00 UTC`. */
export const exactTime = (seconds: number): string =>
  Number.isFinite(seconds)
    ? `${new Date(seconds * 1_000).toISOString().slice(0, 19).replace("T", " ")} UTC`
    : NOTHING;

/** Returns the age of a time in one unit; `in 3 min` for a future one. */
export function relativeTime(seconds: number, nowMs: number): string {
  const age = nowMs / 1_000 - seconds;
  if (Math.abs(age) < 1) return "now";
  return age > 0 ? `${duration(age)} ago` : `in ${duration(-age)}`;
}

/** Returns a number of seconds in the largest unit of which there are two or more. */
export function duration(seconds: number): string {
  if (seconds < 10) return `${Math.round(seconds * 10) / 10} s`;
  if (seconds < 120) return `${Math.floor(seconds)} s`;
  if (seconds < 2 * 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return counted(Math.floor(seconds / 86_400), "days");
}

/** Returns milliseconds with separators, whole ones from 10 on. */
export const milliseconds = (value: number): string =>
  `${value < 10 ? amount(String(value)) : Math.round(value).toLocaleString("en")} ms`;

/** Returns the beginning and the end of an address, a hash or an identifier. */
export function shortCode(code: string): string {
  return code.length <= 14 ? code : `${code.slice(0, code.startsWith("0x") ? 6 : 4)}…${code.slice(-4)}`;
}

/** Returns wei as coins of 18 decimals, cut after some digits: the cell's title has all of them. */
export function coins(wei: string, digits = 6): string {
  if (!/^\d+$/.test(wei)) return NOTHING;
  const padded = wei.padStart(19, "0");
  const fraction = withoutZeros(padded.slice(-18).slice(0, digits));
  return `${BigInt(padded.slice(0, -18)).toLocaleString("en")}${fraction && `.${fraction}`}`;
}

/** Matches a decimal number in its parts. */
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

/** Returns a decimal number with separators and two digits of its fraction, six below one: for a title, which has the exact one. */
export function amount(text: string): string {
  const [, sign = "", whole, fraction = ""] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) return NOTHING;
  const digits = BigInt(whole) === 0n ? 6 : 2;
  const shown = withoutZeros(fraction.slice(0, digits));
  if (BigInt(whole) === 0n && shown === "" && /[1-9]/.test(fraction)) return `less than ${sign}0.000001`;
  return `${sign}${BigInt(whole).toLocaleString("en")}${shown && `.${shown.padEnd(2, "0")}`}`;
}

/** Returns a fraction without the zeros at its end. */
function withoutZeros(fraction: string): string {
  let end = fraction.length;
  while (fraction[end - 1] === "0") end--;
  return fraction.slice(0, end);
}

/** Returns the exact sum of decimal numbers. */
export function sumOf(texts: readonly string[]): string {
  const places = Math.max(0, ...texts.map((text) => (DECIMAL.exec(text)?.[3] ?? "").length));
  const units = texts.reduce((sum, text) => {
    const [, sign = "", whole = "0", fraction = ""] = DECIMAL.exec(text) ?? [];
    return sum + BigInt(`${sign}${whole}${fraction.padEnd(places, "0")}`);
  }, 0n);
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, "0");
  const fraction = withoutZeros(digits.slice(digits.length - places));
  const whole = digits.slice(0, digits.length - places);
  return `${units < 0n ? "-" : ""}${whole}${places > 0 && fraction ? `.${fraction}` : ""}`;
}

/** Returns a count with its noun. @param nouns in the plural: `orders` */
export function counted(count: number, nouns: string): string {
  const noun = nouns.endsWith("ies") ? `${nouns.slice(0, -3)}y` : nouns.slice(0, -1);
  return `${count.toLocaleString("en")} ${count === 1 ? noun : nouns}`;
}

/** Returns counts by name, the largest first: `accepted 2, signed 1`. */
export function counts(byName: unknown): string {
  const entries = Object.entries((byName ?? {}) as Record<string, unknown>);
  return entries
    .map(([name, count]) => [name, Number(count)] as const)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");
}

export type Tone = "good" | "warn" | "bad" | "busy";

const TONES: Readonly<Record<string, Tone>> = {
  active: "good",
  delivered: "good",
  written: "good",
  completed: "good",
  confirmed: "good",
  final: "good",
  Filled: "good",
  done: "good",
  New: "busy",
  "Partial filled": "busy",
  Pending: "busy",
  Init: "busy",
  pending: "busy",
  processing: "busy",
  accepted: "busy",
  reserved: "busy",
  signed: "busy",
  broadcast: "busy",
  submitted: "busy",
  mined: "busy",
  current: "busy",
  paused: "warn",
  blocked: "warn",
  behind: "warn",
  elsewhere: "warn",
  disabled: "warn",
  abandoned: "warn",
  refused: "warn",
  inactive: "warn",
  expired: "warn",
  canceling: "warn",
  halted: "bad",
  failing: "bad",
  dead: "bad",
  revoked: "bad",
  failed: "bad",
  Failed: "bad",
  Rejected: "bad",
};

/** Returns the tone of a word of a fixed set; undefined where it is neutral. */
export const toneOf = (word: string): Tone | undefined => TONES[word];
