/** Returns other texts of the same JSON, as libraries write them. */
export function bodySpellings(body: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return [];
  }
  const ordered = sortKeys(value);
  const texts = [value, ordered].flatMap((form) => [
    JSON.stringify(form),
    pythonJson(form),
    JSON.stringify(form, null, 2),
    JSON.stringify(form, null, 4),
  ]);
  return [...new Set([...texts, body.trim(), `${body}\n`])].filter((text) => text !== body);
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, field]) => [name, sortKeys(field)]));
}

/** Writes JSON as Python's json.dumps does: a blank after each comma and colon, and ASCII only. */
function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).map(([name, field]) => `${pythonJson(name)}: ${pythonJson(field)}`);
    return `{${fields.join(", ")}}`;
  }
  return JSON.stringify(value).replaceAll(
    /[\x7f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
