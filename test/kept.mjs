// `npm run test:kept -- FILE...`: runs test files on a PostgreSQL server and on states of chains that stay for the next run, so that a
// file takes seconds. Other arguments are Jest's. `npm run test:kept -- stop` ends the server and removes all of it.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { JEST, root } from "./stages.mjs";

/** Sources of the kept parts, which are made anew after a change. */
const SOURCES = ["prisma", "packages/sandbox/src", "package-lock.json"];
const hash = (contents) => createHash("sha256").update(contents).digest("hex").slice(0, 16);
/** Answers the keeper's user alone, of this checkout. */
const SOCKET = join(tmpdir(), `partner-kept-${hash(root)}.sock`);

const args = process.argv.slice(2);
if (args[0] === "keep") await keep();
else if (args[0] === "stop") await ask("stop");
else process.exitCode = await run();

async function run() {
  const madeOf = fingerprint();
  let kept = await ask("environment");
  if (kept?.madeOf !== madeOf) {
    if (kept) await ask("stop");
    await startKeeper();
    kept = await ask("environment");
  }
  const [program, ...flags] = JEST;
  const env = { ...process.env, ...kept.env };
  return spawnSync(program, [...flags, ...args], { cwd: root, stdio: "inherit", env }).status;
}

function fingerprint() {
  const files = SOURCES.flatMap((source) => {
    const path = join(root, source);
    const entries = source.includes(".") ? null : readdirSync(path, { recursive: true, withFileTypes: true });
    return (
      entries?.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)) ?? [path]
    );
  });
  return hash(
    files
      .sort()
      .map((file) => `${file} ${hash(readFileSync(file))}`)
      .join("\n"),
  );
}

/** Returns the keeper's answer, null where none runs. */
function ask(question) {
  return new Promise((resolve) => {
    const socket = connect(SOCKET);
    socket.once("error", () => resolve(null));
    socket.once("data", (answer) => resolve(JSON.parse(answer)));
    socket.write(question);
  });
}

/** Starts the process that has the parts, and outlives this one. */
async function startKeeper() {
  // It holds no output of this process: what reads that would wait for its end.
  const options = { cwd: root, detached: true, stdio: ["ignore", "ignore", "ignore", "ipc"] };
  const keeper = spawn(process.execPath, [fileURLToPath(import.meta.url), "keep"], options);
  await new Promise((resolve, reject) => {
    keeper.once("message", ({ error }) => (error ? reject(new Error(error)) : resolve()));
    keeper.once("exit", (code) => reject(new Error(`the parts did not start: exit code ${code}`)));
  });
  keeper.removeAllListeners();
  keeper.disconnect();
  keeper.unref();
}

async function keep() {
  const madeOf = fingerprint();
  const { default: start } = await import("./support/program/shared-setup.mjs");
  const { default: end } = await import("./support/program/shared-teardown.mjs");
  try {
    await start();
  } catch (error) {
    process.send({ error: error.stack });
    throw error;
  }
  const names = ["TEST_DATABASE_ADMIN_URL", "TEST_DATABASE_TEMPLATE", "TEST_KEPT_CHAINS"];
  const env = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  const server = createServer((socket) => {
    socket.once("data", async (question) => {
      const isEnd = String(question) === "stop";
      if (isEnd) await end();
      socket.end(JSON.stringify({ madeOf, env }));
      if (isEnd) server.close();
    });
  });
  rmSync(SOCKET, { force: true });
  process.umask(0o077);
  server.listen(SOCKET, () => process.send({}));
}
