import { type Command, InvalidArgumentError, Option } from "commander";
import { chainId, limit } from "../options.ts";
import { createCommand, examples, jsonOption, type Terminal } from "../terminal.ts";

/** `partner-trading-admin reconcile`: compares what the API shows with the chain (docs/operations/cli.md#reconcile). */
export function reconcileCommand(terminal: Terminal): Command {
  return createCommand("reconcile", terminal)
    .description(
      "Compares claims and requests with receipts, and balances, locks, orders, delegations and wallet nonces with the contracts, and explains each difference",
    )
    .requiredOption("--chain <id>", "the chain", chainId)
    .option("--block <number>", "an earlier block; what changed after it is left out", blockNumber)
    .addOption(
      blockOption("--from-block <number>", "only claims and requests of transactions from this block on"),
    )
    .addOption(
      blockOption("--to-block <number>", "only claims and requests of transactions up to this block"),
    )
    .option("--key <apiKey>", "only claims and requests of a key")
    .option("--limit <count>", "differences shown at most; all are counted", limit, 1_000)
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `${examples("reconcile --chain 1", "reconcile --chain 1 --from-block 21000000 --to-block 21100000", "reconcile --chain 1 --json > differences.json")}\n\nExits with 1 where something differs.`,
    )
    .action(async (options) => (await import("./actions.ts")).reconcile(terminal, options));
}

const blockOption = (flags: string, description: string): Option =>
  new Option(flags, description).argParser(blockNumber).conflicts("block");

function blockNumber(value: string): bigint {
  if (/^\d{1,15}$/.test(value)) return BigInt(value);
  throw new InvalidArgumentError("a block is its number");
}
