import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { processesOf } from "../../support/sandbox/sandbox.ts";

/** Ticks of /proc a second, on every Linux that Node.js supports. */
const TICKS = 100;

/** The sandbox's programs, by what their command lines hold. */
const PROGRAMS: [name: string, pattern: RegExp][] = [
  ["anvil", /bin\/anvil\b/],
  ["indexer", /ponder|bin\/indexer\b/],
  ["api", /bin\/api\b/],
  ["worker", /bin\/worker\b/],
  ["stub node", /bench\/sandbox\/stub\/node\b/],
  ["sandbox", /sandbox\/up\b/],
];

/** Reads the processor time that each program of a sandbox has used so far, seconds. Linux only. */
export type CpuMeter = () => Map<string, number>;

/** @param databaseUrl of a superuser of the sandbox's PostgreSQL */
export async function createCpuMeter(directory: string, databaseUrl: string): Promise<CpuMeter> {
  const postmaster = await postmasterOf(databaseUrl);
  return () => {
    const used = new Map(PROGRAMS.map(([name]) => [name, 0]));
    for (const pid of processesOf(directory)) {
      const program = PROGRAMS.find(([, pattern]) => pattern.test(commandOf(pid)));
      if (program) used.set(program[0], (used.get(program[0]) ?? 0) + secondsOf(pid));
    }
    // Only one of the nodes is there.
    if (used.get("stub node") === 0) used.delete("stub node");
    return used.set("PostgreSQL", secondsOfServer(postmaster));
  };
}

/** Returns the processor time of a PostgreSQL server so far, seconds. */
export function secondsOfServer(postmaster: number): number {
  const backends = readOrEmpty(`/proc/${postmaster}/task/${postmaster}/children`).split(" ").filter(Boolean);
  return [postmaster, ...backends.map(Number)].reduce((sum, pid) => sum + secondsOf(pid), 0);
}

/** Returns the postmaster's process id. PostgreSQL overwrites the environment by which the other programs are found. */
async function postmasterOf(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ data_directory: string }>("SHOW data_directory");
    return postmasterIn(rows[0]?.data_directory ?? "");
  } finally {
    await client.end();
  }
}

/** @param data the server's directory @returns its process */
export const postmasterIn = (data: string): number =>
  Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);

function commandOf(pid: number): string {
  return readOrEmpty(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
}

/** Returns the processor time of a process, and of those of its children that have ended, seconds. */
export function secondsOf(pid: number): number {
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  // The fields after the name, which may hold blanks: utime, stime, cutime and cstime are the 14th to 17th of all.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return ticks / TICKS;
}

/** Reads a file of a process, which may have ended meanwhile. */
function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
