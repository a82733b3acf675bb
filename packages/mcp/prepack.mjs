// `npm pack` in packages/mcp runs this first.
import { fileURLToPath } from "node:url";
import * as service from "../../build.mjs";
import { buildDist } from "./build.mjs";

await buildDist(service, fileURLToPath(new URL("dist", import.meta.url)));
