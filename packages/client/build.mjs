// Builds the package: first of all for `npm pack` in packages/client (prepack.mjs, `npm run client:build`), and for `npm run build`. It
// compiles the client library, and the parts of src/protocol that it uses, to JavaScript and declarations: one file per source file, so
// that bundlers can omit unused ones. The one package that it uses is in the module that imports it: the library has no dependencies.
// Bundles the command line, with the packages that it uses, as one file.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build as bundle } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const OUTPUT = join(ROOT, "packages/client/dist");
/** Folder of the library in it, beside that of src/protocol. */
const LIBRARY = "packages/client/src";

/**
 * @param service the build of the service (build.mjs), which makes the command
 * @param output the directory, which is made anew
 */
export async function buildLibrary(service, output = OUTPUT) {
  rmSync(output, { recursive: true, force: true });
  compileLibrary(output);
  await bundleParser(output);
  await bundleCommand(output, service);
}

function compileLibrary(output) {
  const project = join(ROOT, "packages/client/tsconfig.build.json");
  execFileSync(join(ROOT, "node_modules/.bin/tsgo"), ["-p", project, "--outDir", output], {
    stdio: "inherit",
  });
  // The compiler rewrites the extensions of imports in JavaScript only.
  for (const name of readdirSync(output, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".d.ts")) continue;
    const file = join(output, name);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replaceAll(/(from "|import\(")(\.[^"]+)\.ts"/g, '$1$2.js"'));
  }
}

async function bundleParser(output) {
  await bundle({
    absWorkingDir: join(output, LIBRARY),
    entryPoints: ["sse.js"],
    outfile: "sse.js",
    allowOverwrite: true,
    bundle: true,
    external: ["./body.js"],
    // The output may be anywhere.
    nodePaths: [join(ROOT, "node_modules")],
    format: "esm",
    target: "es2022",
  });
  copyLicence("eventsource-parser", output, LIBRARY);
}

async function bundleCommand(output, { build, partnersCommand }) {
  const directory = await build([partnersCommand], join(ROOT, "node_modules/.cache/partners-command"));
  mkdirSync(join(output, "cli"));
  copyFileSync(join(directory, "packages/client/src/cli/main.js"), join(output, "cli/partner-trading.js"));
  copyLicence("commander", output, "cli");
  copyLicence("eventsource-parser", output, "cli");
}

function copyLicence(name, output, directory) {
  copyFileSync(join(ROOT, `node_modules/${name}/LICENSE`), join(output, `${directory}/LICENSE.${name}`));
}
