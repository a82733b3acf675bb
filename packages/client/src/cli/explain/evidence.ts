import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { readText, type Terminal } from "../terminal.ts";

/** The request of a partner's program, as far as it is known. */
export interface Evidence {
  payload?: string;
  signature?: string;
  timestamp?: string;
  nonce?: string;
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;
/** Not a part of a hash or an address. */
const MILLISECONDS = /(?<![0-9a-fx])1\d{12}(?!\d)/i;
const SECONDS = /(?<![0-9a-fx])1\d{9}(?!\d)/i;

/**
 * Completes evidence: takes timestamp and nonce from the signed string, so that the right string is made with the same.
 * @param typed `payload` is a file's name, `-`, or the text itself
 */
export async function readEvidence(terminal: Terminal, typed: Evidence): Promise<Evidence> {
  if (typed.payload === undefined) return typed;
  const isFile = typed.payload === "-" || isFileName(terminal, typed.payload);
  const payload = isFile ? await readText(terminal, typed.payload) : typed.payload;
  const found = { timestamp: timestampIn(payload), nonce: UUID.exec(payload)?.[0] };
  const { timestamp = found.timestamp, nonce = found.nonce } = typed;
  return { ...typed, payload, ...(timestamp && { timestamp }), ...(nonce && { nonce }) };
}

/** Returns true where a text names a file: a string to sign has several lines, a name has not. */
const isFileName = ({ cwd }: Terminal, text: string) =>
  !/[\n?]/.test(text) && text.length < 1_000 && existsSync(resolve(cwd, text));

/** Returns the timestamp in milliseconds, also where it was signed in seconds. */
function timestampIn(payload: string): string | undefined {
  const milliseconds = MILLISECONDS.exec(payload)?.[0];
  const seconds = SECONDS.exec(payload)?.[0];
  return milliseconds ?? (seconds && `${seconds}000`);
}
