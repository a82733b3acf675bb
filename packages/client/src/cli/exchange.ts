import { type Envelope, parseEnvelope } from "../answer.ts";
import { readText } from "../body.ts";
import type { Credentials } from "./credentials.ts";
import type { SignedRequest } from "./signed-request.ts";
import type { Target } from "./target.ts";
import { CommandError, type Terminal } from "./terminal.ts";

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** Null where the answer is not this API's. */
  envelope: Envelope | null;
  /** Time by which this machine's clock is ahead of the server's, milliseconds; null where the answer carries no time. */
  aheadMs: number | null;
}

/** Sends a signed request once. @throws CommandError where nothing answers */
export async function send(
  terminal: Pick<Terminal, "interrupted">,
  { baseUrl }: Pick<Credentials, "baseUrl">,
  { method, body }: Pick<Target, "method" | "body">,
  { uri, headers }: Pick<SignedRequest, "uri" | "headers">,
): Promise<Answer> {
  const init = { method, headers, ...(body === "" ? {} : { body }), redirect: "manual" as const };
  const sentMs = Date.now();
  try {
    const response = await fetch(baseUrl + uri, { ...init, signal: terminal.interrupted });
    const text = await readText(response, terminal.interrupted);
    const envelope = parseEnvelope(text);
    // The server stamps its answer between the two.
    const aheadMs = envelope && (sentMs + Date.now()) / 2 - envelope.t;
    return { status: response.status, headers: response.headers, text, envelope, aheadMs };
  } catch (error) {
    throw new CommandError(`${baseUrl} does not answer: ${causeOf(error)}`);
  }
}

/** Returns the innermost message: fetch itself only reports that it failed. */
export function causeOf(error: unknown): string {
  const { cause, message, code } = Object(error) as { cause?: unknown; message?: string; code?: string };
  return cause ? causeOf(cause) : message || code || String(error);
}
