import { type Command, Option } from "commander";
import { chainId, identifier, limit } from "../options.ts";
import { createCommand, examples, jsonOption, type Terminal } from "../terminal.ts";

const actions = () => import("./actions.ts");
/** States of requests that are not final (docs/sending.md#states). */
const STATES = ["accepted", "reserved", "signed", "broadcast", "mined"];

/** `partner-trading-admin queue ...`: requests to send that are not final. */
export function queueCommand(terminal: Terminal): Command {
  const queue = createCommand("queue", terminal).description("Requests to send that are not final");
  queue
    .command("list", { isDefault: true })
    .description("Shows them, the oldest first, with what each waits for")
    .option("--chain <id>", "of this chain only", chainId)
    .option("--wallet <address>", "of this wallet only")
    .addOption(new Option("--state <state>", "in this state only").choices(STATES))
    .option("--limit <count>", "rows at most", limit, 100)
    .addOption(jsonOption())
    .addHelpText("after", examples("queue list --chain 1 --state accepted", "queue --json"))
    .action(async (options) => (await actions()).list(terminal, options));
  queue
    .command("show")
    .argument("<requestId>", "any request, also one that is final", identifier)
    .description("Shows one request with everything that was signed for it")
    .addOption(jsonOption())
    .addHelpText("after", examples("queue show 6f1c1f52-3f0e-4b44-9f7e-2f0a3a0c0d11"))
    .action(async (requestId, options) => (await actions()).show(terminal, requestId, options));
  return queue;
}
