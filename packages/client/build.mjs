// `npm pack` in packages/client runs this first (`npm run client:build`). It compiles the client library, and the parts of
// src/protocol that it uses, to JavaScript and declarations in packages/client/dist: one file per source file, so that bundlers can
// omit unused ones. The one package that it uses is in the module that imports it: the library has no dependencies. The command
// line is one file there, with the packages that it uses.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build as bundle } from "esbuild";
import { build, partnersCommand } from "../../build.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const OUTPUT = join(ROOT, "packages/client/dist");
/** Folder of the library in it, beside that of src/protocol. */
const LIBRARY = "packages/client/src";

rmSync(OUTPUT, { recursive: true, force: true });
compileLibrary();
await bundleParser();
await bundleCommand();

function compileLibrary() {
  const project = join(ROOT, "packages/client/tsconfig.build.json");
  execFileSync(join(ROOT, "node_modules/.bin/tsgo"), ["-p", project], { stdio: "inherit" });
  // The compiler rewrites the extensions of imports in JavaScript only.
  for (const name of readdirSync(OUTPUT, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".d.ts")) continue;
    const file = join(OUTPUT, name);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replaceAll(/(from "|import\(")(\.[^"]+)\.ts"/g, '$1$2.js"'));
  }
}

async function bundleParser() {
  await bundle({
    absWorkingDir: join(OUTPUT, LIBRARY),
    entryPoints: ["sse.js"],
    outfile: "sse.js",
    allowOverwrite: true,
    bundle: true,
    external: ["./body.js"],
    format: "esm",
    target: "es2022",
  });
  copyLicence("eventsource-parser", LIBRARY);
}

async function bundleCommand() {
  const directory = await build([partnersCommand], join(ROOT, "node_modules/.cache/partners-command"));
  mkdirSync(join(OUTPUT, "cli"));
  copyFileSync(join(directory, "packages/client/src/cli/main.js"), join(OUTPUT, "cli/partner-trading.js"));
  copyLicence("commander", "cli");
  copyLicence("eventsource-parser", "cli");
}

function copyLicence(name, directory) {
  copyFileSync(join(ROOT, `node_modules/${name}/LICENSE`), join(OUTPUT, `${directory}/LICENSE.${name}`));
}
