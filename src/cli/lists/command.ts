import type { Command } from "commander";
import { createCommand, examples, jsonOption, type Terminal } from "../terminal.ts";

const actions = () => import("./actions.ts");

/** `partner-trading-admin lists ...`: the archive that lists read (docs/lists.md). */
export function listsCommand(terminal: Terminal): Command {
  const lists = createCommand("lists", terminal).description("The archive that lists read");
  lists
    .command("show")
    .description("Shows how far each chain is settled")
    .addOption(jsonOption())
    .addHelpText("after", examples("lists show"))
    .action(async (options) => (await actions()).show(terminal, options));
  lists
    .command("rebuild")
    .description("Has the worker fill the archive anew; lists are slow until it is complete")
    .addOption(jsonOption())
    .addHelpText("after", examples("lists rebuild"))
    .action(async (options) => (await actions()).rebuild(terminal, options));
  return lists;
}
