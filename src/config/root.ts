import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * The package's directory, with a slash at its end. Files other than code (schema, migrations, the indexer's sources) are read
 * from there, by the sources and by the programs built from them (build.mjs) alike.
 */
export const ROOT = fileURLToPath(packageUrl(new URL(".", import.meta.url)));

/** Returns the nearest directory above that has a package.json. */
function packageUrl(directory: URL): URL {
  if (existsSync(new URL("package.json", directory))) return directory;
  const parent = new URL("..", directory);
  if (parent.href === directory.href) throw new Error("no package.json above the programs");
  return packageUrl(parent);
}
