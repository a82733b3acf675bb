import { Command, CommanderError } from "commander";
import { keysCommand } from "./keys.ts";
import { policiesCommand } from "./policies.ts";
import { walletsCommand } from "./wallets.ts";

const program = new Command("partner-trading")
  .description(
    "Operates the partner trading API. Reads DATABASE_URL; DEPLOYMENTS_FILE and MASTER_KEYS where it needs them.",
  )
  .addCommand(keysCommand(process.env))
  .addCommand(policiesCommand(process.env))
  .addCommand(walletsCommand(process.env))
  .exitOverride();

/** Runs the command. @returns 0: done; 1: it could not be done; 2: the command line is wrong */
async function main(): Promise<number> {
  try {
    await program.parseAsync();
    return 0;
  } catch (error) {
    // Commander has printed it already; a request for help is no failure.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

process.exitCode = await main();
