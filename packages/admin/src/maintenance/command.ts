import type { Command } from "commander";
import { chainId, expiry, identifier } from "../options.ts";
import { createCommand, examples, jsonOption, type Terminal } from "../terminal.ts";

const actions = () => import("./actions.ts");

/** `partner-trading-admin maintenance ...`: what partners are told of planned work (docs/authentication.md#status). */
export function maintenanceCommand(terminal: Terminal): Command {
  const maintenance = createCommand("maintenance", terminal).description(
    "Maintenance that partners see in GET /status and in their events",
  );
  maintenance
    .command("announce")
    .description("Announces maintenance to all keys, or to those of one chain")
    .requiredOption("--from <time>", "when it begins: a time, or a span from now", expiry)
    .requiredOption("--until <time>", "when it ends: a time, or a span from now", expiry)
    .requiredOption("--text <text>", "what partners are to know, at most 500 characters")
    .option("--chain <id>", "the chain; all by default", chainId)
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examples(
        'maintenance announce --from 2030-01-31T06:00:00Z --until 2030-01-31T06:30:00Z --text "Sends wait."',
      ),
    )
    .action(async (options) => (await actions()).announce(terminal, options));
  maintenance
    .command("cancel")
    .description("Cancels a notice. To change one, cancel it and announce another")
    .argument("<noticeId>", "the notice", identifier)
    .addOption(jsonOption())
    .addHelpText("after", examples("maintenance cancel 6f1c1f52-3f0e-4b44-9f7e-2f0a3a0c0d11"))
    .action(async (noticeId, options) => (await actions()).cancel(terminal, noticeId, options));
  maintenance
    .command("list")
    .description("Shows notices that have not ended, the latest first")
    .option("--all", "also those that have ended")
    .addOption(jsonOption())
    .addHelpText("after", examples("maintenance list"))
    .action(async (options) => (await actions()).list(terminal, options));
  return maintenance;
}
