import { type Command, InvalidArgumentError } from "commander";
import { cap, time } from "../options.ts";
import { createCommand, examples, jsonOption, type Terminal } from "../terminal.ts";
import { OPERATIONS, type SetOptions } from "./options.ts";

const actions = () => import("./actions.ts");

/** `partner-trading-admin policies ...`: limits of keys beyond their scope. Every change leaves an audit entry. */
export function policiesCommand(terminal: Terminal): Command {
  const policies = createCommand("policies", terminal).description("What keys may send for users");
  policies
    .command("set <apiKey>")
    .description("Changes a key's policy; what is not named stays")
    .option("--daily-notional <mUSD>", "most mUSD of orders a UTC day, or none", cap)
    .option("--symbols <list>", "stock symbols, comma separated, or all")
    .option("--operations <list>", `of ${OPERATIONS.join(", ")}; or all`)
    .option("--expires <time>", "when sending ends, such as 2030-01-31T00:00:00Z, or never", expiry)
    .option("--kill", "stop sending at once, also what is queued")
    .option("--no-kill", "let it send again")
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examples(
        "policies set pk_4f6d... --daily-notional 250000 --symbols AAPL,MSFT",
        "policies set pk_4f6d... --kill",
      ),
    )
    .action(async (apiKey: string, options: SetOptions) =>
      (await actions()).setPolicy(terminal, apiKey, options),
    );
  policies
    .command("show <apiKey>")
    .description("Shows a key's policy")
    .addOption(jsonOption())
    .addHelpText("after", examples("policies show pk_4f6d..."))
    .action(async (apiKey: string, options: { json?: boolean }) =>
      (await actions()).showPolicy(terminal, apiKey, options),
    );
  return policies;
}

/** Parses a time or "never". Returns no null for it: commander takes null for an option without a value. */
function expiry(value: string): Date | "never" {
  if (value === "never") return value;
  try {
    return time(value);
  } catch {
    throw new InvalidArgumentError("a time like 2030-01-31T12:00:00Z, or never");
  }
}
