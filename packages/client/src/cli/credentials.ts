import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import type { Command } from "commander";
import { withoutPrefix } from "../options.ts";
import { findSandbox, type Sandbox, type SandboxKey } from "./sandbox.ts";
import { CommandError, note, readText, type Terminal } from "./terminal.ts";

/** Credentials that sign requests, and the URL they go to. */
export interface Credentials {
  baseUrl: string;
  apiKey: string;
  apiSecret: string;
  chainId: number;
  productType: string;
  /** Bound user of a sandbox's key; null where it is unknown. */
  userAddress: string | null;
}

export interface CredentialOptions {
  baseUrl?: string;
  apiKey?: string;
  secretFile?: string;
  chainId?: string;
  product?: string;
  key?: string;
}

export const VARIABLES = {
  baseUrl: "PARTNER_TRADING_BASE_URL",
  apiKey: "PARTNER_TRADING_API_KEY",
  apiSecret: "PARTNER_TRADING_API_SECRET",
  chainId: "PARTNER_TRADING_CHAIN_ID",
  product: "PARTNER_TRADING_PRODUCT",
} as const;

type Part = keyof typeof VARIABLES;
type Parts = Partial<Record<Part, string>>;

const PARTS = Object.keys(VARIABLES) as Part[];
const FLAGS: Record<Part, string> = {
  baseUrl: "--base-url",
  apiKey: "--api-key",
  apiSecret: "--secret-file",
  chainId: "--chain-id",
  product: "--product",
};
const HELP = `
Credentials, the first that is there:
  1. the options above and the environment: ${Object.values(VARIABLES).join(", ")}
  2. the same variables in the file .env of the current directory
  3. a running sandbox: SANDBOX_DIR, or .sandbox in the current directory or one above
The API secret is no option, because other users of the machine can read the arguments of a process.`;

/** Adds the options that choose credentials. */
export function withCredentials(command: Command): Command {
  return command
    .option("--base-url <url>", "where the API is, such as https://api.example.com")
    .option("--api-key <key>", "public part of the API key")
    .option("--secret-file <file>", "file with the API secret, - for standard input")
    .option("--chain-id <id>", "chain of the request")
    .option("--product <name>", "product of the request")
    .option("--key <name>", "key of the sandbox, such as reader-31337")
    .addHelpText("after", HELP);
}

/**
 * Returns the credentials, and prints their source on standard error.
 * @throws CommandError naming what is missing
 */
export async function findCredentials(terminal: Terminal, options: CredentialOptions): Promise<Credentials> {
  const given = await givenParts(terminal, options);
  if (given.baseUrl || given.apiKey || given.apiSecret)
    return fromParts(terminal, given, "options and environment");
  // As a whole: a file in the current directory does not redirect the requests of another key.
  const file = readEnvFile(terminal.cwd);
  if (file.apiKey || file.apiSecret) return fromParts(terminal, { ...file, ...given }, ".env");
  const sandbox = await findSandbox(terminal);
  if (sandbox) return fromSandbox(terminal, sandbox, { ...given, name: options.key });
  throw new CommandError(
    `There are no credentials: set ${Object.values(VARIABLES).join(", ")}, or start a sandbox with \`npm start\`.`,
  );
}

async function givenParts(terminal: Terminal, options: CredentialOptions): Promise<Parts> {
  const { secretFile, baseUrl, apiKey, chainId, product } = options;
  const flags = { baseUrl, apiKey, chainId, product };
  // Editors end a file with a newline.
  const apiSecret = secretFile && (await readText(terminal, secretFile)).replace(/\r?\n$/, "");
  return present({ ...fromVariables(terminal.env), ...present({ ...flags, apiSecret }) });
}

const fromVariables = (env: Readonly<Record<string, string | undefined>>): Parts =>
  present(Object.fromEntries(PARTS.map((part) => [part, env[VARIABLES[part]]])));

const present = (parts: Parts): Parts =>
  Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined && value !== ""));

function readEnvFile(cwd: string): Parts {
  const file = join(cwd, ".env");
  return existsSync(file) ? fromVariables(parseEnv(readFileSync(file, "utf8"))) : {};
}

function fromParts(terminal: Terminal, parts: Parts, source: string): Credentials {
  const missing = PARTS.filter((part) => !parts[part]);
  if (missing.length > 0) {
    const names = missing.map((part) => `${VARIABLES[part]} (or ${FLAGS[part]})`);
    throw new CommandError(`Of the credentials is missing: ${names.join(", ")}.`);
  }
  const { baseUrl = "", apiKey = "", apiSecret = "", chainId = "", product: productType = "" } = parts;
  if (apiSecret !== apiSecret.trim())
    throw new CommandError(
      "The API secret begins or ends with whitespace: every signature with it would be wrong.",
    );
  if (!/^[1-9]\d{0,14}$/.test(chainId))
    throw new CommandError(`The chain id is a number in decimal, not "${chainId}".`);
  const url = originOf(baseUrl);
  note(terminal, `Using ${source}: ${url}, key ${apiKey}, chain ${chainId}, product ${productType}`);
  return { baseUrl: url, apiKey, apiSecret, chainId: Number(chainId), productType, userAddress: null };
}

function originOf(text: string): string {
  if (!/^https?:$/.test(URL.canParse(text) ? new URL(text).protocol : ""))
    throw new CommandError(`The base URL is one of http or https, not "${text}".`);
  return withoutPrefix(text);
}

interface Wanted extends Parts {
  name: string | undefined;
}

function fromSandbox(terminal: Terminal, { directory, baseUrl, keys }: Sandbox, wanted: Wanted): Credentials {
  const fitting = keys.filter((key) => fits(key, wanted));
  // Prefers a key without restrictions, so that a first try does not fail on them.
  const key = fitting.find(({ access, userAddress }) => access === "WRITABLE" && userAddress) ?? fitting[0];
  if (!key) {
    const names = keys.map(({ name }) => name).join(", ");
    throw new CommandError(`The sandbox in ${directory} has no such key. Its keys are ${names}.`);
  }
  const { name, apiKey, apiSecret, chainId, productType, userAddress } = key;
  note(terminal, `Using the sandbox in ${directory}, key ${name} (chain ${chainId}, product ${productType})`);
  return { baseUrl, apiKey, apiSecret, chainId, productType, userAddress };
}

const fits = (key: SandboxKey, { name, chainId, product }: Wanted): boolean =>
  (name === undefined || key.name === name) &&
  (chainId === undefined || String(key.chainId) === chainId) &&
  (product === undefined || key.productType === product);
