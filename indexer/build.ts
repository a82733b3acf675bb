// Which build of the indexer this is. What it makes of a chain depends on its code, the ABIs, the tables and the
// addresses it follows: another build writes another schema beside the old one. RPC URLs and polling do not matter.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { Deployments } from "../src/config/deployments.ts";
import { ROOT } from "../src/config/root.ts";

/** Lists the files that decide what is in the tables, relative to the root. A test checks that they import no others. */
export function buildFiles(): string[] {
  const folders = ["indexer/src", "src/contracts/abi"].flatMap((folder) =>
    readdirSync(`${ROOT}${folder}`, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${folder}/${entry.name}`),
  );
  return [
    ...folders,
    "indexer/deployed.ts",
    "indexer/ponder.config.ts",
    "indexer/ponder.schema.ts",
    "indexer/scopes.ts",
    "src/config/deployments.ts",
    "src/config/env.ts",
    "src/config/ip-range.ts",
    "src/contracts/attribution-suffix.ts",
    "src/contracts/stock-operation-id.ts",
    "node_modules/ponder/package.json",
  ].toSorted();
}

/** The name of the schema that this build writes for these deployments. */
export function schemaName(deployments: Deployments): string {
  const hash = createHash("sha256");
  for (const file of buildFiles()) hash.update(`${file}\n`).update(readFileSync(`${ROOT}${file}`));
  const followed = deployments.chains.map(({ chainId, products }) => ({
    chainId,
    products: products.map(({ productType, startBlock, contracts }) => ({
      productType,
      startBlock,
      contracts,
    })),
  }));
  return `onchain_${hash.update(JSON.stringify(followed)).digest("hex").slice(0, 10)}`;
}
