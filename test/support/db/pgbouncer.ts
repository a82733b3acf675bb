import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { freePort } from "../../../packages/sandbox/src/ports.ts";
import { until, whenReachable } from "../assert/until.ts";
import { findProgram } from "../program/parts.mjs";

/** PgBouncer in front of a database, pooling transactions: a connection's statements go to many of the server's. */
export interface PgBouncer {
  url: string;
  stop(): Promise<void>;
}

/** @param databaseUrl what it connects to */
export async function startPgBouncer(databaseUrl: string): Promise<PgBouncer> {
  const program = findProgram("pgbouncer");
  if (program === null) throw new Error("this machine has no pgbouncer");
  const directory = mkdtempSync(join(tmpdir(), "partner-pgbouncer-"));
  const port = await freePort();
  writeConfig(directory, port, new URL(databaseUrl));
  const child = spawn(program, [...asAnotherUser(directory), join(directory, "pgbouncer.ini")], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = outputOf(child);
  const killAtExit = () => child.kill("SIGKILL");
  process.once("exit", killAtExit);
  const stop = async (): Promise<void> => {
    process.removeListener("exit", killAtExit);
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    }
    rmSync(directory, { recursive: true, force: true });
  };
  const url = new URL(databaseUrl);
  url.port = String(port);
  try {
    await until("PgBouncer takes connections", () => answers(url.href));
  } catch (error) {
    await stop();
    throw new Error(`${String(error)}; it printed:\n${output()}`);
  }
  return { url: url.href, stop };
}

function writeConfig(
  directory: string,
  port: number,
  { hostname, port: serverPort, username, password }: URL,
): void {
  writeFileSync(join(directory, "users.txt"), `"${username}" "${password}"\n`);
  writeFileSync(
    join(directory, "pgbouncer.ini"),
    `[databases]
* = host=${hostname} port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${join(directory, "users.txt")}
pool_mode = transaction
default_pool_size = 20
max_client_conn = 500
`,
  );
}

/** Returns the arguments that run it as the user of the embedded PostgreSQL: it refuses to run as root. */
function asAnotherUser(directory: string): string[] {
  if (process.getuid?.() !== 0) return [];
  chmodSync(directory, 0o755);
  return ["-u", "postgres"];
}

function outputOf(child: ChildProcess): () => string {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += String(chunk)));
  return () => output;
}

async function answers(url: string): Promise<true> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 60_000 });
  await whenReachable(client.connect());
  await client.query("SELECT 1");
  await client.end();
  return true;
}
