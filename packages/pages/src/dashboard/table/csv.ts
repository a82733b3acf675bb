/** A list as CSV (RFC 4180). Pure. */

/** Returns the values of an object by name; those of an object within it are `outer.inner`, and an array is its JSON. */
export function flatten(record: object, prefix = ""): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(record)) {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      Object.assign(flat, flatten(value, `${prefix}${name}.`));
    } else {
      flat[prefix + name] = Array.isArray(value) ? JSON.stringify(value) : String(value ?? "");
    }
  }
  return flat;
}

/** Returns the text of a file: a line of names, those of all records, and a line for each record. */
export function toCsv(records: readonly Record<string, string>[]): string {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const lines = records.map((record) => names.map((name) => record[name] ?? ""));
  return [names, ...lines].map((line) => `${line.map(cell).join(",")}\r\n`).join("");
}

const NUMBER = /^-?\d+(\.\d+)?$/;

/** A spreadsheet calculates a text that begins like a formula, and some texts are a partner's: such a one begins with an apostrophe. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
