import { type Command, Option } from "commander";
import { DASHBOARD_ROLES } from "../../../../src/protocol/enums.ts";
import { expiry } from "../options.ts";
import { createCommand, examples, jsonOption, type Terminal, yesOption } from "../terminal.ts";
import type { CreateOptions, RotateOptions } from "./options.ts";

const EXPIRY_DEFAULT = "90d";
const actions = () => import("./actions.ts");

/** `partner-trading-admin dashboard-users ...`: users of dashboards (docs/dashboards.md#users). */
export function dashboardUsersCommand(terminal: Terminal): Command {
  const users = createCommand("dashboard-users", terminal).description("Who may see dashboards");
  users
    .command("create")
    .description("Makes a user and shows the token, once")
    .requiredOption("--name <name>", "whose token it is")
    .addOption(
      new Option("--role <role>", "viewer: no user addresses and no audit log; operator: everything")
        .choices(DASHBOARD_ROLES)
        .makeOptionMandatory(),
    )
    .addOption(expiresOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examples(
        "dashboard-users create --name alice --role operator",
        "dashboard-users create --name wall-screen --role viewer --expires never",
      ),
    )
    .action(async (options: CreateOptions) => (await actions()).create(terminal, options));
  users
    .command("list")
    .description("Shows all users, never a token")
    .addOption(jsonOption())
    .addHelpText("after", examples("dashboard-users list", "dashboard-users list --json"))
    .action(async (options) => (await actions()).list(terminal, options));
  users
    .command("revoke <name>")
    .description("Ends a user's token for good, at once")
    .addOption(yesOption())
    .addOption(jsonOption())
    .addHelpText("after", examples("dashboard-users revoke alice", "dashboard-users revoke alice --yes"))
    .action(async (name, options) => (await actions()).revoke(terminal, name, options));
  users
    .command("rotate <name>")
    .description("Gives a user a new token and shows it, once; the one before it ends at once")
    .addOption(expiresOption())
    .addOption(yesOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examples("dashboard-users rotate alice", "dashboard-users rotate alice --expires 30d"),
    )
    .action(async (name: string, options: RotateOptions) =>
      (await actions()).rotate(terminal, name, options),
    );
  return users;
}

const expiresOption = (): Option =>
  new Option("--expires <time>", "when the token ends: such as 30d or 2030-01-31, or never")
    .argParser(expiry)
    .default(expiry(EXPIRY_DEFAULT), EXPIRY_DEFAULT);
