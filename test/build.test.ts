import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { build, programsBundle } from "../build.mjs";
import { ROOT } from "../src/config/root.ts";

/** A program of the test's own, which it may change. */
let directory: string;
let program: string;
let output: string;

beforeEach(() => {
  mkdirSync(join(ROOT, "test-results"), { recursive: true });
  directory = mkdtempSync(join(ROOT, "test-results/build-"));
  program = relative(ROOT, join(directory, "program.ts"));
  output = join(directory, "out", program.replace(/\.ts$/, ".js"));
  write("export const word: string = 'first';");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

let writes = 0;
/** Writes the program as if some time ago: what changes while it is built is built again. */
function write(source: string): void {
  writeFileSync(join(ROOT, program), source);
  const seconds = 1_700_000_000 + writes++;
  utimesSync(join(ROOT, program), seconds, seconds);
}
const buildAgain = () => build([programsBundle([program])], join(directory, "out"));
/** Marks the output: whoever builds again writes over it. */
const mark = () => writeFileSync(output, "// kept");
const built = () => readFileSync(output, "utf8");

it("bundles a program, and leaves it alone while its sources stay as they are", async () => {
  await buildAgain();
  expect(built()).toContain('word = "first"');
  mark();
  await buildAgain();
  expect(built()).toBe("// kept");
});

it("lists the packages whose code it contains, whichever part of package.json names them, and no other", async () => {
  write(
    `import { Command } from "commander"; import type { Pool } from "pg"; export const made: [unknown, Pool?] = [new Command()];`,
  );
  await buildAgain();
  const sbomSchema = z.object({ components: z.array(z.object({ name: z.string(), purl: z.string() })) });
  const { components } = sbomSchema.parse(
    JSON.parse(readFileSync(join(directory, "out", "sbom.json"), "utf8")),
  );
  expect(components).toEqual([{ name: "commander", purl: expect.stringMatching(/^pkg:npm\/commander@\d/) }]);
});

it("builds again when a source has changed", async () => {
  await buildAgain();
  write("export const word: string = 'the second';");
  await buildAgain();
  expect(built()).toContain('word = "the second"');
});

it("builds again when a file of the build is gone", async () => {
  await buildAgain();
  rmSync(output);
  await buildAgain();
  expect(existsSync(output)).toBe(true);
});

it("builds again for another set of programs, and leaves nothing of the earlier one", async () => {
  await buildAgain();
  const other = program.replace("program.ts", "other.ts");
  writeFileSync(join(ROOT, other), "export const other = 1;");
  await build([programsBundle([other])], join(directory, "out"));
  expect(existsSync(output)).toBe(false);
});

it("leaves out zod's other languages, and looks at no file of a package to see whether it is current", async () => {
  write('import { z } from "zod"; export const message = z.string().safeParse(1).error?.issues[0]?.message;');
  await buildAgain();
  expect(built()).toContain("Invalid input");
  expect(built()).not.toContain("Ungültige Eingabe");
  const { sources } = z
    .object({ sources: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(directory, "out/made-of.json"), "utf8")));
  expect(Object.keys(sources).filter((path) => path.startsWith("node_modules/"))).toEqual([
    "node_modules/.package-lock.json",
  ]);
  expect(sources).toHaveProperty([program]);
});

/** Returns the commit; null where the sources were copied without their repository. */
function checkedOut(): string | null {
  const git = spawnSync("git", ["rev-parse", "--short=12", "HEAD"], { cwd: ROOT, encoding: "utf8" });
  return git.status === 0 ? git.stdout.trim() : null;
}

it("names the commit that it was made of, and is made again for another one", async () => {
  write("declare const BUILD_COMMIT: string;\nexport const commit = BUILD_COMMIT;");
  await buildAgain();
  const commit = checkedOut();
  expect(built()).toMatch(new RegExp(`commit = "${commit ?? "unknown"}(-modified)?"`));
  if (commit === null) return;
  const record = join(directory, "out/made-of.json");
  const made = readFileSync(record, "utf8");
  expect(made).toMatch(/logs\/HEAD":"\d/);
  writeFileSync(record, made.replace(/(logs\/HEAD":")\d+/, "$10"));
  mark();
  await buildAgain();
  expect(built()).toContain(`commit = "${commit}`);
});

describe("where esbuild is not installed", () => {
  /** Copies the build, and what makes it, to where no package is found. */
  async function ship() {
    await buildAgain();
    const root = mkdtempSync(join(tmpdir(), "partner-trading-build-"));
    cpSync(join(ROOT, "build.mjs"), join(root, "build.mjs"));
    cpSync(join(ROOT, "indexer"), join(root, "indexer"), { recursive: true });
    cpSync(join(directory, "out"), join(root, "dist"), { recursive: true });
    const production = (await import(
      pathToFileURL(join(root, "build.mjs")).href
    )) as typeof import("../build.mjs");
    const start = () => production.build([production.programsBundle([program])], join(root, "dist"));
    return { root, start };
  }

  it("a build that was copied there is used, whatever its sources are", async () => {
    const { root, start } = await ship();
    expect(await start()).toBe(join(root, "dist"));
    rmSync(root, { recursive: true });
  });

  it("one that lacks a file is refused, and the error says what to run where", async () => {
    const { root, start } = await ship();
    rmSync(join(root, "dist", program.replace(/\.ts$/, ".js")));
    await expect(start()).rejects.toThrow(/no complete build.*npm ci && npm run build.*copy dist/);
    rmSync(root, { recursive: true });
  });
});
