import { setTimeout as delay } from "node:timers/promises";
import { type Child, superviseChild } from "./children.ts";
import type { Directory } from "./directory.ts";
import type { Life } from "./lifecycle.ts";
import type { Terminal } from "./terminal.ts";

/** Options of the production programs, whose environment docs/configuration.md documents. */
export interface ProgramOptions {
  directory: Directory;
  life: Life;
  terminal: Terminal;
  /** Variables of each program, beside the common ones. */
  env: Record<string, string>;
}

export interface Program {
  name: string;
  entry: string;
  url: string;
  env: Record<string, string>;
}

export function startProgram({ directory, life, terminal, env }: ProgramOptions, program: Program): Child {
  const { name, entry } = program;
  const child = superviseChild({
    name,
    entry,
    env: { ...env, ...program.env },
    logFile: directory.log(name),
    onLine: (line) => terminal.log(name, line),
    onSpawn: (pid) => directory.ledger.add(pid, entry),
    onRestart: (what) => terminal.print(`\n${what}`),
    onGiveUp: life.fail,
  });
  life.onEnd("programs", () => child.stop());
  return child;
}

/** Longer than a killed indexer keeps its successor out (25 s), and its backfill. */
const READY_MS = 120_000;
const POLL_MS = 100;

/**
 * Waits until a program answers 200.
 * @throws Error with its last answer, after two minutes, or when the end begins
 */
export async function untilReady(what: string, url: string, life: Life): Promise<void> {
  const deadline = Date.now() + READY_MS;
  let last = "no answer";
  while (Date.now() < deadline && !life.ending.aborted) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
      const text = await response.text();
      // An api is ready even while a chain or its index is not.
      if (response.status === 200 && !/"(indexer of )?chain /.test(text)) return;
      last = `${response.status} ${text}`;
    } catch {
      // Not listening yet.
    }
    await delay(POLL_MS);
  }
  throw new Error(`${what} is not ready: ${last.slice(0, 1_000)}`);
}
