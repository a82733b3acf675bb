/** A view in the page, kept in the URL's hash: it can be bookmarked and shared, and survives a sign-in. */
export interface Route {
  path: readonly string[];
  query: Readonly<Record<string, string>>;
}

export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  return {
    path: path.split("/").filter(Boolean).map(decode),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** Returns the hash of a view, without empty and undefined values. */
export function hrefOf(
  path: readonly (string | number)[],
  query: Readonly<Record<string, unknown>> = {},
): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null || value === "" ? [] : [[name, String(value)]],
  );
  const search = new URLSearchParams(given).toString();
  return `#/${path.map((part) => encodeURIComponent(part)).join("/")}${search && `?${search}`}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
