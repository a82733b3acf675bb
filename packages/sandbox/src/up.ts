import { parseArgs } from "node:util";
import { openDirectory } from "./directory.ts";
import { parseSandboxEnv, type SandboxEnv } from "./env.ts";
import { type Life, live } from "./lifecycle.ts";
import { createTerminal, type Terminal } from "./terminal.ts";

/** `npm start`: the whole service on this machine, from the database to the API, with its own chains. */
const USAGE = `npm start                  starts the sandbox, or goes on from where it was
npm start -- --fresh       forgets everything and starts anew
docs/SANDBOX.md tells of ports, directories and the control.`;

process.exit(await main());

async function main(): Promise<number> {
  try {
    const { values } = parseArgs({
      options: { fresh: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
    });
    if (values.help) {
      process.stdout.write(`${USAGE}\n`);
      return 0;
    }
    const env = parseSandboxEnv(process.env);
    const terminal = createTerminal(env.LOG_LEVEL !== undefined);
    return await live((life) => start(env, values.fresh, life, terminal), {
      terminal,
      followParent: env.npm_lifecycle_event !== undefined,
    });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

async function start(env: SandboxEnv, fresh: boolean, life: Life, terminal: Terminal): Promise<void> {
  const directory = await openDirectory(env.SANDBOX_DIR, fresh);
  life.onEnd("directory", directory.release);
  terminal.print(`Starting the sandbox in ${directory.path}${fresh ? ", anew" : ""}`);
  // Imported late: it takes a second to load, and a refusal to start is shown at once.
  const { startSandbox } = await import("./start.ts");
  await startSandbox({ env, fresh, directory, life, terminal });
}
