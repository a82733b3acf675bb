// Names the build of the indexer. The tables depend on its code, the ABIs and the addresses it follows: another build
// writes another schema beside the old one. RPC URLs and polling do not matter.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { relative, sep } from "node:path";
import type { ChainConfig } from "../src/config/deployments.ts";
import { ROOT } from "../src/config/root.ts";

/** Built by bundles.mjs; contains all code that decides the contents of the tables. */
const PROJECT = `${ROOT}dist/indexer`;
/** Its routes write no table, and Ponder may keep files of its own there. */
const IRRELEVANT = [`src${sep}api${sep}`, `.ponder${sep}`];

/**
 * Returns the name of the schema that this build writes for a chain.
 * @throws Error where the project has not been built
 */
export function schemaName({ chainId, products }: ChainConfig, project = PROJECT): string {
  const hash = createHash("sha256");
  for (const file of filesIn(project)) {
    if (IRRELEVANT.some((folder) => file.startsWith(folder))) continue;
    hash.update(`${file}\n`).update(readFileSync(`${project}/${file}`));
  }
  hash.update(readFileSync(`${ROOT}node_modules/ponder/package.json`));
  const followed = products.map(({ productType, startBlock, contracts }) => ({
    productType,
    startBlock,
    contracts,
  }));
  return `onchain_${chainId}_${hash.update(JSON.stringify(followed)).digest("hex").slice(0, 10)}`;
}

function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, `${entry.parentPath}/${entry.name}`))
    .toSorted();
}
