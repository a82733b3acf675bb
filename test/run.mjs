// `npm test`: every stage, also after one failed, so that one run tells everything. `npm test -- e2e faults` runs
// the named stages only, and --long (`npm run test:long`) what is random or large for longer. Exits 1 when any failed.
import { spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { judgeStage } from "./results.mjs";
import { root, STAGES } from "./stages.mjs";

const isLong = process.argv.includes("--long");
// Several times what the slowest stage takes on two cores: one that is still going then will not end by itself. In the long form a
// partner trades for an hour, and mutants of all that has changed are run.
const STAGE_MS_MAX = (isLong ? 240 : 40) * 60_000;
const GRACE_MS = 30_000;

const wanted = process.argv.slice(2).filter((argument) => argument !== "--long");
const unknown = wanted.filter((name) => !STAGES.some((stage) => stage.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `no such stage: ${unknown.join(", ")}; there are ${STAGES.map(({ name }) => name).join(", ")}\n`,
  );
  process.exit(2);
}

rmSync(join(root, "test-results"), { recursive: true, force: true });
mkdirSync(join(root, "test-results"));

/** The stages that run, as process groups; a terminal's Ctrl-C does not reach them. */
const running = new Set();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, () => {
    for (const pid of running) signalGroup(pid, "SIGKILL");
    process.exit(1);
  });
}

const failed = [];
const chosen = STAGES.filter(({ name, isLong: ofLong = false }) =>
  wanted.length === 0 ? isLong || !ofLong : wanted.includes(name),
);
const lanes = new Set(chosen.map(({ lane }) => lane).filter((lane) => lane !== null));
await Promise.all([...lanes].map((lane) => runInOrder(chosen.filter((stage) => stage.lane === lane))));
await runInOrder(chosen.filter(({ lane }) => lane === null));
if (failed.length > 0) {
  process.stderr.write(`failed: ${failed.join(", ")}\n`);
  process.exit(1);
}

async function runInOrder(stages) {
  for (const stage of stages) {
    const { name, command, results } = stage;
    process.stdout.write(`== ${name}\n`);
    const startedMs = Date.now();
    let how = await run(name, command);
    if (how === "passed" && results) {
      // Jest passes a run that left tests out.
      const { failed: count, problems } = judgeStage(stage, root);
      for (const problem of problems) process.stdout.write(`${problem}\n`);
      if (count > 0) how = "FAILED";
    }
    process.stdout.write(`== ${name}: ${how} in ${Math.round((Date.now() - startedMs) / 1000)} s\n`);
    if (how !== "passed") failed.push(name);
  }
}

/** Runs a stage to its end, or to the end of its time, in a process group of its own: nothing of it stays. */
function run(name, [program, ...args]) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: root,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...(isLong ? { TEST_LONG: "1" } : {}) },
    });
    for (const [from, to] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ]) {
      createInterface({ input: from }).on("line", (line) => to.write(`${name.padEnd(9)} | ${line}\n`));
    }
    let isLate = false;
    let force;
    const limit = setTimeout(() => {
      isLate = true;
      signalGroup(child.pid, "SIGTERM");
      force = setTimeout(() => signalGroup(child.pid, "SIGKILL"), GRACE_MS);
    }, STAGE_MS_MAX);
    running.add(child.pid);
    child.once("error", (error) => resolve(`NOT STARTED (${error.message})`));
    child.once("exit", () => {
      signalGroup(child.pid, "SIGKILL");
      // Something that left the group may still hold its output.
      setTimeout(() => [child.stdout, child.stderr].map((stream) => stream.destroy()), GRACE_MS).unref();
    });
    // Its output has ended as well.
    child.once("close", (status) => {
      clearTimeout(limit);
      clearTimeout(force);
      running.delete(child.pid);
      if (isLate) resolve("STOPPED, because it did not end,");
      else resolve(status === 0 ? "passed" : "FAILED");
    });
  });
}

function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch {
    // The process has exited already.
  }
}
