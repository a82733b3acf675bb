// `npm test`: every stage, also after one failed, so that one run tells everything. `npm test -- e2e faults` runs
// the named stages only. Exits 1 when any stage failed.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root, STAGES } from "./stages.mjs";

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !STAGES.some((stage) => stage.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `no such stage: ${unknown.join(", ")}; there are ${STAGES.map(({ name }) => name).join(", ")}\n`,
  );
  process.exit(2);
}

rmSync(join(root, "test-results"), { recursive: true, force: true });
mkdirSync(join(root, "test-results"));

const failed = [];
for (const stage of STAGES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  process.stdout.write(`\n== ${stage.name}\n`);
  const startedMs = Date.now();
  const [program, ...args] = stage.command;
  const { status } = spawnSync(program, args, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
  process.stdout.write(
    `== ${stage.name}: ${status === 0 ? "passed" : "FAILED"} in ${Math.round((Date.now() - startedMs) / 1000)} s\n`,
  );
  if (status !== 0) failed.push(stage.name);
}
if (failed.length > 0) {
  process.stderr.write(`failed: ${failed.join(", ")}\n`);
  process.exit(1);
}
