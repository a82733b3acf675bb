import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { ROOT } from "../../src/config/root.ts";

// `npm run audit` with a command in place of npm, which answers as npm does.

// A build packs the clients by npm itself.
beforeAll(() => {
  const { status, stderr } = spawnSync(process.execPath, ["build.mjs"], { cwd: ROOT, encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "audit-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const advisory = (title: string) => ({
  source: 1,
  title,
  url: `https://advisories.test/${title}`,
  severity: "high",
  range: "<9",
});
const vulnerability = (name: string, via: unknown[], ...nodes: string[]) => ({
  [name]: {
    name,
    severity: "high",
    isDirect: true,
    via,
    effects: [],
    range: "<9",
    nodes,
    fixAvailable: true,
  },
});

function audit(answer: string, ...args: string[]) {
  const npm = join(directory, "npm");
  writeFileSync(join(directory, "answer"), answer);
  writeFileSync(npm, `#!/bin/sh\necho "$@" > ${directory}/asked\ncat ${directory}/answer\nexit 1\n`);
  chmodSync(npm, 0o755);
  const env = { ...process.env, PATH: `${directory}:${process.env.PATH}` };
  return spawnSync(process.execPath, ["--import", "tsx", "tools/audit.ts", ...args], {
    cwd: ROOT,
    encoding: "utf8",
    env,
  });
}
const report = (...vulnerabilities: object[]) =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: Object.assign({}, ...vulnerabilities),
    metadata: {},
  });

it("shows the advisories of shipped packages, development's among them, and of no other", () => {
  const { stdout, status } = audit(
    report(
      vulnerability("preact", [advisory("markup")], "node_modules/preact"),
      vulnerability("jest", [advisory("runner")], "node_modules/jest"),
      // Vulnerable by a dependency, which is not shipped.
      vulnerability("ponder", ["vite"], "node_modules/ponder"),
      vulnerability("vite", [advisory("server")], "node_modules/vite"),
      vulnerability(
        "glob",
        [advisory("pattern")],
        "node_modules/glob",
        "node_modules/ponder/node_modules/glob",
      ),
    ),
  );
  expect(stdout).toContain(
    "high: preact <9: markup\n  https://advisories.test/markup\n  node_modules/preact\n",
  );
  expect(stdout).toContain("pattern\n  node_modules/ponder/node_modules/glob\n2 advisories about ");
  expect(stdout).not.toMatch(/runner|server|^ *node_modules\/glob$/m);
  expect(status).toBe(1);
});

it("says that there is none", () => {
  const { stdout, status } = audit(report(vulnerability("jest", [advisory("runner")], "node_modules/jest")));
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^no advisories about \d{3} shipped packages\n$/),
  });
});

it("fails, and shows the answer, where the registry gives no report", () => {
  for (const answer of ['{"message": "405 Method Not Allowed"}', ""]) {
    const { stdout, stderr, status } = audit(answer);
    expect(stderr).toContain(`npm audit gave no report:\n${answer}`);
    expect({ stdout, status }).toEqual({ stdout: "", status: 2 });
  }
});
