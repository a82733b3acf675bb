import { spawn } from "node:child_process";
import { basename } from "node:path";
import { ROOT } from "../../../src/config/root.ts";
import { openLog } from "../assert/logs.ts";
import { until } from "../assert/until.ts";
import { builtScript } from "./built.ts";

/** A program in a process of its own, run from the build that this run of the tests made. */
export interface Program {
  pid: number;
  /** Returns the standard output so far, which is its log. */
  output(): string;
  /** Returns the standard error so far. */
  errors(): string;
  /** Exit code, null after a signal that was not handled. */
  exited: Promise<number | null>;
  ended(): boolean;
  kill(signal: NodeJS.Signals): void;
  /** Closes its standard input, as the death of its parent would. */
  orphan(): void;
}

/**
 * @param script relative to the repository's root
 * @param env all that the program sees, but for PATH and EXIT_WITH_PARENT
 * @param root another directory with a build
 */
export function startProgram(script: string, env: NodeJS.ProcessEnv, root = ROOT): Program {
  const child = spawn(process.execPath, [builtScript(script, root)], {
    cwd: root,
    stdio: ["pipe", "pipe", "pipe"],
    // It ends with this process too, however that ends.
    env: { PATH: process.env.PATH, EXIT_WITH_PARENT: "1", ...env },
  });
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  const log = openLog(basename(script, ".ts").replace("main", "api"));
  for (const [stream, kept] of [
    [child.stdout, output],
    [child.stderr, errors],
  ] as const) {
    stream.on("data", (chunk: Buffer) => {
      kept.push(chunk);
      log.write(chunk);
    });
  }
  const killAtExit = () => child.kill("SIGKILL");
  process.once("exit", killAtExit);
  return {
    pid: child.pid ?? 0,
    output: () => Buffer.concat(output).toString(),
    errors: () => Buffer.concat(errors).toString(),
    ended: () => child.exitCode !== null || child.signalCode !== null,
    exited: new Promise((resolve) =>
      child.once("close", (code) => {
        process.removeListener("exit", killAtExit);
        resolve(code);
      }),
    ),
    kill: (signal) => void child.kill(signal),
    orphan: () => child.stdin.end(),
  };
}

/** Returns the address at which a program says that it listens. @throws Error with its last words, where it ends before */
export function urlOf(program: Program): Promise<string> {
  const listening = () =>
    program
      .output()
      .split("\n")
      .find((entry) => entry.includes('"msg":"listening"'));
  return until(
    "the program listens, or has ended",
    () => {
      const line = listening();
      if (line) return String(JSON.parse(line).url);
      return program.ended() ? null : undefined;
    },
    150_000,
  ).then((url) => {
    if (url === null) throw new Error(`the program ended at its start:\n${program.errors()}`);
    return url;
  });
}
