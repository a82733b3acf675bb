// `npm run release -- VERSION`: makes a release on main, as a commit, its tag, and a second commit that names the first
// (CONTRIBUTING.md#releases). It pushes nothing.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { ROOT } from "../src/config/root.ts";
import { PLACES, withVersion } from "./release/places.ts";

const CHANGELOG = "CHANGELOG.md";
const UNRELEASED = "## [Unreleased]\n";

const git = (...args: string[]) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
const read = (file: string) => readFileSync(ROOT + file, "utf8");

/** Returns why a version cannot be released now; nothing where it can. */
function problemsOf(version: string): string[] {
  const present: string = JSON.parse(read("package.json")).version;
  const [, unreleased = ""] = /^## \[Unreleased\]\n([\s\S]*?)^## /m.exec(read(CHANGELOG)) ?? [];
  const isVersion = /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}$/.test(version);
  const branch = git("branch", "--show-current");
  const checks: [isWrong: boolean, problem: string][] = [
    [!isVersion, `"${version}" is no version: MAJOR.MINOR.PATCH, as of Semantic Versioning`],
    [isVersion && !isAbove(version, present), `${version} is not above the present version, ${present}`],
    [git("tag", "--list", `v${version}`) !== "", `the tag v${version} exists`],
    [git("status", "--porcelain") !== "", "the working tree has changes: commit them first"],
    [branch !== "main", `the branch is "${branch}", not main`],
    [!/^- /m.test(unreleased), `${CHANGELOG} lists nothing under [Unreleased]`],
  ];
  return checks.filter(([isWrong]) => isWrong).map(([, problem]) => problem);
}

function isAbove(version: string, present: string): boolean {
  const numbers = version.split(".").map(Number);
  const below = present.split(".").map(Number);
  const differs = numbers.findIndex((number, index) => number !== below[index]);
  return differs !== -1 && (numbers[differs] ?? 0) > (below[differs] ?? 0);
}

/** Sets the version, and commits and tags that. Returns the commit. */
function commitRelease(version: string): string {
  const date = new Date().toISOString().slice(0, 10);
  const changelog = read(CHANGELOG).replace(UNRELEASED, `${UNRELEASED}\n## [${version}] - ${date}\n`);
  // All of them before the first is written.
  const texts = [...PLACES.keys()].map((file) => [file, withVersion(file, read(file), version)] as const);
  for (const [file, text] of [...texts, [CHANGELOG, changelog] as const]) writeFileSync(ROOT + file, text);
  git("commit", "--quiet", "--all", "--message", `Release ${version}`);
  git("tag", "--annotate", "--message", `Release ${version}`, `v${version}`);
  return git("rev-parse", "HEAD");
}

async function release(version: string): Promise<void> {
  const before = git("rev-parse", "HEAD");
  const commit = commitRelease(version);
  const { writeSnapshot } = await import("./release/snapshot.ts");
  writeSnapshot(version, commit);
  const message = `Upgrades and released documents are checked against ${version}`;
  git("commit", "--quiet", "--all", "--message", message);
  process.stdout.write(`v${version} is ${commit}; the commit behind it names it. Nothing is pushed. Next:
1. In docs/operations/upgrade.md, begin the list of the next version. Remove from test/faults/upgrade.long.test.ts what only
   ${version} needed. Commit.
2. npm test, which leaves out the upgrade:
   TEST_LONG=1 npm run test:kept -- test/faults/upgrade.long.test.ts --runInBand --forceExit
3. git push --atomic origin main v${version}
To undo it: git tag -d v${version} && git reset --hard ${before}
`);
}

const version = process.argv[2] ?? "";
const problems = problemsOf(version);
if (problems.length === 0) await release(version);
else {
  process.stderr.write(`No release is made:\n${problems.map((problem) => `- ${problem}\n`).join("")}`);
  process.exitCode = 1;
}
