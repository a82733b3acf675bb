// `npm pack` in src/client runs this first: compiles the client library, and what it uses of src/protocol, to JavaScript and
// declarations in src/client/dist. One file per source file, so that bundlers leave out what is not imported.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const OUTPUT = join(ROOT, "src/client/dist");

rmSync(OUTPUT, { recursive: true, force: true });
const compiler = join(ROOT, "node_modules/.bin/tsgo");
execFileSync(compiler, ["-p", join(ROOT, "src/client/tsconfig.build.json")], { stdio: "inherit" });
// The compiler rewrites the extensions of imports in JavaScript only.
for (const name of readdirSync(OUTPUT, { recursive: true, encoding: "utf8" })) {
  if (!name.endsWith(".d.ts")) continue;
  const file = join(OUTPUT, name);
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replaceAll(/(from "|import\(")(\.[^"]+)\.ts"/g, '$1$2.js"'));
}
