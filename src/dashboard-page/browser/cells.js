/**
 * What a table's cell shows: text, and how it is to be understood. Pure: dom.js makes elements of it.
 * @typedef {{ text: string, kind?: "code" | "number" | "time", tone?: "good" | "warn" | "bad" }} Cell
 */

/** @type {Record<string, "good" | "warn" | "bad">} */
const TONES = {
  active: "good",
  completed: "good",
  final: "good",
  Filled: "good",
  paused: "warn",
  inactive: "warn",
  expired: "warn",
  canceling: "warn",
  halted: "bad",
  revoked: "bad",
  failed: "bad",
  Failed: "bad",
  Rejected: "bad",
};

const NOTHING = "-";

/** @param {unknown} value @returns {Cell} */
export const text = (value) => ({ text: isNothing(value) ? NOTHING : String(value) });

/** A word of a fixed set, in the colour of what it means. @param {unknown} value @returns {Cell} */
export const word = (value) => ({ ...text(value), tone: TONES[String(value)] });

/** An amount as the service tells it, a count or a block. @param {unknown} value @returns {Cell} */
export const number = (value) => ({ ...text(value), kind: "number" });

/** An address, a hash or an identifier. @param {unknown} value @returns {Cell} */
export const code = (value) => (isNothing(value) ? text(null) : { text: String(value), kind: "code" });

/** @param {unknown} seconds Unix seconds @returns {Cell} */
export const time = (seconds) =>
  typeof seconds === "number"
    ? { text: new Date(seconds * 1_000).toISOString().slice(0, 19).replace("T", " "), kind: "time" }
    : text(null);

/** @param {unknown} seconds @returns {Cell} */
export function duration(seconds) {
  if (typeof seconds !== "number") return number(null);
  const whole = Math.floor(seconds);
  if (whole < 100) return number(`${seconds < 10 ? Math.round(seconds * 10) / 10 : whole} s`);
  if (whole < 2 * 3_600) return number(`${Math.floor(whole / 60)} min`);
  if (whole < 2 * 86_400) return number(`${Math.floor(whole / 3_600)} h`);
  return number(`${Math.floor(whole / 86_400)} days`);
}

/** @param {unknown} wei an integer of base units with 18 decimals, as text @returns {Cell} */
export function coins(wei) {
  if (typeof wei !== "string" || !/^\d+$/.test(wei)) return number(null);
  const digits = wei.padStart(19, "0");
  const fraction = digits
    .slice(-18)
    .slice(0, 6)
    .replace(/0{1,6}$/, "");
  return number(`${digits.slice(0, -18)}${fraction && `.${fraction}`}`);
}

/** Counts by name, such as "accepted 2, signed 1". @param {unknown} counts @returns {Cell} */
export function counts(counts) {
  const parts = Object.entries(counts ?? {}).flatMap(([name, count]) => (count ? [`${name} ${count}`] : []));
  return text(parts.join(", "));
}

/** @param {readonly unknown[]} values @returns {Cell} */
export const list = (values) => text(values.join(", "));

/** @param {unknown} value */
function isNothing(value) {
  return value === null || value === undefined || value === "";
}
