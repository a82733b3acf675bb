import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { ROOT } from "../../src/config/root.ts";
import { PLACES, versionsIn } from "../../tools/release/places.ts";
import { describeWhere } from "../support/program/describe-where.ts";

const NEW = "7.8.9";
const { version: PRESENT }: { version: string } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8"));

/** A clone of this checkout, as it is in files that Git knows. */
let clone: string;
let before: string;

const run = (cwd: string, program: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  return { status, stdout, stderr };
};
function git(...args: string[]): string {
  const { status, stdout, stderr } = run(clone, "git", ...args);
  expect({ args, status, stderr }).toEqual({ args, status: 0, stderr });
  return stdout.trim();
}
const release = (...args: string[]) =>
  run(clone, process.execPath, "--import", "tsx", "tools/release.ts", ...args);
const read = (file: string) => readFileSync(join(clone, file), "utf8");

describeWhere("history", "npm run release", () => {
  beforeAll(() => {
    clone = mkdtempSync(join(tmpdir(), "partner-release-"));
    const changed = run(ROOT, "git", "stash", "create").stdout.trim();
    git("clone", "--quiet", "--shared", "--no-tags", ROOT, ".");
    git("checkout", "--quiet", "-B", "main", changed || "HEAD");
    git("config", "user.name", "Test");
    git("config", "user.email", "test@example.com");
    symlinkSync(join(ROOT, "node_modules"), join(clone, "node_modules"));
    symlinkSync(join(ROOT, "src/db/generated"), join(clone, "src/db/generated"));
    appendFileSync(join(clone, ".git/info/exclude"), "node_modules\nsrc/db/generated\n");
    // Whatever the present state is, there is something to release.
    const changelog = read("CHANGELOG.md").replace(
      /^## \[Unreleased\]\n/m,
      "$&\n### Added\n\n- Something.\n",
    );
    writeFileSync(join(clone, "CHANGELOG.md"), changelog);
    git("commit", "--quiet", "--all", "--message", "Something to release");
    before = git("rev-parse", "HEAD");
  });
  afterAll(() => rmSync(clone, { recursive: true, force: true }));

  const edit = (file: string, from: RegExp, to: string) =>
    writeFileSync(join(clone, file), read(file).replace(from, to));

  it.each<[string, version: string, problem: string, prepare?: () => void]>([
    ["no version", "", '"" is no version: MAJOR.MINOR.PATCH, as of Semantic Versioning'],
    ["a tag's name", `v${NEW}`, `"v${NEW}" is no version`],
    ["two numbers", "7.8", '"7.8" is no version'],
    ["a leading zero", "7.08.9", '"7.08.9" is no version'],
    ["the present version", PRESENT, `${PRESENT} is not above the present version, ${PRESENT}`],
    ["a lower one", "0.2.99", `0.2.99 is not above the present version, ${PRESENT}`],
    ["a tag that exists", NEW, `the tag v${NEW} exists`, () => git("tag", `v${NEW}`)],
    ["another branch", NEW, 'the branch is "other", not main', () => git("checkout", "-q", "-b", "other")],
    ["no branch", NEW, 'the branch is "", not main', () => git("checkout", "-q", "--detach")],
    [
      "a changed file",
      NEW,
      "the working tree has changes: commit them first",
      () => edit("README.md", /^/, "\n"),
    ],
    [
      "a file that Git does not know",
      NEW,
      "the working tree has changes: commit them first",
      () => writeFileSync(join(clone, "new.txt"), ""),
    ],
    [
      "nothing to release",
      NEW,
      "CHANGELOG.md lists nothing under [Unreleased]",
      () => {
        edit("CHANGELOG.md", /(?<=\[Unreleased\]\n)[\s\S]*?(?=^## )/m, "\n### Added\n\n");
        git("commit", "--quiet", "--all", "--message", "Nothing");
      },
    ],
  ])("refuses %s, and changes nothing", (_what, version, problem, prepare) => {
    prepare?.();
    const state = () => [git("rev-parse", "HEAD"), git("status", "--porcelain"), git("tag")];
    const unchanged = state();
    const { status, stdout, stderr } = release(version);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    // It is the only problem.
    expect(stderr).toMatch(/^No release is made:\n- .*\n$/);
    expect(stderr).toContain(problem);
    expect(state()).toEqual(unchanged);
    git("checkout", "--quiet", "--force", "-B", "main", before);
    git("clean", "--quiet", "--force");
    git("tag", "--list", "--format=%(refname:short)")
      .split("\n")
      .filter(Boolean)
      .map((tag) => git("tag", "-d", tag));
  });

  it("names all problems at once", () => {
    writeFileSync(join(clone, "new.txt"), "");
    expect(release(PRESENT).stderr.split("\n")).toHaveLength(4);
    rmSync(join(clone, "new.txt"));
  });

  it("makes a commit with one version everywhere, its tag, and a commit that names it", () => {
    const { status, stdout, stderr } = release(NEW);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const [second, first, base] = git("log", "--format=%H", "-3").split("\n");
    expect(base).toBe(before);
    expect(git("log", "--format=%s", "-2").split("\n")).toEqual([
      `Upgrades and released documents are checked against ${NEW}`,
      `Release ${NEW}`,
    ]);
    expect(git("cat-file", "-t", `v${NEW}`)).toBe("tag");
    expect(git("rev-parse", `v${NEW}^{commit}`)).toBe(first);
    expect([git("branch", "--show-current"), git("status", "--porcelain")]).toEqual(["main", ""]);

    for (const file of PLACES.keys())
      expect({ file, versions: [...new Set(versionsIn(file, read(file)))] }).toEqual({
        file,
        versions: [NEW],
      });
    expect(git("diff", "--name-only", before, `${first}`).split("\n").sort()).toEqual(
      ["CHANGELOG.md", ...PLACES.keys()].sort(),
    );
    expect(read("CHANGELOG.md")).toMatch(
      new RegExp(
        `\n## \\[Unreleased\\]\n\n## \\[${NEW}\\] - \\d{4}-\\d\\d-\\d\\d\n\n### Added\n\n- Something.\n`,
      ),
    );

    expect(JSON.parse(read("prisma/released.json"))).toMatchObject({ version: NEW, commit: first });
    expect(read("prisma/grants.released.sql")).toBe(read("prisma/grants.sql"));
    expect(read("tools/migrations/allowed.ts")).toMatch(/^export const ALLOWED: .* = \{\};$/m);
    expect(read("tools/breaking-changes/allowed.ts")).toMatch(/^export const ALLOWED: .* = \[\];$/m);
    expect(stdout).toContain(`v${NEW} is ${first}`);
    expect(stdout).toContain(`git reset --hard ${before}`);
    expect(second).toBe(git("rev-parse", "main"));
  });

  it("leaves the version before nowhere but in what is about that version", () => {
    const dots = PRESENT.replaceAll(".", "\\.");
    const value = `(["'\`:/=v]|Tag: )${dots}(["'\`]|$)|migrate-${PRESENT.replaceAll(".", "-")}`;
    // Packages of others in package-lock.json have versions of their own.
    const found = run(clone, "git", "grep", "-nE", value, "--", ".", ":!*package-lock.json");
    expect(found).toEqual({ status: 1, stdout: "", stderr: "" });
  });
});
