import { PartnerTrading, type StreamQuery, type TradingEvent } from "../index.ts";
import { type CredentialOptions, findCredentials, withCredentials } from "./credentials.ts";
import { causeOf } from "./exchange.ts";
import { type Attempt, type Destination, forward, readDestination, secretOf } from "./listen/forward.ts";
import { createCommand, note, painter, print, type Style, type Terminal } from "./terminal.ts";

interface ListenOptions extends CredentialOptions {
  types?: string;
  after?: string;
  forward?: string;
  json?: true;
}

const SECRET_VARIABLE = "PARTNER_TRADING_WEBHOOK_SECRET";
const EXAMPLES = `
Examples:
  $ partner-trading listen
  $ partner-trading listen --types 'order.*,send.failed' --json
  $ partner-trading listen --forward http://127.0.0.1:3000/hooks

Forwarded events are signed as webhooks are. The secret is printed: it is made of the API secret, the same each time.
${SECRET_VARIABLE} replaces it by that of a webhook of yours.`;

/** `partner-trading listen`: prints events as they happen, and forwards them to a program on this machine. */
export function listenCommand(terminal: Terminal) {
  const command = createCommand("listen", terminal)
    .description("Prints events as they happen, and forwards them to your program as webhooks would")
    .option("--types <types>", "only these, with commas between them; order.* stands for all that begin so")
    .option("--after <cursor>", "begin behind this event of the log, not at its end")
    .option("--forward <url>", "post each event there, signed")
    .option("--json", "print each event whole, as JSON on one line")
    .action((options: ListenOptions) => listen(terminal, options));
  return withCredentials(command).addHelpText("after", EXAMPLES);
}

async function listen(terminal: Terminal, options: ListenOptions): Promise<void> {
  const { interrupted: signal, env } = terminal;
  const credentials = await findCredentials(terminal, options);
  const { forward: url } = options;
  const secret = env[SECRET_VARIABLE] || secretOf(credentials.apiSecret);
  const destination = url === undefined ? null : readDestination(url, secret);
  const onDisconnect = (error: unknown) =>
    note(terminal, `The connection is lost, and made again: ${causeOf(error)}`);
  const stream = new PartnerTrading(credentials).events.stream(streamQuery(options), {
    signal,
    onDisconnect,
  });
  let isOpen = false;
  let cursor: string | null = null;
  for await (const event of stream.follow()) {
    // A heartbeat comes first.
    if (!isOpen) note(terminal, openingOf(destination, Boolean(env[SECRET_VARIABLE])));
    isOpen = true;
    if (event !== null) await handleEvent(terminal, event, destination, options);
    // An event that Ctrl-C kept from being forwarded is sent again.
    if (!signal.aborted) cursor = stream.cursor;
  }
  if (cursor !== null) note(terminal, `To go on from here: partner-trading listen --after ${cursor}`);
}

/** Returns the query of the stream, with types unchecked: the server refuses one that does not exist. */
const streamQuery = ({ after, types }: ListenOptions): StreamQuery => ({
  after,
  types: types?.split(",") as StreamQuery["types"],
});

function openingOf(destination: Destination | null, isOwnSecret: boolean): string {
  const opening = "Listening; Ctrl-C ends.";
  if (destination === null) return opening;
  const secret = isOwnSecret ? `that of ${SECRET_VARIABLE}` : destination.secret;
  return `${opening} Events are forwarded to ${destination.url}\nThe secret to verify them with: ${secret}`;
}

async function handleEvent(
  terminal: Terminal,
  event: TradingEvent,
  destination: Destination | null,
  { json }: ListenOptions,
): Promise<void> {
  print(terminal, json ? JSON.stringify(event) : presentEvent(event, painter(terminal)));
  if (destination === null) return;
  let last: Attempt | undefined;
  await forward(event, destination, {
    signal: terminal.interrupted,
    onAttempt: (attempt) => {
      last = attempt;
      note(terminal, `  -> ${attempt.result} in ${attempt.tookMs} ms`);
    },
  });
  if (last && !last.isDelivered && !terminal.interrupted.aborted)
    note(terminal, `  given up: ${event.eventId} was not taken by ${destination.url}`);
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns an event on one line: its time, type and object. */
export function presentEvent(event: TradingEvent, paint: (style: Style, text: string) => string): string {
  const time = new Date(event.createdAt * 1000).toISOString().slice(11, 19);
  const type = paint(event.retracts === null ? "cyan" : "yellow", event.type.padEnd(22));
  const retracts = event.retracts === null ? "" : `  retracts ${event.retracts}`;
  return `${time}  ${String(event.sequence).padStart(5)}  ${type} ${subjectOf(event)}${retracts}`;
}

function subjectOf({ data, txHash }: TradingEvent): string {
  const fields = data as unknown as Fields;
  const order = (fields.openOrder ?? fields.historyOrder) as Fields | null | undefined;
  const what = order ? [order.side, order.symbol, order.notional ?? order.quantity] : [];
  const id = fields.orderId ?? fields.operationId ?? fields.requestId ?? txHash ?? "";
  return [...what, id].filter((part) => typeof part === "string" && part !== "").join(" ");
}
