const MANIFEST = /(?<="name": "partner-trading[\w-]*",\s+"version": ")[^"]+/g;

/** Names of the packages that a deployment serves. */
const PACKAGE = /(?<=\/docs\/clients\/partner[-_]trading-(?:sandbox-|mcp-)?)\d+\.\d+\.\d+(?=\.tgz|-py3)/g;

/** Every file that has the version, and where. What else needs it reads one of them. */
export const PLACES: ReadonlyMap<string, RegExp> = new Map([
  ["package.json", MANIFEST],
  ["package-lock.json", MANIFEST],
  ["packages/client/package.json", MANIFEST],
  ["packages/client/python/partner_trading.py", /(?<=^__version__ = ")[^"]+/gm],
  ["docs/clients.md", PACKAGE],
  ["docs/SANDBOX.md", PACKAGE],
  ["packages/client/README.md", PACKAGE],
  ["packages/mcp/package.json", MANIFEST],
  ["packages/mcp/README.md", PACKAGE],
  // `npm run openapi` writes the same.
  ["docs/openapi.json", /(?<="title": "Partner trading API",\s+"version": ")[^"]+/g],
  ["docs/openapi-3.0.json", /(?<="title": "Partner trading API",\s+"version": ")[^"]+/g],
  ["deploy/Dockerfile", /(?<=org\.opencontainers\.image\.version=")[^"]+/g],
  ["deploy/kubernetes/base/kustomization.yaml", /(?<=name: partner-trading-api\s+newTag: ).+/g],
  // A Job's name has no dots.
  ["deploy/kubernetes/base/migrate.yaml", /(?<=^ {2}name: migrate-).+/gm],
]);

/** Returns the versions that a file has. */
export const versionsIn = (file: string, text: string): string[] =>
  (text.match(PLACES.get(file) ?? /^$/) ?? []).map((found) => found.replaceAll("-", "."));

/**
 * Returns the file with another version in its places.
 * @throws Error where it has none
 */
export function withVersion(file: string, text: string, version: string): string {
  const places = PLACES.get(file);
  if (!places || versionsIn(file, text).length === 0) throw new Error(`${file} has no version`);
  return text.replaceAll(places, (found) => (found.includes("-") ? version.replaceAll(".", "-") : version));
}
