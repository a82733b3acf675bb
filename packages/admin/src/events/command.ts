import { type Command, Option } from "commander";
import { EVENT_TYPES } from "../../../../src/protocol/enums.ts";
import { limit, objectId, since } from "../options.ts";
import { createCommand, examples, jsonOption, type Terminal } from "../terminal.ts";

/** `partner-trading-admin events ...`: the log of events (docs/events.md). */
export function eventsCommand(terminal: Terminal): Command {
  const events = createCommand("events", terminal).description("The log of events that partners read");
  events
    .command("list")
    .description("Shows events, the newest first")
    .option("--key <apiKey>", "of this key only")
    .addOption(new Option("--type <type>", "of this type only, such as order.filled").choices(EVENT_TYPES))
    .option("--object <id>", "about this order, operation or request to send; needs --since", objectId)
    .option("--since <time>", "not older than this, such as 2030-01-31T00:00:00Z or 2h", since)
    .option("--limit <count>", "rows at most", limit, 100)
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examples(
        "events list --key pk_4f6d... --since 2h",
        "events list --type order.rejected --limit 20 --json",
        "events list --object 0x5f1e... --since 7d",
      ),
    )
    .action(async (options, command: Command) => {
      // Most objects have a handful of events in a log of millions: a search without a bound would read all of it.
      if (options.object !== undefined && options.since === undefined)
        command.error(
          "error: --object needs --since, since no index has objects; the search of the dashboard finds the timeline of one at once",
        );
      await (await import("./actions.ts")).list(terminal, options);
    });
  return events;
}
