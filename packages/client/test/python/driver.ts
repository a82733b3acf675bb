import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const CLIENT = fileURLToPath(new URL("../../python", import.meta.url));
const DRIVER = fileURLToPath(new URL("driver.py", import.meta.url));

/** Arguments of PartnerTrading. */
export interface Settings {
  base_url: string;
  api_key: string;
  api_secret: string;
  chain_id: number;
  product_type: string;
  timeout?: number;
  retries?: number;
}

/** Outcome of a call of the Python client: its value, or the class of its error with the error's attributes. */
export type Outcome = { value?: unknown; error?: string; message?: string } & Record<string, unknown>;

export interface Python {
  /** Runs an operation of driver.py; calls are answered in their order. */
  ask(operation: string, ...args: readonly unknown[]): Promise<Outcome>;
  close(): void;
}

/** Starts one Python process that serves all calls of a test file. */
export function startPython(): Python {
  const child = spawn("python3", ["-W", "error", DRIVER], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { PATH: process.env.PATH, PYTHONPATH: CLIENT, PYTHONDONTWRITEBYTECODE: "1", PYTHONUTF8: "1" },
  });
  const waiting: { resolve: (outcome: Outcome) => void; reject: (error: Error) => void }[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => waiting.shift()?.resolve(JSON.parse(line)));
  child.once("close", (code) => {
    for (const { reject } of waiting.splice(0)) reject(new Error(`python3 ended with ${code}`));
  });
  return {
    ask: (operation, ...args) =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        child.stdin.write(`${JSON.stringify([operation, args])}\n`);
      }),
    close: () => child.stdin.end(),
  };
}
