import { type Command, InvalidArgumentError, Option } from "commander";
import type { KeyScope } from "../../../../src/auth/scope.ts";
import { ACCESS_TYPES } from "../../../../src/protocol/enums.ts";
import { cap, chainId, collect, duration, expiry, time } from "../options.ts";
import { createCommand, examples, jsonOption, type Terminal, yesOption } from "../terminal.ts";
import type { CreateOptions, RotateOptions } from "./options.ts";

const OVERLAP_MAX_DAYS = 90;
const DAY_SECONDS = 86_400;
const actions = () => import("./actions.ts");

/** `partner-trading-admin keys ...` */
export function keysCommand(terminal: Terminal): Command {
  const keys = createCommand("keys", terminal).description("API keys of partners");
  addCreate(keys, terminal);
  keys
    .command("list")
    .description("Shows all keys, never a secret")
    .addOption(jsonOption())
    .addHelpText("after", examples("keys list", "keys list --json | jq -r '.[] | select(.active) | .apiKey'"))
    .action(async (options) => (await actions()).list(terminal, options));
  keys
    .command("revoke <apiKey>")
    .description("Ends a key for good, at once")
    .addOption(yesOption())
    .addOption(jsonOption())
    .addHelpText("after", examples("keys revoke pk_4f6d...", "keys revoke pk_4f6d... --yes"))
    .action(async (apiKey, options) => (await actions()).revoke(terminal, apiKey, options));
  keys
    .command("update <apiKey>")
    .description("Changes who may call with a key, and until when")
    .option("--add-ip <address or CIDR...>", "put on the whitelist", collect, [])
    .option("--remove-ip <address or CIDR...>", "take off the whitelist", collect, [])
    .option("--expires <time>", "when it ends: such as 365d or 2030-01-31, or never", expiry)
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examples(
        "keys update pk_4f6d... --add-ip 203.0.113.0/24 --remove-ip 198.51.100.7",
        "keys update pk_4f6d... --expires 2030-01-31T00:00:00Z",
      ),
    )
    .action(async (apiKey, options) => (await actions()).update(terminal, apiKey, options));
  addRotate(keys, terminal);
  keys
    .command("reseal")
    .description("Seals all secrets under the first of MASTER_KEYS, so that the others can be removed")
    .addOption(jsonOption())
    .addHelpText("after", examples("keys reseal"))
    .action(async (options) => (await actions()).reseal(terminal, options));
  return keys;
}

function addCreate(keys: Command, terminal: Terminal): void {
  keys
    .command("create")
    .description("Makes a key and shows its secret, once")
    .requiredOption("--name <name>", "whose key it is")
    .addOption(new Option("--access <access>", "what it may do").choices(ACCESS_TYPES).makeOptionMandatory())
    .option("--chain-id <id>", "the chain of its scope", chainId)
    .option("--product <product>", "the product of its scope, in exact casing")
    .option(
      "--scope <chainId:product>",
      "a further scope, or the only one; may be repeated",
      collectScope,
      [],
    )
    .option("--ip <address or CIDR...>", "who may call with it", collect, [])
    .option("--user-address <address>", "the user it may send for")
    .option("--expires <time>", "when it ends, such as 2030-01-31T00:00:00Z", time)
    .option(
      "--daily-notional <mUSD>",
      "most mUSD of orders a UTC day, or none; of a WRITABLE key 100000 unless given",
      cap,
    )
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examples(
        "keys create --name acme --access WRITABLE --chain-id 1 --product Stocks --ip 203.0.113.7",
        "keys create --name desk --access READ_ONLY --scope 1:Stocks --scope 8453:Stocks --json",
      ),
    )
    .action(async (options: CreateOptions) => (await actions()).create(terminal, options));
}

function addRotate(keys: Command, terminal: Terminal): void {
  keys
    .command("rotate <apiKey>")
    .description("Gives a key a new secret and shows it, once; the one it has also works for a while")
    .addOption(
      new Option(
        "--overlap <time>",
        "how long the secret it has also works, such as 90m, 24h or 7d; 0: not at all",
      )
        .argParser(duration(OVERLAP_MAX_DAYS))
        .default(DAY_SECONDS, "24h"),
    )
    .addOption(new Option("--finish", "end a rotation: drop the previous secret now").conflicts("overlap"))
    .addOption(
      new Option(
        "--replace",
        "drop the new secret of a rotation for another one, where it was lost",
      ).conflicts(["overlap", "finish"]),
    )
    .addOption(yesOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examples("keys rotate pk_4f6d... --overlap 7d", "keys rotate pk_4f6d... --finish --yes"),
    )
    .action(async (apiKey: string, options: RotateOptions) =>
      (await actions()).rotate(terminal, apiKey, options),
    );
}

function collectScope(value: string, previous: KeyScope[]): KeyScope[] {
  const mark = value.indexOf(":");
  if (mark < 0) throw new InvalidArgumentError("a scope is chainId:product, such as 1:Stocks");
  return [...previous, { chainId: chainId(value.slice(0, mark)), productType: value.slice(mark + 1) }];
}
