import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { parseLines } from "./run-typescript.ts";
import type { Sample, SampleOutcome } from "./samples.ts";

const CLIENT = fileURLToPath(new URL("../../../packages/client/python", import.meta.url));
const RUNNER = fileURLToPath(new URL("run_samples.py", import.meta.url));

/** Runs samples with the machine's python3, in one process for all of them. */
export async function runPython(
  samples: readonly Sample[],
  env: NodeJS.ProcessEnv,
): Promise<SampleOutcome[]> {
  const child = spawn("python3", [RUNNER], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { PATH: process.env.PATH, PYTHONPATH: CLIENT, PYTHONDONTWRITEBYTECODE: "1", ...env },
  });
  child.stdin.end(JSON.stringify(samples));
  return parseLines(await text(child.stdout));
}
