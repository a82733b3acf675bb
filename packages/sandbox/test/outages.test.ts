import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { afterEach, expect, it } from "@jest/globals";
import { present, until } from "../../../test/support/assert/until.ts";
import { createOutages } from "../src/outages.ts";

let child: ChildProcess;
afterEach(() => void child.kill("SIGKILL"));

/** Starts a program that leads a group, as the sandbox's do. */
function startProgram(): number {
  child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { detached: true, stdio: "ignore" });
  return present(child.pid, "its process");
}

/** Returns true for a stopped process (Linux). */
const isStopped = (pid: number) => /^\d+ \(.*\) T/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
const untilState = (pid: number, stopped: boolean) =>
  until(stopped ? "stopped" : "continued", () => (isStopped(pid) === stopped ? true : undefined));

it("row 101: a part that was stopped continues by itself, without the program that stopped it", async () => {
  const pid = startProgram();
  // Nothing of this process ends the outage.
  createOutages((part) => (part === "worker" ? [pid] : [])).start("worker", 1);
  await untilState(pid, true);
  await untilState(pid, false);
});

it("an outage ends on request, and with the sandbox", async () => {
  const pid = startProgram();
  const outages = createOutages(() => [pid]);
  outages.start("indexer", 600);
  await untilState(pid, true);
  expect(outages.isOut("indexer")).toBe(true);
  outages.start("indexer", 0);
  await untilState(pid, false);
  expect(outages.isOut("indexer")).toBe(false);
  outages.start("node", 600);
  await untilState(pid, true);
  outages.end();
  await untilState(pid, false);
});

it("stops what has no process of its own by time alone, and refuses a part that runs elsewhere", () => {
  let nowMs = 0;
  const outages = createOutages(
    () => [],
    () => nowMs,
  );
  outages.start("market-data", 10);
  expect(outages.isOut("market-data")).toBe(true);
  nowMs = 10_000;
  expect(outages.isOut("market-data")).toBe(false);
  expect(() => outages.start("node", 10)).toThrow("node is no process of this sandbox");
});
