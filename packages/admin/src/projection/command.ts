import type { Command } from "commander";
import { chainId, identifier, limit } from "../options.ts";
import { createCommand, examples, jsonOption, type Terminal } from "../terminal.ts";

const actions = () => import("./actions.ts");

/** `partner-trading-admin projection ...`: the rows that keys see of orders and operations (docs/projection.md). */
export function projectionCommand(terminal: Terminal): Command {
  const projection = createCommand("projection", terminal).description(
    "The rows that keys see of orders and operations",
  );
  projection
    .command("show")
    .description("Shows how far each chain is projected")
    .addOption(jsonOption())
    .addHelpText("after", examples("projection show"))
    .action(async (options) => (await actions()).show(terminal, options));
  projection
    .command("check")
    .description("Compares the rows with what claims own by the index, and names every difference")
    .option("--chain <id>", "only one chain", chainId)
    .option("--claim <claimId>", "only one claim", identifier)
    .option("--limit <count>", "differences shown at most; all are counted", limit, 1_000)
    .option("--allow-behind", "exit with 0 although claims are not comparable yet: of a restored backup")
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `${examples("projection check", "projection check --chain 1 --json > differences.json")}\n\nExits with 1 where something differs.`,
    )
    .action(async (options) => (await import("./check.ts")).check(terminal, options));
  projection
    .command("rebuild")
    .description("Has the worker compare and correct all rows once more, while they are read")
    .option("--chain <id>", "only one chain", chainId)
    .addOption(jsonOption())
    .addHelpText("after", examples("projection rebuild", "projection rebuild --chain 1"))
    .action(async (options) => (await actions()).rebuild(terminal, options));
  return projection;
}
