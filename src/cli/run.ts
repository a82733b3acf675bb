import { CommanderError } from "commander";
import { keysCommand } from "./keys.ts";
import { listsCommand } from "./lists.ts";
import { policiesCommand } from "./policies.ts";
import { createCommand, type Terminal } from "./shared.ts";
import { walletsCommand } from "./wallets.ts";
import { webhooksCommand } from "./webhooks.ts";

/** Runs a command line. @returns 0: done; 1: it could not be done; 2: the command line is wrong */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = createCommand("partner-trading-admin", terminal)
    .description(
      "Operates the partner trading API. Reads DATABASE_URL; DEPLOYMENTS_FILE, MASTER_KEYS and WEBHOOK_KEYS where it needs them.",
    )
    .addCommand(keysCommand(terminal))
    .addCommand(listsCommand(terminal))
    .addCommand(policiesCommand(terminal))
    .addCommand(walletsCommand(terminal))
    .addCommand(webhooksCommand(terminal));
  try {
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    // Commander has printed it already; a request for help is no failure.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    terminal.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}
