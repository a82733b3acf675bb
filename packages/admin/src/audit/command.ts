import type { Command } from "commander";
import { limit, since } from "../options.ts";
import { createCommand, examples, jsonOption, type Terminal } from "../terminal.ts";
import type { ListOptions } from "./options.ts";

const LIMIT_DEFAULT = 100;

/** `partner-trading-admin audit ...`: actions of the command line, and those in an operator's place. */
export function auditCommand(terminal: Terminal): Command {
  const audit = createCommand("audit", terminal).description("The audit log: what operators did");
  audit
    .command("list")
    .description("Shows the audit log, newest first")
    .option("--actor <name>", "done by this person or program")
    .option("--login <login>", "written by this login of PostgreSQL")
    .option("--action <action>", "what was done, such as key.revoke or 'webhooks pause'")
    .option("--subject <subject>", "what it was done to, such as an API key or a wallet")
    .option("--since <time>", "not older than this: such as 24h or 2030-01-31", since)
    .option("--limit <rows>", "entries at most", limit, LIMIT_DEFAULT)
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examples(
        "audit list --since 24h",
        "audit list --subject pk_4f6d...",
        "audit list --actor alice --json",
      ),
    )
    .action(async (options: ListOptions) => (await import("./actions.ts")).list(terminal, options));
  return audit;
}
