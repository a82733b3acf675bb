import { CommanderError } from "commander";
import { callCommand } from "./call.ts";
import { certifyCommand } from "./certify.ts";
import { completionCommand } from "./completion.ts";
import { initCommand } from "./init.ts";
import { listenCommand } from "./listen.ts";
import { mcpCommand } from "./mcp.ts";
import { pricesCommand } from "./prices.ts";
import { sandboxCommand } from "./sandbox-control.ts";
import { signCommand } from "./sign.ts";
import { CommandError, createCommand, note, type Terminal } from "./terminal.ts";
import { VERSION } from "./version.ts";

/**
 * Runs a command line.
 * @returns 0: done; 1: failed; 2: the command line is wrong; 130: Ctrl-C
 */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = createCommand("partner-trading", terminal)
    .description("Calls the partner trading API, and finds out why a request is refused.")
    .version(VERSION)
    .addCommand(callCommand(terminal))
    .addCommand(signCommand(terminal))
    .addCommand(listenCommand(terminal))
    .addCommand(pricesCommand(terminal))
    .addCommand(certifyCommand(terminal))
    .addCommand(initCommand(terminal))
    .addCommand(mcpCommand(terminal))
    .addCommand(sandboxCommand(terminal));
  program.addCommand(completionCommand(terminal, program));
  try {
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    // Commander has printed it; a request for help is no failure.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (terminal.interrupted.aborted) return 130;
    const isExpected = error instanceof CommandError;
    note(terminal, isExpected ? error.message : `error: ${error instanceof Error ? error.message : error}`);
    return 1;
  }
}
