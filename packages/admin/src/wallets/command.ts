import { type Command, Option } from "commander";
import { chainId, identifier, nonce } from "../options.ts";
import { createCommand, examples, jsonOption, type Terminal, yesOption } from "../terminal.ts";

const actions = () => import("./actions.ts");
const WALLET = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const REQUEST = "6f1c1f52-3f0e-4b44-9f7e-2f0a3a0c0d11";

/** `partner-trading-admin wallets ...`: the wallets that send for users, and the recovery of a halted one. */
export function walletsCommand(terminal: Terminal): Command {
  const wallets = createCommand("wallets", terminal).description("Wallets that send for users");
  wallets
    .command("list")
    .description("Shows every wallet, its queue and why it stands still")
    .addOption(jsonOption())
    .addHelpText("after", examples("wallets list"))
    .action(async (options) => (await actions()).list(terminal, options));
  wallets
    .command("resume")
    .argument("<chainId>", "the wallet's chain", chainId)
    .argument("<address>", "the wallet")
    .description("Lets a halted wallet send again, from the nonce at the final block on where that is ahead")
    .addOption(
      new Option(
        "--from-nonce <nonce>",
        "look for lost requests from this nonce on (default: the wallet's next one)",
      ).argParser(nonce),
    )
    .addOption(jsonOption())
    .addHelpText("after", examples(`wallets resume 1 ${WALLET}`, `wallets resume 1 ${WALLET} --from-nonce 0`))
    .action(async (chain, address, options) =>
      (await import("./resume.ts")).resume(terminal, { chainId: chain, address, ...options }),
    );
  wallets
    .command("give-up")
    .argument("<requestId>", "a request whose nonce is lost", identifier)
    .description("Ends a request whose nonce somebody else used: refused unless the chain says so for good")
    .addOption(jsonOption())
    .addOption(yesOption())
    .addHelpText("after", examples(`wallets give-up ${REQUEST}`))
    .action(async (requestId, options) =>
      (await import("./give-up.ts")).giveUp(terminal, requestId, options),
    );
  wallets
    .command("resend")
    .argument("<chainId>", "the wallet's chain", chainId)
    .argument("<address>", "the wallet")
    .description(
      "Broadcasts again what a deep reorg took out of the chain: the same bytes, which can be mined only once",
    )
    .option("--reverted", "send calls too that reverted, and may succeed now")
    .addOption(jsonOption())
    .addOption(yesOption())
    .addHelpText("after", examples(`wallets resend 1 ${WALLET}`))
    .action(async (chain, address, options) =>
      (await import("./resend.ts")).resend(terminal, { chainId: chain, address, ...options }),
    );
  wallets
    .command("retire")
    .argument("<chainId>", "the wallet's chain", chainId)
    .argument("<address>", "the wallet")
    .description(
      "Takes a wallet out of use for good: its users are undelegated, and their next prepare names another one",
    )
    .option("--status", "change nothing: show how far its users are undelegated")
    .option("--key-lost", "nobody has its key any more: cancel what it has not signed; it never signs again")
    .addOption(jsonOption())
    .addOption(yesOption())
    .addHelpText("after", examples(`wallets retire 1 ${WALLET}`, `wallets retire 1 ${WALLET} --status`))
    .action(async (chain, address, { status, ...options }) =>
      status
        ? (await import("./retirement.ts")).showRetirement(terminal, { chainId: chain, address, ...options })
        : (await import("./retire.ts")).retire(terminal, { chainId: chain, address, ...options }),
    );
  return wallets;
}
