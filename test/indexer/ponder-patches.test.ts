import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { findMisfits, PATCHES, PONDER_VERSION } from "../../indexer/ponder-patches.mjs";
import { ROOT } from "../../src/config/root.ts";

/** The list of what is changed of Ponder is compared with the installed package and with docs/upstream/. */
const PONDER = join(ROOT, "node_modules/ponder");
const PAGES = join(ROOT, "docs/upstream");
const names = PATCHES.map(({ name }) => name);
const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"));

describe("the list of Ponder's patches", () => {
  it("is for the version that is installed", () => {
    expect(readJson(join(ROOT, "package.json")).dependencies.ponder).toBe(PONDER_VERSION);
    expect(readJson(join(PONDER, "package.json")).version).toBe(PONDER_VERSION);
  });

  it("has each name once, and a problem, a remedy and existing files", () => {
    expect(names).toEqual([...new Set(names)]);
    for (const { name, problem, remedy, changes, around } of PATCHES) {
      expect([name, problem, remedy]).toEqual([
        name,
        expect.stringMatching(/\.$/),
        expect.stringMatching(/\.$/),
      ]);
      expect([name, Object.keys(changes).length + around.length]).not.toEqual([name, 0]);
      expect([name, around.filter((file) => !existsSync(join(ROOT, file)))]).toEqual([name, []]);
    }
  });

  it("fits what is installed, and changes it", () => {
    expect(findMisfits(PONDER)).toEqual([]);
    for (const { changes } of PATCHES) {
      for (const [file, change] of Object.entries(changes)) {
        const source = readFileSync(join(PONDER, "dist/esm", file), "utf8");
        expect([file, change(source) === source]).toEqual([file, false]);
      }
    }
  });

  it("says which patches do not fit another package", () => {
    const folder = mkdtempSync(join(tmpdir(), "ponder-"));
    const changing = PATCHES.flatMap(({ name, changes }) => Object.keys(changes).map(() => name));
    expect(findMisfits(folder).map((misfit) => misfit.split(":")[0])).toEqual(changing);
    rmSync(folder, { recursive: true });
  });

  it("is the only place that changes Ponder's files", () => {
    const others = readdirSync(join(ROOT, "indexer")).filter(
      (file) => /\.mjs$/.test(file) && file !== "ponder-patches.mjs",
    );
    const changing = others.filter((file) =>
      /onLoad\([^)]*ponder/.test(readFileSync(join(ROOT, "indexer", file), "utf8")),
    );
    expect(changing).toEqual([]);
  });
});

describe("docs/upstream", () => {
  it("has a page for each entry, and no other", () => {
    expect(readdirSync(PAGES).sort()).toEqual(["README.md", ...names.map((name) => `${name}.md`)].sort());
  });

  it.each(names)("has what an issue needs: %s", (name) => {
    const page = readFileSync(join(PAGES, `${name}.md`), "utf8");
    expect(page).toContain(`\n\nPonder ${PONDER_VERSION}\n\n`);
    expect(page.match(/^#+ .*/gm)?.slice(1)).toEqual([
      "## What happens",
      "## Steps to reproduce",
      "## Expected",
      "## Workaround",
    ]);
    expect(page).toMatch(/^# \S.{10,}\n/);
    const { around } = PATCHES.find((patch) => patch.name === name) ?? { around: [] };
    expect(around.filter((file) => !page.includes(`\`${file}\``) && !/^src\//.test(file))).toEqual([]);
  });
});
