import path from "node:path";
import { ERROR_CATALOGUE } from "../../protocol/errors.ts";
import { DOWNLOADS, GUIDES } from "./guides.ts";

export const FRONT_PATH = "/docs";
export const REFERENCE_PATH = "/docs/reference";
export const ERRORS_PATH = "/docs/errors";
export const STYLE_PATH = "/docs/docs.css";

/** Names of the pages of errors, but their index. */
export const ERROR_NAMES = [...Object.keys(ERROR_CATALOGUE), "UNAUTHORIZED"];

export const guidePath = (name: string): string => `/docs/guides/${name}`;
export const errorPath = (name: string): string => `${ERRORS_PATH}/${name}`;

/** Addresses of what the api serves, by path in the repository. */
const SERVED: ReadonlyMap<string, string> = new Map([
  ["docs/README.md", FRONT_PATH],
  ["docs/endpoints.md", REFERENCE_PATH],
  ["docs/openapi.json", "/openapi.json"],
  ["docs/openapi-3.0.json", "/openapi-3.0.json"],
  ["docs/errors/README.md", ERRORS_PATH],
  ...ERROR_NAMES.map((name) => [`docs/errors/${name}.md`, errorPath(name)] as const),
  ...GUIDES.map(({ name, file }) => [file, guidePath(name)] as const),
  ...Object.entries(DOWNLOADS).map(([file, { path }]) => [file, path] as const),
]);

/** Returns the address of one page relative to another's, as a deployment may be reached below a prefix. */
export function relativeAddress(from: string, to: string): string {
  const directory = path.posix.relative(path.posix.dirname(from), path.posix.dirname(to));
  return path.posix.join(directory, path.posix.basename(to));
}

/**
 * Returns the served address of a link in a document, with its anchor; a page of another site as it is. null where it leads to
 * what the api does not serve.
 * @param file the document's path in the repository
 */
export function servedAddress(file: string, link: string): string | null {
  if (link.startsWith("https://")) return link;
  const [target = "", anchor] = link.split("#");
  const cited = target === "" ? file : path.posix.join(path.posix.dirname(file), target);
  const served = SERVED.get(cited);
  if (served === undefined) return null;
  return anchor === undefined ? served : `${served}#${anchor}`;
}
