import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Hex } from "viem";
import type { Caller } from "../../../src/auth/caller.ts";
import type { CrashPoint } from "../../../src/context/crash-points.ts";
import { canary, openLog } from "../assert/logs.ts";
import { builtScript } from "../program/built.ts";

export interface SendProcessOptions {
  databaseUrl: string;
  rpcUrls: string[];
  caller: Caller;
  /** Private keys of its wallets. */
  keys: Hex[];
  /** Point at which the process kills itself. */
  crashAt?: CrashPoint;
  /** Pass of that point at which it does; the first by default. */
  crashAfter?: number;
}

export interface SendProcess {
  exited: Promise<unknown>;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
}

const ENTRY = builtScript("test/support/sender/send-process.ts");

/** Starts test/support/sender/send-process.ts and waits until it runs. */
export async function startSendProcess(options: SendProcessOptions): Promise<SendProcess> {
  for (const key of options.keys) canary("wallet key", key);
  const child: ChildProcess = spawn(process.execPath, [ENTRY, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  const output: string[] = [];
  const kept = openLog("sender");
  const exited = once(child, "exit");
  child.stderr?.on("data", (chunk: Buffer) => {
    output.push(chunk.toString("utf8"));
    kept.write(chunk);
  });
  await new Promise<void>((resolve, reject) => {
    if (child.stdout) createInterface({ input: child.stdout }).once("line", () => resolve());
    void exited.then(() => reject(new Error(`the process ended at its start:\n${output.join("")}`)));
  });
  return {
    exited,
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
