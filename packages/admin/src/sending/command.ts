import type { Command } from "commander";
import { chainId } from "../options.ts";
import { createCommand, examples, jsonOption, type Terminal } from "../terminal.ts";

const actions = () => import("./actions.ts");

/** `partner-trading-admin sending ...`: the emergency stop of a chain (docs/sending.md#halting-a-chain). */
export function sendingCommand(terminal: Terminal): Command {
  const sending = createCommand("sending", terminal).description("The emergency stop of sending, by chain");
  sending
    .command("halt")
    .description(
      "Signs nothing new on a chain from now on, in every worker, until it is resumed. What is signed is followed to its end",
    )
    .requiredOption("--chain <id>", "the chain", chainId)
    .option("--reason <text>", "why, for the audit log and the dashboard")
    .addOption(jsonOption())
    .addHelpText("after", examples('sending halt --chain 1 --reason "router paused by its owner"'))
    .action(async (options) => (await actions()).halt(terminal, options));
  sending
    .command("resume")
    .description("Ends a halt: what waited is checked again and sent")
    .requiredOption("--chain <id>", "the chain", chainId)
    .addOption(jsonOption())
    .addHelpText("after", examples("sending resume --chain 1"))
    .action(async (options) => (await actions()).resume(terminal, options));
  sending
    .command("status")
    .description("Shows for each chain whether it is halted, since when and why, and what waits there")
    .addOption(jsonOption())
    .addHelpText("after", examples("sending status"))
    .action(async (options) => (await actions()).status(terminal, options));
  return sending;
}
