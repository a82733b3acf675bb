// Bundles the server with the packages that it uses as one file, so that whoever installs it installs nothing else.
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SOURCE = "packages/mcp/src/index.ts";

/**
 * Builds the server where its sources have changed.
 * @param service the build of the service (build.mjs), which makes it
 * @returns the URL of its module
 */
export async function buildServer({ build, programsBundle }) {
  const bundle = { ...programsBundle([SOURCE]), splitting: false };
  const directory = await build([bundle], join(ROOT, "node_modules/.cache/mcp-server"));
  return pathToFileURL(join(directory, SOURCE.replace(/ts$/, "js"))).href;
}

/** Puts the server into the folder `dist` of a package. */
export async function buildDist(service, dist) {
  mkdirSync(dist, { recursive: true });
  copyFileSync(fileURLToPath(await buildServer(service)), join(dist, "index.js"));
  for (const name of ["@modelcontextprotocol/sdk", "ajv", "ajv-formats", "zod"])
    copyFileSync(join(ROOT, `node_modules/${name}/LICENSE`), join(dist, `LICENSE.${name.split("/").at(-1)}`));
}
