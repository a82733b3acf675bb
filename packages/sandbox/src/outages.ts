import { spawn } from "node:child_process";

/** Parts of the sandbox that a script may stop for a while. */
export const OUTAGE_PARTS = ["node", "indexer", "worker", "webhooks", "market-data"] as const;
export type OutagePart = (typeof OUTAGE_PARTS)[number];

export interface Outages {
  /** Stops a part, or ends its outage where `seconds` is 0. @throws Error where no process here is that part */
  start(part: OutagePart, seconds: number): void;
  isOut(part: OutagePart): boolean;
  /** Ends all of them: a stopped process does not end in order. */
  end(): void;
}

/**
 * Creates the switch. A process is stopped as a whole, with its children: to the others it hangs, as a machine does that is overloaded.
 * A shell continues it, also where the sandbox itself is killed meanwhile: a stopped process cannot notice that.
 * @param processesOf returns the leaders of a part's process groups; none for what this process serves itself
 */
export function createOutages(
  processesOf: (part: OutagePart) => readonly number[],
  now: () => number = Date.now,
): Outages {
  const untilMs = new Map<OutagePart, number>();

  function start(part: OutagePart, seconds: number): void {
    const pids = processesOf(part);
    if (pids.length === 0 && part !== "market-data")
      throw new Error(`${part} is no process of this sandbox, and cannot be stopped here`);
    untilMs.set(part, now() + seconds * 1000);
    for (const pid of pids) {
      signalGroup(pid, seconds === 0 ? "SIGCONT" : "SIGSTOP");
      if (seconds > 0) continueLater(pid, seconds);
    }
  }

  return {
    start,
    isOut: (part) => (untilMs.get(part) ?? 0) > now(),
    end() {
      for (const part of untilMs.keys()) for (const pid of processesOf(part)) signalGroup(pid, "SIGCONT");
    },
  };
}

function continueLater(pid: number, seconds: number): void {
  const script = 'sleep "$1"; kill -CONT "-$2" 2>/dev/null';
  spawn("/bin/sh", ["-c", script, "sh", `${seconds}`, `${pid}`], { detached: true, stdio: "ignore" }).unref();
}

/** Each program and chain leads a process group of its own. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended, and is started again without the outage.
  }
}
