import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import { type CredentialOptions, findCredentials, withCredentials } from "./credentials.ts";
import { type Answer, send } from "./exchange.ts";
import { presentCanonical } from "./explain/visible.ts";
import { presentFailure } from "./failure.ts";
import { signRequest } from "./signed-request.ts";
import { readTarget, type Target, type TypedTarget, withTarget } from "./target.ts";
import { CommandError, createCommand, note, painter, print, type Style, type Terminal } from "./terminal.ts";

interface CallOptions extends CredentialOptions {
  idempotencyKey?: string;
  json?: true;
  include?: true;
  verbose?: true;
}

const EXAMPLES = `
Examples:
  $ partner-trading call GET /orders status=New limit=5
  $ partner-trading call POST /orders/calldata symbol=AAPL side=Buy type=Market notional=100 deadline:=1795230000
  $ partner-trading call POST /orders/send @order.json --idempotency-key 3f2b8a4e-6c1d-4b7a-9e5f-0d9f6a1e7c2b
  $ partner-trading call GET /symbols --json | jq '.data[].symbol'`;

/** `partner-trading call`: sends a signed request and prints the answer. */
export function callCommand(terminal: Terminal) {
  const command = createCommand("call", terminal)
    .description("Sends a signed request and prints the data of the answer")
    .option("--idempotency-key <key>", "the same for each try of one send; a send without one gets one")
    .option("--json", "print the whole answer, as it came")
    .option("--include", "print its status and headers, too")
    .option("--verbose", "show the string that is signed, on standard error")
    .action((method: string, path: string, pairs: string[], options: CallOptions) =>
      call(terminal, [method, path, pairs], options),
    );
  return withCredentials(withTarget(command)).addHelpText("after", EXAMPLES);
}

async function call(terminal: Terminal, typed: TypedTarget, options: CallOptions): Promise<void> {
  const target = await readTarget(terminal, typed);
  const credentials = await findCredentials(terminal, options);
  const signed = await signRequest(credentials, target);
  if (options.verbose) note(terminal, `Signed:\n${presentCanonical(signed.payload)}`);
  const key = options.idempotencyKey ?? (isSend(target) ? randomUUID() : undefined);
  if (key !== options.idempotencyKey)
    note(terminal, `To repeat this send, and not send twice: --idempotency-key ${key}`);
  const headers = { ...signed.headers, ...(key && { "idempotency-key": key }) };
  const answer = await send(terminal, credentials, target, { uri: signed.uri, headers });
  if (options.include) print(terminal, headOf(answer));
  if (options.json) print(terminal, answer.text);
  if (answer.envelope?.code !== 200) throw new CommandError(presentFailure(target, answer));
  if (!options.json) print(terminal, presentData(answer.envelope.data, painter(terminal)));
}

/** Returns CSV as it came, and other data as JSON. */
function presentData(data: unknown, paint: Paint): string {
  if (typeof data === "object" && data !== null && "csv" in data && typeof data.csv === "string")
    return data.csv.trimEnd();
  return presentJson(data, paint);
}

const isSend = ({ method, path }: Target) => method !== "GET" && path.endsWith("/send");

function headOf({ status, headers }: Answer): string {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\n`);
  return `HTTP ${status} ${STATUS_CODES[status] ?? ""}\n${lines.join("")}`;
}

type Paint = (style: Style, text: string) => string;

/** Strings, with the colon of a name, and other values of JSON text. */
const TOKENS = /("(?:[^"\\]|\\.)*"?)(:)?|true|false|null|-?\d[\d.eE+-]*/g;

/** Returns a value as coloured JSON on several lines. */
function presentJson(value: unknown, paint: Paint): string {
  return JSON.stringify(value, null, 2).replaceAll(
    TOKENS,
    (token: string, text: string | undefined, colon: string | undefined) => {
      if (colon !== undefined) return `${paint("blue", text ?? "")}${colon}`;
      return paint(text === undefined ? "yellow" : "green", token);
    },
  );
}
