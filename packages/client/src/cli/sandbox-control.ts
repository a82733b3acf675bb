import { Argument, type Command } from "commander";
import type { TradingEvent } from "../index.ts";
import { causeOf } from "./exchange.ts";
import { findSandbox, isLoopback } from "./sandbox.ts";
import { CommandError, createCommand, print, type Terminal } from "./terminal.ts";

/** Control of a sandbox that has no directory here, such as a container. */
const VARIABLE = "PARTNER_TRADING_SANDBOX";
const PARTS = ["node", "indexer", "worker", "webhooks", "market-data"];
const RELEASE = "release";
const HELP = `
Examples:
  $ partner-trading sandbox price AAPL 180.5
  $ partner-trading sandbox fill 0x2f1c6e5d7a8b9c0d1e2f3a4b5c6d7e8f9a0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d --quantity 1
  $ partner-trading sandbox outage indexer 30
  $ partner-trading sandbox trigger order.partially_filled

The sandbox is that of SANDBOX_DIR, or of .sandbox in the current directory or one above; ${VARIABLE} names the control of another.`;

interface CommonOptions {
  json?: true;
}
interface ChainOptions extends CommonOptions {
  chainId?: string;
}

/** `partner-trading sandbox`: does to a running sandbox what the market, the broker and failures do to production. */
export function sandboxCommand(terminal: Terminal) {
  const sandbox = createCommand("sandbox", terminal)
    .description("Fills orders, moves prices and breaks parts of a running sandbox")
    .addHelpText("after", HELP);
  const add = (name: string, description: string) => {
    const command = createCommand(name, terminal).description(description);
    sandbox.addCommand(command.option("--json", "print the answer on one line"));
    return command;
  };
  const post = async (path: string, body: Fields, { json }: CommonOptions) => {
    const answer = await call(await controlOf(terminal), path, body);
    print(terminal, json ? JSON.stringify(answer) : JSON.stringify(answer, null, 2));
  };

  add("fill", "Fills an order, by default all of it at the quote")
    .argument("<orderId>", "order")
    .option("--quantity <quantity>", "stock tokens, for a part of a limit order")
    .option("--price <price>", "mUSD per token")
    .action(
      (
        orderId: string,
        { quantity, price, ...options }: CommonOptions & Record<"quantity" | "price", string>,
      ) => post(`/orders/${encodeURIComponent(orderId)}/fill`, { quantity, price }, options),
    );
  add("reject", "Rejects an order; what it locks goes back")
    .argument("<orderId>", "order")
    .option("--reason <code>", "reason code, from 0 to 255")
    .action((orderId: string, { reason, ...options }: CommonOptions & { reason?: string }) =>
      post(`/orders/${encodeURIComponent(orderId)}/reject`, { reason: numberOf(reason) }, options),
    );
  add("price", "Pins a stock's price, until it is released")
    .argument("<symbol>", "stock, such as AAPL")
    .argument("<price>", `US dollars per share, or ${RELEASE}`)
    .action((symbol: string, price: string, options: CommonOptions) =>
      post("/price", { symbol, price: price === RELEASE ? null : price }, options),
    );
  withChain(add("reorg", "Replaces the last blocks of a chain; their transactions are dropped"))
    .argument("<depth>", "number of blocks")
    .option("--keep", "keep the transactions, in the new blocks")
    .action((depth: string, { keep, chainId, ...options }: ChainOptions & { keep?: true }) =>
      onChain(terminal, chainId, (chain) =>
        post("/reorg", { ...chain, depth: numberOf(depth), transactions: keep && "keep" }, options),
      ),
    );
  withChain(add("clock", "Moves a chain's clock forward, so that deadlines pass"))
    .argument("<seconds>", "seconds")
    .action((seconds: string, { chainId, ...options }: ChainOptions) =>
      onChain(terminal, chainId, (chain) =>
        post("/clock", { ...chain, seconds: numberOf(seconds) }, options),
      ),
    );
  add("outage", "Stops a part for some seconds")
    .addArgument(new Argument("<part>", "part to stop").choices(PARTS))
    .argument("<seconds>", "seconds; 0 ends its outage")
    .action((part: string, seconds: string, options: CommonOptions) =>
      post("/outage", { part, seconds: numberOf(seconds) }, options),
    );
  add("trigger", "Brings about an event, with all that it needs beforehand, and prints it")
    .argument("<type>", "type of the event, such as order.filled")
    .option("--key <name>", "key whose log gets it: its name in the sandbox, or its apiKey")
    .action(async (type: string, { key, json }: CommonOptions & { key?: string }) => {
      const event = (await call(await controlOf(terminal), "/trigger", { type, key })) as TradingEvent;
      const { eventId, data } = event;
      const shown = { eventId, type: event.type, data };
      print(terminal, json ? JSON.stringify(event) : JSON.stringify(shown, null, 2));
    });
  return sandbox;
}

type Fields = Record<string, string | number | null | undefined>;

const withChain = (command: Command) =>
  command.option("--chain-id <id>", "chain; the sandbox's first one by default");

/** Returns what was typed as a number; anything else as it is, so that the control names the field that is wrong. */
const numberOf = (typed: string | undefined) =>
  typed !== undefined && /^\d{1,15}$/.test(typed) ? Number(typed) : typed;

async function onChain(
  terminal: Terminal,
  typed: string | undefined,
  work: (chain: Fields) => Promise<void>,
): Promise<void> {
  if (typed !== undefined) return work({ chainId: numberOf(typed) });
  const { chains } = (await call(await controlOf(terminal), "/sandbox")) as { chains: { chainId: number }[] };
  return work({ chainId: chains[0]?.chainId });
}

/** Returns the control's URL. @throws CommandError where no sandbox runs */
export async function controlOf(terminal: Terminal): Promise<string> {
  const named = terminal.env[VARIABLE];
  if (named) return named.replace(/\/$/, "");
  const sandbox = await findSandbox(terminal);
  if (sandbox && !isLoopback(sandbox.controlUrl))
    throw new CommandError(`The control of the sandbox in ${sandbox.directory} is not on this machine.`);
  if (sandbox) return sandbox.controlUrl;
  throw new CommandError(
    `There is no sandbox here: start one with \`npm start\` or \`npx partner-trading-sandbox\`, or set SANDBOX_DIR or ${VARIABLE}.`,
  );
}

/** @throws CommandError with the control's text, and where to look */
async function call(controlUrl: string, path: string, body?: Fields): Promise<unknown> {
  let response: Response;
  try {
    const headers = { "content-type": "application/json" };
    response = await fetch(
      controlUrl + path,
      body && { method: "POST", headers, body: JSON.stringify(body) },
    );
  } catch (error) {
    throw new CommandError(`The control at ${controlUrl} does not answer: ${causeOf(error)}`);
  }
  const text = await response.text();
  if (response.ok) return JSON.parse(text);
  const advice = response.status === 404 ? `\n  ${controlUrl}/state lists open orders and operations.` : "";
  throw new CommandError(`${errorIn(text)} (HTTP ${response.status})${advice}`);
}

function errorIn(text: string): string {
  try {
    return JSON.parse(text).error;
  } catch {
    return `no answer of a sandbox's control: ${text.slice(0, 200)}`;
  }
}
