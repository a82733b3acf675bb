// Ponder's process is a program of its own: this is where it takes its environment in.
import { loadDeployments } from "../src/config/deployments.ts";
import { parseEnv } from "../src/config/env.ts";
import { createProductLookup } from "./products.ts";

export const deployments = loadDeployments(parseEnv("indexer", process.env).DEPLOYMENTS_FILE, process.env);
export const products = createProductLookup(deployments);
