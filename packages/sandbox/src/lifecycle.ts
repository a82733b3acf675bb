import { setTimeout as delay } from "node:timers/promises";
import type { Terminal } from "./terminal.ts";

/** Stages of an end: a user of something ends before it. */
export const STAGES = ["programs", "settler", "services", "directory"] as const;
export type Stage = (typeof STAGES)[number];

/** Life of a running sandbox, for its start. */
export interface Life {
  /** Aborts when the end begins, also in the middle of the start. */
  readonly ending: AbortSignal;
  /** Registers a call for the end, in the order of the stages. */
  onEnd(stage: Stage, end: () => unknown): void;
  /** Ends everything because of a failure. */
  fail(error: Error): void;
  /** Runs one step of the start, and prints its duration. */
  step<T>(name: string, work: () => Promise<T>): Promise<T>;
}

export interface LifeOptions {
  terminal: Terminal;
  /** Ends once the parent process is gone: npm, or a test, may be killed without a signal to its child. */
  followParent: boolean;
}

/** Time for a step in flight to finish, so that what it starts is ended, too. */
const SETTLE_MS = 15_000;
/** Time limit of a stage, so that one that hangs does not block the next. */
const STAGE_MS = 20_000;
const PARENT_POLL_MS = 500;

class Ending extends Error {}

/**
 * Runs a start, then waits for SIGINT, SIGTERM, SIGHUP, the parent's death or a failure, and ends everything that was started.
 * @returns the exit code: 0 for a requested end
 */
export async function live(
  start: (life: Life) => Promise<void>,
  { terminal, followParent }: LifeOptions,
): Promise<number> {
  const controller = new AbortController();
  const ends: Record<Stage, (() => unknown)[]> = { programs: [], settler: [], services: [], directory: [] };
  let tellBegun: (code: number) => void = () => {};
  const begun = new Promise<number>((resolve) => {
    tellBegun = resolve;
  });
  const startedAt = Date.now();

  function begin(code: number, why: string): void {
    if (controller.signal.aborted) return;
    terminal.print(why);
    terminal.showWarnings(false);
    controller.abort();
    tellBegun(code);
  }
  const fail = (error: unknown) =>
    begin(1, `\nThe sandbox ends: ${error instanceof Error ? error.message : String(error)}`);

  const life: Life = {
    ending: controller.signal,
    onEnd: (stage, end) => void ends[stage].push(end),
    fail,
    async step(name, work) {
      if (controller.signal.aborted) throw new Ending();
      const from = Date.now();
      const result = await work();
      if (controller.signal.aborted) throw new Ending();
      terminal.print(`  ${((Date.now() - from) / 1000).toFixed(1).padStart(5)} s  ${name}`);
      return result;
    },
  };

  watchSignals((signal) => begin(0, `\n${signal}: the sandbox ends`));
  process.on("uncaughtException", fail);
  process.on("unhandledRejection", fail);
  if (followParent) watchParent(() => begin(0, "\nthe program that started the sandbox is gone: it ends"));
  const starting = start(life).catch((error: unknown) => {
    if (!(error instanceof Ending)) fail(error);
  });
  const code = await begun;
  await Promise.race([starting, delay(SETTLE_MS)]);
  for (const stage of STAGES) await endStage(ends[stage], terminal);
  terminal.print(`The sandbox has ended, after ${Math.round((Date.now() - startedAt) / 1000)} s.`);
  return code;
}

/** Ignores a second Ctrl-C: npm passes on its own, so there are always two. */
function watchSignals(onSignal: (signal: NodeJS.Signals) => void): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => onSignal(signal));
}

function watchParent(onGone: () => void): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) onGone();
  }, PARENT_POLL_MS).unref();
}

async function endStage(ends: (() => unknown)[], terminal: Terminal): Promise<void> {
  const all = Promise.all(
    ends.map(async (end) => {
      try {
        await end();
      } catch (error) {
        terminal.print(`while ending: ${error instanceof Error ? error.message : String(error)}`);
      }
    }),
  );
  const late = new AbortController();
  await Promise.race([all, delay(STAGE_MS, undefined, { signal: late.signal }).catch(() => undefined)]);
  late.abort();
}
