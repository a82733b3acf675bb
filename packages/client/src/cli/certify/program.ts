import { type ChildProcess, spawn } from "node:child_process";
import { VARIABLES } from "../credentials.ts";

/** Tasks that a program carries out (docs/certification.md#tasks). */
export type Task = "order" | "follow" | "list" | "webhook" | "rotate";

/** Credentials that a program gets; its address is that of the proxy. */
export interface ProgramKey {
  apiKey: string;
  apiSecret: string;
  chainId: number;
  productType: string;
}

export interface ProgramOptions {
  command: readonly string[];
  baseUrl: string;
  key: ProgramKey;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** Milliseconds until the program is ended. */
  timeoutMs: number;
  signal: AbortSignal;
}

/** A program that has ended. */
export interface Outcome {
  /** The JSON object of its last line; null where there is none. */
  result: Readonly<Record<string, unknown>> | null;
  /** Why there is no result; empty where there is one. */
  reason: string;
  /** All that it printed, on both outputs. */
  output: string;
}

export interface Running {
  ended: Promise<Outcome>;
  isOver: () => boolean;
}

const EXCERPT_CHARS = 300;
const OUTPUT_CHARS_MAX = 1_000_000;

/** Starts the program for one task. It gets task and input by environment variables, as it gets the key. */
export function startProgram(options: ProgramOptions, task: Task, input: object): Running {
  const [file = "", ...args] = options.command;
  // A group of its own: `npm run` and shells start the program as a child.
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: { ...options.env, ...environmentOf(options, task, input) },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let isOver = false;
  const ended = outcomeOf(child, options).finally(() => {
    isOver = true;
  });
  return { ended, isOver: () => isOver };
}

function environmentOf({ baseUrl, key }: ProgramOptions, task: Task, input: object): Record<string, string> {
  return {
    [VARIABLES.baseUrl]: baseUrl,
    [VARIABLES.apiKey]: key.apiKey,
    [VARIABLES.apiSecret]: key.apiSecret,
    [VARIABLES.chainId]: String(key.chainId),
    [VARIABLES.product]: key.productType,
    CERTIFY_TASK: task,
    CERTIFY_INPUT: JSON.stringify(input),
  };
}

function outcomeOf(child: ChildProcess, { timeoutMs, signal }: ProgramOptions): Promise<Outcome> {
  let [out, output] = ["", ""];
  child.stdout?.on("data", (chunk) => {
    out = (out + String(chunk)).slice(-OUTPUT_CHARS_MAX);
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk) => {
      output = (output + String(chunk)).slice(-OUTPUT_CHARS_MAX);
    });
  const stop = () => killGroup(child);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    stop();
  }, timeoutMs);
  signal.addEventListener("abort", stop, { once: true });
  return new Promise<Outcome>((resolve) => {
    const fail = (reason: string) => resolve({ result: null, reason, output });
    child.once("error", (error) => fail(`it cannot be started: ${error.message}`));
    child.once("close", (code, killedBy) => {
      if (isLate) return fail(`it had not ended after ${timeoutMs / 1000} s`);
      if (code !== 0)
        return fail(`it ended with ${killedBy ?? `code ${code}`}: ${excerpt(lastLine(output))}`);
      const result = parseObject(lastLine(out));
      if (result === null) return fail(`its last line is no JSON object: ${excerpt(lastLine(out))}`);
      resolve({ result, reason: "", output });
    });
  }).finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    // Ends processes that the program has started and not ended.
    stop();
  });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

const lastLine = (text: string): string => text.trimEnd().split("\n").at(-1) ?? "";
const excerpt = (text: string): string => text.slice(0, EXCERPT_CHARS);

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
