// Makes the packages of the clients, as a registry takes them: a tarball for npm, a wheel for pip. `npm run build` puts both into
// dist/clients, from where a deployment serves them.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildLibrary } from "./build.mjs";
import { makeWheel } from "./wheel.mjs";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const read = (name) => readFileSync(join(FOLDER, name), "utf8");

/** Files that the packages are made of, besides what the library imports; relative to the repository. */
export const clientSources = () =>
  ["src", "python"]
    .flatMap((folder) =>
      readdirSync(join(FOLDER, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.(ts|py)$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name).slice(FOLDER.length)),
    )
    .concat("package.json", "README.md", "LICENSE", "bin.mjs", "build.mjs", "pack.mjs", "wheel.mjs")
    .map((name) => `packages/client/${name}`);

/**
 * Returns the packages by file name, and SHA256SUMS, which has the hash of each.
 * @param service the build of the service
 * @param others packages that are served beside them
 */
export async function packClients(service, others = {}) {
  const { version } = JSON.parse(read("package.json"));
  const wheel = makeWheel({
    version,
    module: read("python/partner_trading.py"),
    readme: read("python/README.md"),
    licence: read("LICENSE"),
  });
  const files = {
    ...(await packPackage(FOLDER, ["README.md", "LICENSE", "bin.mjs"], (dist) =>
      buildLibrary(service, dist),
    )),
    [`partner_trading-${version}-py3-none-any.whl`]: wheel,
    ...others,
  };
  const sums = Object.entries(files).map(
    ([name, content]) => `${createHash("sha256").update(content).digest("hex")}  ${name}\n`,
  );
  return { ...files, SHA256SUMS: Buffer.from(sums.join("")) };
}

/**
 * Packs a package in a folder of its own: others may build it at the same time.
 * @param source its folder
 * @param names its files, beside package.json
 * @param buildInto builds its folder `dist`
 * @returns the tarball by its file name
 */
export async function packPackage(source, names, buildInto) {
  const folder = mkdtempSync(join(tmpdir(), "partner-trading-"));
  try {
    await buildInto(join(folder, "dist"));
    for (const name of names) cpSync(join(source, name), join(folder, name));
    // Leaves out fields that only a checkout needs.
    const {
      scripts: _scripts,
      devDependencies: _packages,
      ...manifest
    } = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
    writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
    const name = execFileSync("npm", args, { cwd: folder, encoding: "utf8" }).trim();
    return { [name]: readFileSync(join(folder, name)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
