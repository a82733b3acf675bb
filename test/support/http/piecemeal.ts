import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** Bytes of one connection: a request's headers, and then one piece many times. */
export interface Piecemeal {
  head: string;
  piece: string;
  pieces: number;
}

export interface Senders {
  /** Closes the connections that the server left open. */
  stop(): Promise<void>;
}

const SCRIPT = fileURLToPath(new URL("piecemeal.mjs", import.meta.url));

/** Opens many connections at once, from a process of its own. Resolves when the last byte is out, or no connection is left. */
export async function sendPiecemeal(url: string, connections: number, bytes: Piecemeal): Promise<Senders> {
  const input = JSON.stringify({ port: Number(new URL(url).port), connections, ...bytes });
  const child = spawn(process.execPath, [SCRIPT, input], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { PATH: process.env.PATH },
  });
  const exited = once(child, "exit");
  const [output] = await Promise.race([once(child.stdout, "data"), exited]);
  if (String(output) !== "sent\n") throw new Error(`the senders ended early: ${output}`);
  return {
    stop: async () => {
      child.stdin.end();
      await exited;
    },
  };
}

const PROBES = 20;
const PROBE_EVERY_MS = 50;

/**
 * Asks /livez again and again.
 * @param pid of the api
 * @returns the longest answer without the time that api and asker waited for a processor, milliseconds
 */
export async function slowestLivez(url: string, pid: number): Promise<number> {
  let slowest = 0;
  for (let index = 0; index < PROBES; index++) {
    const waited = waitedMs(pid) + waitedMs(process.pid);
    const startedAt = performance.now();
    const { status } = await fetch(`${url}/livez`, { signal: AbortSignal.timeout(30_000) });
    if (status !== 200) throw new Error(`/livez answered ${status}`);
    const waiting = waitedMs(pid) + waitedMs(process.pid) - waited;
    slowest = Math.max(slowest, performance.now() - startedAt - waiting);
    await sleep(PROBE_EVERY_MS);
  }
  return slowest;
}

/** Returns how long the main thread of a process has been ready to run, and has not run, milliseconds. */
const waitedMs = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6;
