import { parseArgs } from "node:util";
import { START, START_FRESH } from "./command.ts";
import { openDirectory } from "./directory.ts";
import { parseSandboxEnv, type SandboxEnv } from "./env.ts";
import { type Life, live } from "./lifecycle.ts";
import { createTerminal, type Terminal } from "./terminal.ts";

/** The whole service on this machine, from the database to the API, with its own chains. */
const USAGE = [
  [START, "starts the sandbox, or goes on from where it was"],
  [START_FRESH, "removes everything first"],
  [
    START_FRESH.replace("fresh", "temporary"),
    "the same; at its end, or that of the program that started it, it removes everything again",
  ],
]
  .map(([command = "", does]) => `${command.padEnd(START_FRESH.length + 6)}${does}`)
  .concat("docs/SANDBOX.md describes ports, directories and the control.")
  .join("\n");

process.exit(await main());

async function main(): Promise<number> {
  try {
    const flag = { type: "boolean", default: false } as const;
    const { values } = parseArgs({ options: { fresh: flag, temporary: flag, help: flag } });
    if (values.help) {
      process.stdout.write(`${USAGE}\n`);
      return 0;
    }
    const env = parseSandboxEnv(process.env);
    const terminal = createTerminal(env.LOG_LEVEL !== undefined);
    return await live((life) => start(env, values, life, terminal), {
      terminal,
      // A test that starts it (src/fixture) has a channel to it, or lets it be temporary.
      followParent: env.npm_lifecycle_event !== undefined || process.connected === true || values.temporary,
    });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

interface Flags {
  fresh: boolean;
  temporary: boolean;
}

async function start(env: SandboxEnv, flags: Flags, life: Life, terminal: Terminal): Promise<void> {
  const fresh = flags.fresh || flags.temporary;
  const directory = await openDirectory(env.SANDBOX_DIR, fresh);
  life.onEnd("directory", flags.temporary ? directory.remove : directory.release);
  terminal.print(`Starting the sandbox in ${directory.path}${fresh ? ", anew" : ""}`);
  // Imported late: it takes a second to load, and a refusal to start is shown at once.
  const { startSandbox } = await import("./start.ts");
  const { controlUrl } = await startSandbox({ env, fresh, directory, life, terminal });
  process.send?.({ controlUrl });
}
