import type { Command } from "commander";
import { createCommand, examples, jsonOption, type Terminal } from "../terminal.ts";

/** `partner-trading-admin indexer ...`: progress of the index (indexer/README.md). */
export function indexerCommand(terminal: Terminal): Command {
  const indexer = createCommand("indexer", terminal).description("The index of the chains");
  indexer
    .command("status")
    .description(
      "Shows for each build and chain how far it is, and the schemas of old builds with their size",
    )
    .addOption(jsonOption())
    .addHelpText("after", examples("indexer status"))
    .action(async (options) => (await import("./actions.ts")).status(terminal, options));
  return indexer;
}
