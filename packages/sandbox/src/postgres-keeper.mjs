// Keeps a PostgreSQL server in a process of its own, so that a terminal's Ctrl-C does not reach the server before its users, and
// the server ends however the process that needs it ends: the channel between them closes then. Its settings come over that
// channel (see KeeperSettings in postgres-server.ts), because they hold the password.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Message of a server, and of a standby. */
const READY = /database system is ready to accept (read-only )?connections/;

/** Program that runs now: initdb first, then the server. */
let current = null;
let ending = false;

// Nobody reads the output of an orphan.
process.stdout.on("error", () => {});
process.once("disconnect", () => end(0));
process.once("message", (settings) => {
  run(settings).catch((error) => {
    process.stdout.write(`${error.message}\n`);
    end(1);
  });
});

async function run({ programs, data, user, port, superuser, password, flags, removeAtEnd }) {
  // A server that ended by itself leaves its data for the next one.
  process.once("exit", (code) => {
    if (code === 0 && removeAtEnd) rmSync(removeAtEnd, { recursive: true, force: true });
  });
  if (!existsSync(data)) await makeData({ programs, data, user, superuser, password });
  if (ending) return;
  const listening = ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="];
  current = launch(join(programs, "postgres"), ["-D", data, "-p", `${port}`, ...listening, ...flags], user);
  current.stderr.on("data", (text) => {
    if (READY.test(String(text))) process.send?.("ready");
  });
  const how = await ended(current);
  if (!ending) throw new Error(`PostgreSQL ended by itself (${how})`);
}

/** Creates the data in a temporary directory and renames it, so that an interrupted start leaves no partial data. */
async function makeData({ programs, data, user, superuser, password }) {
  const unfinished = `${data}.unfinished`;
  const passwordFile = `${data}.password`;
  for (const path of [unfinished, passwordFile]) rmSync(path, { recursive: true, force: true });
  try {
    mkdirSync(unfinished, { mode: 0o700 });
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600, flag: "wx" });
    if (user) for (const path of [unfinished, passwordFile]) chownSync(path, user.uid, user.gid);
    const server = ["--auth=scram-sha-256", `--username=${superuser}`, `--pwfile=${passwordFile}`];
    const cluster = [`--pgdata=${unfinished}`, "--encoding=UTF8", "--locale=C", "--no-sync"];
    current = launch(join(programs, "initdb"), [...cluster, ...server], user);
    const how = await ended(current);
    if (how !== "code 0" && !ending) throw new Error(`initdb ended with ${how}`);
    if (how === "code 0") renameSync(unfinished, data);
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

/** Starts a program with English messages, whatever the machine's language: one of them is waited for. */
function launch(program, args, user) {
  const child = spawn(program, args, {
    ...user,
    env: { ...process.env, LC_ALL: "C" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => process.stdout.write(text));
  return child;
}

/** @returns a description of its end */
async function ended(child) {
  const [code, signal] = await once(child, "exit");
  return signal ?? `code ${code}`;
}

async function end(code) {
  if (ending) return;
  ending = true;
  if (current && current.exitCode === null && current.signalCode === null) {
    const exited = once(current, "exit");
    // PostgreSQL's fast shutdown.
    current.kill("SIGINT");
    await exited;
  }
  process.exit(code);
}
