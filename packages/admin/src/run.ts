import { type Command, CommanderError } from "commander";
import { MalformedError } from "../../../src/auth/malformed-error.ts";
import { COMMIT, VERSION } from "../../../src/config/version.ts";
import { auditCommand } from "./audit/command.ts";
import { COMPLETION, completionCommand } from "./completion.ts";
import { dashboardUsersCommand } from "./dashboard-users/command.ts";
import { eventsCommand } from "./events/command.ts";
import { indexerCommand } from "./indexer/command.ts";
import { keysCommand } from "./keys/command.ts";
import { withLogin } from "./login.ts";
import { maintenanceCommand } from "./maintenance/command.ts";
import { policiesCommand } from "./policies/command.ts";
import { projectionCommand } from "./projection/command.ts";
import { queueCommand } from "./queue/command.ts";
import { reconcileCommand } from "./reconcile/command.ts";
import { environmentOf } from "./sandbox.ts";
import { sendingCommand } from "./sending/command.ts";
import { createCommand, examples, Failed, note, type Terminal } from "./terminal.ts";
import { walletsCommand } from "./wallets/command.ts";
import { webhooksCommand } from "./webhooks/command.ts";

/**
 * Runs a command line.
 * @returns 0: done; 1: failed; 2: the command line is wrong
 */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await createProgram(terminal).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    // Commander has printed it already; a request for help is no failure.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof Failed) return 1;
    note(terminal, `error: ${error instanceof Error ? error.message : String(error)}`);
    return error instanceof MalformedError ? 2 : 1;
  }
}

/**
 * Returns the whole command. Loads the dependencies of a command only when it runs: a start without them takes a third of the
 * time.
 */
export function createProgram(outside: Terminal): Command {
  const terminal = { ...outside };
  const program = createCommand("partner-trading-admin", terminal)
    .description(
      "Operates the partner trading API. Reads DATABASE_URL; DEPLOYMENTS_FILE, MASTER_KEYS and WEBHOOK_KEYS where it needs them.",
    )
    .version(`partner-trading-admin ${VERSION} (${COMMIT})`, "-V, --version", "print version and commit")
    .addCommand(auditCommand(terminal))
    .addCommand(dashboardUsersCommand(terminal))
    .addCommand(eventsCommand(terminal))
    .addCommand(indexerCommand(terminal))
    .addCommand(keysCommand(terminal))
    .addCommand(maintenanceCommand(terminal))
    .addCommand(policiesCommand(terminal))
    .addCommand(projectionCommand(terminal))
    .addCommand(queueCommand(terminal))
    .addCommand(reconcileCommand(terminal))
    .addCommand(sendingCommand(terminal))
    .addCommand(walletsCommand(terminal))
    .addCommand(webhooksCommand(terminal))
    .addHelpText(
      "after",
      `${examples("keys list", "wallets list --json")}\n\nExit codes: 0 done, 1 it could not be done, 2 the command line is wrong.`,
    );
  program.addCommand(completionCommand(terminal, program));
  return program.hook("preAction", (_program, action) => {
    if (action.parent === program && action.name() === COMPLETION) return;
    terminal.env = withLogin(environmentOf(terminal));
  });
}
