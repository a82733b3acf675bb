import { join } from "node:path";
import { z } from "zod";
import { readJson, writeJson } from "./files.ts";
import { endProcess, isStill, waitFor } from "./processes.ts";

/** Time in which the children of a killed sandbox end by themselves. */
const OWN_END_MS = 10_000;
const GRACE_MS = 10_000;

const schema = z.array(z.strictObject({ pid: z.int(), mark: z.string() }));
type Entry = z.output<typeof schema>[number];

export interface Ledger {
  /** Records a process; `mark` is a part of its command line. */
  add(pid: number, mark: string): void;
  /** Empties the record: all of them have ended. */
  clear(): void;
}

/** Records the processes of this run on disk, so that the next run finds those that a crash leaves behind. */
export function openLedger(directory: string): Ledger {
  const path = join(directory, "processes.json");
  let entries: Entry[] = [];
  return {
    add(pid, mark) {
      entries = [...entries.filter((entry) => isStill(entry.pid, entry.mark)), { pid, mark }];
      writeJson(path, entries);
    },
    clear() {
      entries = [];
      writeJson(path, entries);
    },
  };
}

/**
 * Ends processes that an earlier run left behind. They end by themselves once it is gone, however it ended; hanging ones are
 * killed.
 */
export async function endLeftovers(directory: string): Promise<void> {
  const entries = readJson(join(directory, "processes.json"), schema) ?? [];
  const left = entries.filter(({ pid, mark }) => isStill(pid, mark));
  if (left.length === 0) return;
  await waitFor(() => !left.some(({ pid, mark }) => isStill(pid, mark)), OWN_END_MS);
  await Promise.all(left.map(({ pid, mark }) => endProcess(pid, mark, "SIGTERM", GRACE_MS)));
}
