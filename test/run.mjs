// `npm test`: every stage, also after one failed, so that one run tells everything. `npm test -- e2e faults` runs
// the named stages only. Exits 1 when any stage failed.
import { spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { judgeStage } from "./results.mjs";
import { root, STAGES } from "./stages.mjs";

// Several times what the slowest stage takes on two cores: one that is still going then will not end by itself.
const STAGE_MS_MAX = 40 * 60_000;
const GRACE_MS = 30_000;

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

/** The stage that runs, as a process group; a terminal's Ctrl-C does not reach it. */
let stagePid = null;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, () => {
    signalGroup(stagePid, "SIGKILL");
    process.exit(1);
  });
}

const failed = [];
for (const stage of STAGES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  process.stdout.write(`\n== ${stage.name}\n`);
  const startedMs = Date.now();
  let how = await run(stage.command);
  if (how === "passed" && stage.results) {
    // Jest passes a run that left tests out.
    const { failed: count, problems } = judgeStage(stage, root);
    for (const problem of problems) process.stdout.write(`${problem}\n`);
    if (count > 0) how = "FAILED";
  }
  process.stdout.write(`== ${stage.name}: ${how} in ${Math.round((Date.now() - startedMs) / 1000)} s\n`);
  if (how !== "passed") failed.push(stage.name);
}
if (failed.length > 0) {
  process.stderr.write(`failed: ${failed.join(", ")}\n`);
  process.exit(1);
}

/** Runs a stage to its end, or to the end of its time, in a process group of its own: nothing of it stays. */
function run([program, ...args]) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: root,
      detached: true,
      stdio: ["ignore", "inherit", "inherit"],
    });
    let isLate = false;
    let force;
    const limit = setTimeout(() => {
      isLate = true;
      signalGroup(child.pid, "SIGTERM");
      force = setTimeout(() => signalGroup(child.pid, "SIGKILL"), GRACE_MS);
    }, STAGE_MS_MAX);
    stagePid = child.pid;
    child.once("error", (error) => resolve(`NOT STARTED (${error.message})`));
    child.once("exit", (status) => {
      clearTimeout(limit);
      clearTimeout(force);
      signalGroup(child.pid, "SIGKILL");
      if (isLate) resolve("STOPPED, because it did not end,");
      else resolve(status === 0 ? "passed" : "FAILED");
    });
  });
}

function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch {
    // Nobody is left.
  }
}
