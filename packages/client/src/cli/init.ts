import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type CredentialOptions,
  type Credentials,
  findCredentials,
  VARIABLES,
  withCredentials,
} from "./credentials.ts";
import { EXAMPLE } from "./init/example.ts";
import { CommandError, createCommand, note, print, type Terminal } from "./terminal.ts";
import { VERSION } from "./version.ts";

/** Name of the repository's package, which has the client in packages/client. */
const CHECKOUT = "partner-trading-api";
const EXAMPLES = `
Examples:
  $ partner-trading init my-desk
  $ cd my-desk && npm install && npm start`;

/** `partner-trading init`: writes a small working project. */
export function initCommand(terminal: Terminal) {
  const command = createCommand("init", terminal)
    .description("Writes a small project: symbols, an order's calldata, events; with the credentials in .env")
    .argument("[directory]", "a new or empty directory", "partner-trading-example")
    .action((directory: string, options: CredentialOptions) => init(terminal, directory, options));
  return withCredentials(command).addHelpText("after", EXAMPLES);
}

async function init(terminal: Terminal, typed: string, options: CredentialOptions): Promise<void> {
  const directory = resolve(terminal.cwd, typed);
  if (existsSync(directory) && readdirSync(directory).length > 0)
    throw new CommandError(`${directory} is not empty: nothing was written.`);
  const credentials = await findCredentialsOrNull(terminal, options);
  mkdirSync(directory, { recursive: true });
  const files = filesOf(basename(directory), credentials);
  // Never over a file that appeared meanwhile; a file with the secret is for its owner alone.
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(directory, name), text, { flag: "wx", mode: name === ".env" ? 0o600 : 0o644 });
  print(terminal, `Wrote ${Object.keys(files).join(", ")} to ${directory}. Next:`);
  print(terminal, `  cd ${relative(terminal.cwd, directory) || "."}`);
  if (credentials === null) print(terminal, "  fill in .env");
  print(terminal, "  npm install\n  npm start");
}

/** Returns the credentials; null where there are none, so that .env must be filled in. */
async function findCredentialsOrNull(
  terminal: Terminal,
  options: CredentialOptions,
): Promise<Credentials | null> {
  try {
    return await findCredentials(terminal, options);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    note(terminal, error.message);
    return null;
  }
}

function filesOf(name: string, credentials: Credentials | null): Record<string, string> {
  return {
    "package.json": `${JSON.stringify(manifestOf(name), null, 2)}\n`,
    "index.mjs": EXAMPLE,
    ".env": envOf(credentials),
    ".gitignore": ".env\nnode_modules/\n",
  };
}

function manifestOf(name: string) {
  return {
    // npm accepts no other characters.
    name:
      name
        .toLowerCase()
        .split(/[^a-z0-9]+/)
        .filter(Boolean)
        .join("-") || "example",
    private: true,
    type: "module",
    engines: { node: ">=20.6" },
    scripts: { start: "node --env-file=.env index.mjs" },
    dependencies: { "partner-trading": dependency() },
  };
}

/** Returns the dependency to install: in a checkout the package there, since the checkout may be ahead of the published one. */
function dependency(): string {
  const checkout = checkoutAbove(dirname(fileURLToPath(import.meta.url)));
  return checkout === null ? `^${VERSION}` : `file:${join(checkout, "packages/client")}`;
}

function checkoutAbove(directory: string): string | null {
  const manifest = join(directory, "package.json");
  if (existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).name === CHECKOUT) return directory;
  return dirname(directory) === directory ? null : checkoutAbove(dirname(directory));
}

function envOf(credentials: Credentials | null): string {
  const {
    baseUrl = "https://",
    apiKey = "",
    apiSecret = "",
    chainId = "",
    productType = "",
  } = credentials ?? {};
  const values = { baseUrl, apiKey, apiSecret, chainId, product: productType };
  const lines = Object.entries(VARIABLES).map(
    ([part, variable]) => `${variable}=${values[part as keyof typeof values]}\n`,
  );
  const user = credentials?.userAddress;
  return lines.join("") + (user ? `# Whose wallet the calldata is for.\nPARTNER_TRADING_USER=${user}\n` : "");
}
