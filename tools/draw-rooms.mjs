// `npm run rooms:draw`: draws the rooms of src/, the packages on them and their imports into ARCHITECTURE.md, from dependency-cruiser's graph. An arrow
// that follows from others is left out. With --check (`npm run lint`) it writes nothing, reports imports that the layers forbid,
// and fails where there are any or the picture differs.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const PAGE = join(root, "ARCHITECTURE.md");
const PICTURE = /```mermaid\n[\s\S]*?```/;

/** Returns the room of a file: a folder of src/, the programs in src/ itself, the indexer, or a package of packages/. */
export function roomOf(path) {
  const [top, folder, ...rest] = path.split("/");
  if (top === "indexer") return "indexer";
  if (top === "packages") return rest[0] === "src" ? folder : null;
  if (top !== "src") return null;
  return rest.length > 0 ? folder : "programs";
}

/**
 * Returns the rooms that each room imports.
 * @param modules of dependency-cruiser's result: `[{ source, dependencies: [{ resolved }] }]`
 */
export function roomGraph(modules) {
  const graph = new Map();
  for (const { source, dependencies } of modules) {
    const room = roomOf(source);
    if (room === null) continue;
    const used = graph.get(room) ?? new Set();
    graph.set(room, used);
    for (const { resolved } of dependencies) {
      const other = roomOf(resolved);
      if (other !== null && other !== room) used.add(other);
    }
  }
  return graph;
}

/** Returns the graph without the arrows that follow from others. It has no cycles (.dependency-cruiser.cjs). */
export function reduced(graph) {
  const below = (room) => {
    const direct = graph.get(room) ?? new Set();
    return new Set([...direct].flatMap((other) => [other, ...below(other)]));
  };
  const needless = (used, other) => [...used].some((each) => each !== other && below(each).has(other));
  return new Map(
    [...graph].map(([room, used]) => [room, new Set([...used].filter((other) => !needless(used, other)))]),
  );
}

/** Returns the picture as a block of Markdown. */
export function pictureOf(graph) {
  const arrows = [...reduced(graph)].flatMap(([room, used]) =>
    [...used].map((other) => `  ${room} --> ${other}`),
  );
  return ["```mermaid", "flowchart TD", ...arrows.sort(), "```"].join("\n");
}

/** Returns the modules of all folders with code, and the violations of .dependency-cruiser.cjs. */
async function readModules() {
  // Loaded here, so that a test can use the functions above without it.
  const { cruise, format } = await import("dependency-cruiser");
  const { default: readOptions } = await import("dependency-cruiser/config-utl/extract-depcruise-options");
  const { default: readTypeScript } = await import("dependency-cruiser/config-utl/extract-ts-config");
  const options = await readOptions(join(root, ".dependency-cruiser.cjs"));
  const { enhancedResolveOptions, tsConfig } = options;
  const { output } = await cruise(
    ["src", "indexer", "packages", "tools", "test"],
    { ...options, baseDir: root, validate: true },
    enhancedResolveOptions,
    { tsConfig: readTypeScript(join(root, tsConfig.fileName)) },
  );
  const report = await format(output, { outputType: "err" });
  return { modules: output.modules, report: report.output, violations: report.exitCode };
}

async function main(isCheck) {
  const { modules, report, violations } = await readModules();
  process.stdout.write(`${report}\n`);
  if (violations > 0) {
    // Rooms in a cycle have no picture.
    process.exitCode = 1;
    return;
  }
  const picture = pictureOf(roomGraph(modules));
  const page = readFileSync(PAGE, "utf8");
  if (!isCheck)
    return writeFileSync(
      PAGE,
      page.replace(PICTURE, () => picture),
    );
  const isShown = PICTURE.exec(page)?.[0] === picture;
  if (!isShown) {
    process.stderr.write("ARCHITECTURE.md does not show the rooms as they are: `npm run rooms:draw`\n");
  }
  if (!isShown) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.includes("--check"));
