/** Commands that the page shows (docs/operations/cli.md), filled in. Pure. */

/** A purpose, and the command that serves it. */
export type Command = readonly [purpose: string, command: string];

const admin = (command: string) => `partner-trading-admin ${command}`;

interface Keyed {
  apiKey: string;
  status: string;
}

/** Returns the commands that concern a key. */
export function commandsOfKey({ apiKey, status }: Keyed): Command[] {
  const looks: Command[] = [
    ["See its policy", admin(`policies show ${apiKey}`)],
    ["See who changed it", admin(`audit list --subject ${apiKey}`)],
  ];
  if (status === "revoked") return looks;
  return [
    ...looks,
    ["Give it a new secret; the old one works for a week", admin(`keys rotate ${apiKey} --overlap 7d`)],
    ["End it for good, with what waits to be sent", admin(`keys revoke ${apiKey} --yes`)],
  ];
}

export const commandsOfSend = (requestId: string): Command[] => [
  ["See it with its attempts", admin(`queue show ${requestId}`)],
];

/** Returns the commands that concern a kept request. */
export const commandsOfRequest = ({
  uuid,
  requestId,
}: {
  uuid: string;
  requestId: string | null;
}): Command[] => [
  ["See its lines in the log", `grep ${uuid} api.log`],
  ...(requestId === null ? [] : commandsOfSend(requestId)),
];

/** Returns the commands that concern a webhook. */
export function commandsOfWebhook({ webhookId, state, disabledReason }: Webhook): Command[] {
  const list: Command = ["See all webhooks with their URLs", admin("webhooks list")];
  if (state === "deleted") return [list];
  return disabledReason === "paused_by_operator"
    ? [list, ["Deliver again", admin(`webhooks resume ${webhookId}`)]]
    : [list, ["Deliver nothing more", admin(`webhooks pause ${webhookId}`)]];
}

interface Webhook {
  webhookId: string;
  state: string;
  disabledReason: string | null;
}

interface Wallet {
  chainId: number;
  wallet: string;
  state: string;
  retired: boolean;
}

/** Returns the commands that concern a sending wallet. */
export function commandsOfWallet({ chainId, wallet, state, retired }: Wallet): Command[] {
  const name = `${wallet} on chain ${chainId}`;
  if (state === "halted") {
    return [[`Let ${name} send again, after its run book`, admin(`wallets resume ${chainId} ${wallet}`)]];
  }
  return retired
    ? [[`See whether ${name} has users left`, admin(`wallets retire ${chainId} ${wallet} --status`)]]
    : [];
}

interface Chain {
  chainId: number;
  sendingHalted: boolean;
}

export const commandsOfChain = ({ chainId, sendingHalted }: Chain): Command =>
  sendingHalted
    ? [`Let chain ${chainId} send again`, admin(`sending resume --chain ${chainId}`)]
    : [`Send nothing more on chain ${chainId}`, admin(`sending halt --chain ${chainId} --reason <why>`)];
