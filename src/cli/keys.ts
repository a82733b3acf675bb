import { type Command, InvalidArgumentError, Option } from "commander";
import {
  changeIps,
  createKey,
  DEFAULT_DAILY_NOTIONAL_CAP,
  type KeyAdminDeps,
  type KeyInfo,
  listKeys,
  resealKeys,
  revokeKey,
} from "../auth/keys-admin.ts";
import { finishRotation, type RotatedKey, replaceNewSecret, rotateKey } from "../auth/rotation.ts";
import { type KeyScope, parseChainId } from "../auth/scope.ts";
import { loadDeployments } from "../config/deployments.ts";
import { parseEnv } from "../config/env.ts";
import { formatWad } from "../protocol/decimal.ts";
import { ACCESS_TYPES, type Access } from "../protocol/enums.ts";
import { cap, createCommand, describeCap, operator, print, type Terminal, withDatabase } from "./shared.ts";

interface CreateOptions {
  name: string;
  access: Access;
  chainId?: number;
  product?: string;
  scope: KeyScope[];
  ip: string[];
  userAddress?: string;
  expires?: Date;
  dailyNotional?: bigint | "none";
  json?: boolean;
}

interface RotateOptions {
  /** Seconds. */
  overlap: number;
  finish?: boolean;
  replace?: boolean;
  json?: boolean;
}

/** `partner-trading-admin keys ...` */
export function keysCommand(terminal: Terminal): Command {
  const keys = createCommand("keys", terminal).description("API keys of partners");
  keys
    .command("create")
    .description("Make a key and show its secret, once")
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
      `most mUSD of orders a UTC day, or none; of a WRITABLE key ${formatWad(DEFAULT_DAILY_NOTIONAL_CAP)} unless given`,
      cap,
    )
    .option("--json", "print JSON")
    .action((options: CreateOptions) => withDeps(terminal, (deps) => create(deps, options)));
  keys
    .command("list")
    .description("Show all keys, never a secret")
    .option("--json", "print JSON")
    .action((options: { json?: boolean }) => withDeps(terminal, (deps) => list(deps, options)));
  keys
    .command("revoke <apiKey>")
    .description("End a key for good, at once")
    .action((apiKey: string) => withDeps(terminal, (deps) => revoke(deps, apiKey)));
  keys
    .command("update <apiKey>")
    .description("Change who may call with a key")
    .option("--add-ip <address or CIDR...>", "put on the whitelist", collect, [])
    .option("--remove-ip <address or CIDR...>", "take off the whitelist", collect, [])
    .action((apiKey: string, options: { addIp: string[]; removeIp: string[] }) =>
      withDeps(terminal, (deps) => update(deps, apiKey, options)),
    );
  keys
    .command("rotate <apiKey>")
    .description("Give a key a new secret and show it, once; the one it has also works for a while")
    .addOption(
      new Option(
        "--overlap <time>",
        "how long the secret it has also works, such as 90m, 24h or 7d; 0: not at all",
      )
        .argParser(seconds)
        .default(DAY_SECONDS, "24h"),
    )
    .addOption(new Option("--finish", "end a rotation: drop the previous secret now").conflicts("overlap"))
    .addOption(
      new Option(
        "--replace",
        "drop the new secret of a rotation for another one, where it was lost",
      ).conflicts(["overlap", "finish"]),
    )
    .option("--json", "print JSON")
    .action((apiKey: string, options: RotateOptions) =>
      withDeps(terminal, (deps) => rotate(deps, apiKey, options)),
    );
  keys
    .command("reseal")
    .description("Seal all secrets under the first of MASTER_KEYS, so that the others can be removed")
    .action(() => withDeps(terminal, reseal));
  return keys;
}

type Deps = KeyAdminDeps & { terminal: Terminal };

async function withDeps(terminal: Terminal, work: (deps: Deps) => Promise<void>): Promise<void> {
  const { env } = terminal;
  const { DATABASE_URL, DEPLOYMENTS_FILE, MASTER_KEYS } = parseEnv("cli keys", env);
  const deployments = loadDeployments(DEPLOYMENTS_FILE, env);
  await withDatabase(DATABASE_URL, ({ prisma }) =>
    work({ prisma, deployments, masterKeys: MASTER_KEYS, now: Date.now, actor: operator(), terminal }),
  );
}

async function create(deps: Deps, options: CreateOptions): Promise<void> {
  const { name, access, ip, json, dailyNotional } = options;
  const created = await createKey(deps, {
    name,
    access,
    scopes: scopesOf(options),
    ips: ip,
    userAddress: options.userAddress ?? null,
    expiresAt: options.expires ?? null,
    dailyNotionalCap: dailyNotional === "none" ? null : dailyNotional,
  });
  const { dailyNotionalCap } = created;
  if (ip.length === 0) {
    warn(
      deps.terminal,
      "the IP whitelist is empty, so every request with this key is refused; see `keys update --add-ip`",
    );
  }
  if (ip.some((entry) => entry.endsWith("/0"))) warn(deps.terminal, "a range of prefix 0 lets everybody in");
  if (json) {
    const printed = dailyNotionalCap === null ? null : formatWad(dailyNotionalCap);
    return print(deps.terminal, JSON.stringify({ ...created, dailyNotionalCap: printed }));
  }
  print(deps.terminal, `x-api-key   ${created.apiKey}`);
  print(deps.terminal, `secret      ${created.apiSecret}`);
  if (access === "WRITABLE") print(deps.terminal, `daily cap   ${describeCap(dailyNotionalCap)}`);
  print(deps.terminal, "The secret is not shown again.");
}

/** One scope unless options add more: the signed payload carries neither chain nor product, only the key confines it. */
function scopesOf({ chainId, product, scope }: CreateOptions): KeyScope[] {
  if (chainId !== undefined && product !== undefined) return [{ chainId, productType: product }, ...scope];
  if (chainId === undefined && product === undefined && scope.length > 0) return scope;
  throw new Error("give --chain-id and --product together, or --scope");
}

async function list(deps: Deps, { json }: { json?: boolean }): Promise<void> {
  const keys = await listKeys(deps);
  if (json) return print(deps.terminal, JSON.stringify(keys, null, 2));
  for (const key of keys) print(deps.terminal, line(key, deps.now()));
}

function line(key: KeyInfo, now: number): string {
  const scopes = key.scopes.map(({ chainId, productType }) => `${chainId}:${productType}`).join(",");
  const expired = key.expiresAt !== null && key.expiresAt.getTime() <= now;
  const state = key.revokedAt ? "revoked" : !key.active ? "inactive" : expired ? "expired" : "active";
  const until = key.previousSecretUntil;
  const secrets = until && until.getTime() > now ? [`previous secret until ${until.toISOString()}`] : [];
  const ips = key.ips.join(",") || "nobody";
  const user = key.userAddress ?? "no user";
  return [key.apiKey, state, ...secrets, key.access, scopes, ips, user, JSON.stringify(key.name)].join("  ");
}

async function revoke(deps: Deps, apiKey: string): Promise<void> {
  const changed = await revokeKey(deps, apiKey);
  print(deps.terminal, changed ? `${apiKey} is revoked` : `${apiKey} was revoked before`);
}

async function update(
  deps: Deps,
  apiKey: string,
  { addIp, removeIp }: { addIp: string[]; removeIp: string[] },
): Promise<void> {
  if (addIp.length + removeIp.length === 0) throw new Error("give --add-ip or --remove-ip");
  const ips = await changeIps(deps, apiKey, { add: addIp, remove: removeIp });
  print(deps.terminal, `${apiKey} may be used from ${ips.join(", ") || "nowhere"}`);
}

async function rotate(deps: Deps, apiKey: string, options: RotateOptions): Promise<void> {
  if (options.finish) {
    await finishRotation(deps, apiKey);
    return print(
      deps.terminal,
      options.json ? JSON.stringify({ apiKey }) : `the previous secret of ${apiKey} works no more`,
    );
  }
  const rotated: RotatedKey = options.replace
    ? await replaceNewSecret(deps, apiKey)
    : await rotateKey(deps, apiKey, { overlapSeconds: options.overlap });
  if (options.json) return print(deps.terminal, JSON.stringify(rotated));
  print(deps.terminal, `x-api-key   ${apiKey}`);
  print(deps.terminal, `secret      ${rotated.apiSecret}`);
  const until = rotated.previousUntil?.toISOString();
  print(
    deps.terminal,
    `The secret is not shown again. ${until ? `The previous one works until ${until}.` : "The previous one works no more."}`,
  );
}

async function reseal(deps: Deps): Promise<void> {
  print(deps.terminal, `${await resealKeys(deps)} secrets sealed anew`);
}

const DAY_SECONDS = 86_400;
const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: DAY_SECONDS };
const OVERLAP_MAX_DAYS = 90;

function seconds(value: string): number {
  const [, count = "", unit = "s"] = /^(\d{1,7})([smhd])$/.exec(value) ?? (value === "0" ? ["0", "0"] : []);
  const result = count === "" ? Number.NaN : Number(count) * (UNIT_SECONDS[unit] ?? Number.NaN);
  if (result <= OVERLAP_MAX_DAYS * DAY_SECONDS) return result;
  throw new InvalidArgumentError(`a time is written like 90m, 24h or 7d, at most ${OVERLAP_MAX_DAYS}d`);
}

function collect(value: string, previous: string[]): string[] {
  return [...previous, value];
}

function collectScope(value: string, previous: KeyScope[]): KeyScope[] {
  const mark = value.indexOf(":");
  if (mark < 0) throw new InvalidArgumentError("a scope is chainId:product, such as 1:Stocks");
  return [...previous, { chainId: chainId(value.slice(0, mark)), productType: value.slice(mark + 1) }];
}

function chainId(value: string): number {
  const id = parseChainId(value);
  if (id === null) throw new InvalidArgumentError("a chain id is a positive integer");
  return id;
}

function time(value: string): Date {
  const date = new Date(value);
  // What JavaScript reads besides ISO 8601 depends on the machine.
  if (!/^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(value) || Number.isNaN(date.getTime())) {
    throw new InvalidArgumentError("a time is written like 2030-01-31 or 2030-01-31T12:00:00Z");
  }
  return date;
}

function warn({ stderr }: Terminal, text: string): void {
  stderr.write(`warning: ${text}\n`);
}
