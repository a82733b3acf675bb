// Bundles the server with the packages that it uses as one file, so that whoever installs it installs nothing else.
import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SOURCE = "packages/mcp/src/index.ts";

/**
 * Builds the server where its sources have changed.
 * @param service the build of the service (build.mjs), which makes it
 * @returns the URL of its module
 */
export async function buildServer({ build, programsBundle }) {
  const bundle = {
    ...programsBundle([SOURCE]),
    splitting: false,
    plugins: [{ name: "tools", setup: makeTools }],
  };
  const directory = await build([bundle], join(ROOT, "node_modules/.cache/mcp-server"));
  return pathToFileURL(join(directory, SOURCE.replace(/ts$/, "js"))).href;
}

/** Makes the tools while the server is built: it has them in place of the OpenAPI document, which is ten times as long. */
function makeTools(build) {
  build.onLoad({ filter: /[\\/]mcp[\\/]src[\\/]tools\.ts$/ }, async ({ path }) => {
    const options = { entryPoints: [path], bundle: true, format: "esm", write: false };
    const [module] = (await build.esbuild.build(options)).outputFiles;
    const { TOOLS } = await import(
      `data:text/javascript;base64,${Buffer.from(module.contents).toString("base64")}`
    );
    // The import names what the build is made of.
    const contents = `import "../../../docs/openapi.json";\nexport const TOOLS = ${JSON.stringify(TOOLS)};`;
    return { contents, resolveDir: dirname(path) };
  });
}

/** Puts the server into the folder `dist` of a package. */
export async function buildDist(service, dist) {
  mkdirSync(dist, { recursive: true });
  copyFileSync(fileURLToPath(await buildServer(service)), join(dist, "index.js"));
  for (const name of ["@modelcontextprotocol/sdk", "ajv", "ajv-formats", "zod"])
    copyFileSync(join(ROOT, `node_modules/${name}/LICENSE`), join(dist, `LICENSE.${name.split("/").at(-1)}`));
}
