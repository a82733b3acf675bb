// Ponder's process is a program of its own: this is where it takes its environment in. It follows one chain.
import { loadDeployments, selectChains } from "../src/config/deployments.ts";
import { parseEnv } from "../src/config/env.ts";
import { createProductLookup } from "./products.ts";

const { DEPLOYMENTS_FILE, INDEXER_CHAINS } = parseEnv("indexer", process.env);
const [followed, ...others] = selectChains(loadDeployments(DEPLOYMENTS_FILE, process.env), INDEXER_CHAINS);
if (followed === undefined || others.length > 0)
  throw new Error("INDEXER_CHAINS: Ponder's process follows one chain");

export const chain = followed;
export const products = createProductLookup(chain);
