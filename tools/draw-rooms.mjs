// `npm run rooms:draw`: draws the rooms of src/ and what each stands on into ARCHITECTURE.md, from dependency-cruiser's graph.
// An arrow that follows from others is left out. test/tools/draw-rooms.test.ts fails while the picture is not this one.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const PAGE = join(root, "ARCHITECTURE.md");
const PICTURE = /```mermaid\n[\s\S]*?```/;

/** Returns the room of a file: a folder of src/, the programs that stand in src/ itself, or the indexer. */
export function roomOf(path) {
  const [top, folder, ...rest] = path.split("/");
  if (top === "indexer") return "indexer";
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

/** Returns the picture of the code as it is. */
export function draw() {
  const program = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  const args = ["src", "indexer", "--output-type", "json", "--config", ".dependency-cruiser.cjs"];
  const output = execFileSync(process.execPath, [program, ...args], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  });
  return pictureOf(roomGraph(JSON.parse(output).modules));
}

/** Returns the picture that ARCHITECTURE.md shows, or null. */
export const shownPicture = () => PICTURE.exec(readFileSync(PAGE, "utf8"))?.[0] ?? null;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(
    PAGE,
    readFileSync(PAGE, "utf8").replace(PICTURE, () => draw()),
  );
}
