// Unpacks the Chromium of the package @sparticuz/chromium once, beside node_modules' other caches, and prints where: the
// program `chromium`, its fonts, and the shared libraries (al2023/lib) that a bare machine lacks. A program of its own,
// because the package writes to the temporary directory, under fixed names.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const entry = import.meta.resolve("@sparticuz/chromium");
// The package does not export it by name; versions that do need Node 22.
const { inflate } = await import(new URL("lambdafs.js", entry));
const { version } = JSON.parse(readFileSync(new URL("../../package.json", entry), "utf8"));
const modules = fileURLToPath(new URL("../../../node_modules", import.meta.url));
// Resolves symbolic links: several checkouts may share one node_modules.
const cache = join(realpathSync(modules), ".cache");
const directory = join(cache, `chromium-${version}`);
// The package's own file looks for fonts in the temporary directory.
const inXml = (path) => path.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${inXml(join(directory, "fonts/fonts"))}</dir>
  <cachedir>${inXml(join(directory, "fonts/cache"))}</cachedir>
</fontconfig>
`;

if (!existsSync(directory)) await unpack();
process.stdout.write(directory);

/** Processes that unpack at the same time get a directory each; the first to finish gives its own the final name. */
async function unpack() {
  mkdirSync(cache, { recursive: true });
  const own = mkdtempSync(join(cache, "unpacking-"));
  process.env.TMPDIR = own;
  try {
    const archives = ["chromium.br", "fonts.tar.br", "al2023.tar.br"];
    await Promise.all(archives.map((name) => inflate(fileURLToPath(new URL(`../../bin/${name}`, entry)))));
    writeFileSync(join(own, "fonts/fonts.conf"), FONTS);
    renameSync(own, directory);
  } catch (error) {
    if (!existsSync(directory)) throw error;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}
