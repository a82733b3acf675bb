import {
  createKey,
  type KeyAdminDeps,
  type KeyInfo,
  listKeys,
  requireKey,
  resealKeys,
  revokeKey,
  updateKey,
} from "../../../../src/auth/keys-admin.ts";
import { MalformedError } from "../../../../src/auth/malformed-error.ts";
import {
  finishRotation,
  type RotatedKey,
  replaceNewSecret,
  rotateKey,
} from "../../../../src/auth/rotation.ts";
import type { KeyScope } from "../../../../src/auth/scope.ts";
import { loadDeployments } from "../../../../src/config/deployments.ts";
import { parseEnv } from "../../../../src/config/env.ts";
import { formatWad } from "../../../../src/protocol/decimal.ts";
import { parseAddress, showAddressOrNull } from "../address.ts";
import { describeCap } from "../cap.ts";
import { confirm } from "../confirm.ts";
import { type Column, printDone, printFields, printJson, printTable } from "../output.ts";
import { withPrisma } from "../prisma.ts";
import { note, operator, print, type Terminal } from "../terminal.ts";
import type { CreateOptions, RotateOptions, UpdateOptions } from "./options.ts";

/** Runs a command on the keys of the environment's database. */
function withKeys(terminal: Terminal, work: (deps: KeyAdminDeps) => Promise<void>): Promise<void> {
  const { env } = terminal;
  const { DEPLOYMENTS_FILE, MASTER_KEYS } = parseEnv("cli keys", env);
  const deployments = loadDeployments(DEPLOYMENTS_FILE, env);
  return withPrisma(terminal, ({ prisma }) =>
    work({ prisma, deployments, masterKeys: MASTER_KEYS, now: Date.now, actor: operator() }),
  );
}

export function create(terminal: Terminal, options: CreateOptions): Promise<void> {
  const { name, access, ip, json, dailyNotional, userAddress } = options;
  const scopes = scopesOf(options);
  const user = userAddress === undefined ? null : parseAddress(userAddress);
  return withKeys(terminal, async (deps) => {
    const created = await createKey(deps, {
      name,
      access,
      scopes,
      ips: ip,
      userAddress: user,
      expiresAt: options.expires ?? null,
      dailyNotionalCap: dailyNotional === "none" ? null : dailyNotional,
    });
    warnOf(terminal, ip);
    const { dailyNotionalCap } = created;
    if (json) {
      const printed = dailyNotionalCap === null ? null : formatWad(dailyNotionalCap);
      return printJson(terminal, { ...created, dailyNotionalCap: printed });
    }
    printFields(terminal, {
      "x-api-key": created.apiKey,
      secret: created.apiSecret,
      ...(access === "WRITABLE" ? { "daily cap": describeCap(dailyNotionalCap) } : {}),
    });
    print(terminal, "The secret is not shown again.");
  });
}

function warnOf(terminal: Terminal, ips: readonly string[]): void {
  if (ips.length === 0) {
    note(
      terminal,
      "warning: the IP whitelist is empty, so every request with this key is refused; see `keys update --add-ip`",
    );
  }
  if (ips.some((entry) => entry.endsWith("/0")))
    note(terminal, "warning: a range of prefix 0 lets everybody in");
}

/** Returns one scope, unless options add more: the signed payload carries neither chain nor product, so only the key confines it. */
function scopesOf({ chainId, product, scope }: CreateOptions): KeyScope[] {
  if (chainId !== undefined && product !== undefined) return [{ chainId, productType: product }, ...scope];
  if (chainId === undefined && product === undefined && scope.length > 0) return scope;
  throw new MalformedError("give --chain-id and --product together, or --scope");
}

export function list(terminal: Terminal, { json }: { json?: boolean }): Promise<void> {
  return withKeys(terminal, async (deps) => {
    const now = deps.now();
    const keys = (await listKeys(deps)).map((key) => ({
      ...key,
      userAddress: showAddressOrNull(key.userAddress),
      state: stateOf(key, now),
    }));
    if (json) return printJson(terminal, keys);
    printTable(terminal, keys, columnsAt(now), "There are no keys: `keys create` makes one.");
  });
}

type KeyEntry = KeyInfo & { state: string };

const columnsAt = (now: number): Column<KeyEntry>[] => [
  { heading: "API KEY", value: ({ apiKey }) => apiKey },
  { heading: "STATE", value: ({ state }) => state },
  { heading: "ACCESS", value: ({ access }) => access },
  {
    heading: "SCOPES",
    value: ({ scopes }) => scopes.map(({ chainId, productType }) => `${chainId}:${productType}`).join(","),
    shrinks: true,
  },
  { heading: "IPS", value: ({ ips }) => ips.join(",") || "nobody", shrinks: true },
  { heading: "USER", value: ({ userAddress }) => userAddress },
  { heading: "EXPIRES", value: ({ expiresAt }) => expiresAt?.toISOString() ?? "never" },
  { heading: "PREVIOUS SECRET UNTIL", value: (key) => overlapOf(key, now)?.toISOString() ?? null },
  { heading: "NAME", value: ({ name }) => name, shrinks: true },
];

const overlapOf = ({ previousSecretUntil: until }: KeyInfo, now: number): Date | null =>
  until && until.getTime() > now ? until : null;

function stateOf({ revokedAt, active, expiresAt }: KeyInfo, now: number): string {
  if (revokedAt) return "revoked";
  if (!active) return "inactive";
  return expiresAt !== null && expiresAt.getTime() <= now ? "expired" : "active";
}

export function revoke(
  terminal: Terminal,
  apiKey: string,
  { yes, json }: { yes?: boolean; json?: boolean },
): Promise<void> {
  const warning = `${apiKey} is refused from its next request on, for good, and what it has queued is canceled.`;
  return withKeys(terminal, async (deps) => {
    await requireKey(deps, apiKey);
    await confirm(terminal, { warning, name: apiKey, yes });
    const isNew = await revokeKey(deps, apiKey);
    const line = isNew ? `${apiKey} is revoked` : `${apiKey} was revoked before`;
    printDone(terminal, { json, document: { apiKey, isNew }, line });
  });
}

export function update(
  terminal: Terminal,
  apiKey: string,
  { addIp, removeIp, expires, json }: UpdateOptions,
): Promise<void> {
  if (addIp.length + removeIp.length === 0 && expires === undefined)
    throw new MalformedError("give --add-ip, --remove-ip or --expires");
  const expiresAt = expires === "never" ? null : expires;
  return withKeys(terminal, async (deps) => {
    const changed = await updateKey(deps, apiKey, { addIps: addIp, removeIps: removeIp, expiresAt });
    const end = changed.expiresAt ? `until ${changed.expiresAt.toISOString()}` : "without an end";
    const line = `${apiKey} may be used from ${changed.ips.join(", ") || "nowhere"}, ${end}`;
    printDone(terminal, { json, document: { apiKey, ...changed }, line });
  });
}

export async function rotate(terminal: Terminal, apiKey: string, options: RotateOptions): Promise<void> {
  const { json, yes } = options;
  const warning = lossOf(apiKey, options);
  await withKeys(terminal, async (deps) => {
    await requireKey(deps, apiKey);
    if (warning !== null) await confirm(terminal, { warning, name: apiKey, yes });
    if (options.finish) {
      await finishRotation(deps, apiKey);
      const line = `the previous secret of ${apiKey} works no more`;
      return printDone(terminal, { json, document: { apiKey }, line });
    }
    const rotated: RotatedKey = options.replace
      ? await replaceNewSecret(deps, apiKey)
      : await rotateKey(deps, apiKey, { overlapSeconds: options.overlap });
    if (json) return printJson(terminal, rotated);
    printFields(terminal, { "x-api-key": apiKey, secret: rotated.apiSecret });
    const until = rotated.previousUntil?.toISOString();
    const previous = until ? `The previous one works until ${until}.` : "The previous one works no more.";
    print(terminal, `The secret is not shown again. ${previous}`);
  });
}

/** Returns the secret that stops working at once, permanently; null without one. */
function lossOf(apiKey: string, { finish, replace, overlap }: RotateOptions): string | null {
  if (finish || (!replace && overlap === 0))
    return `The previous secret of ${apiKey} stops working now, for good.`;
  return replace ? `The new secret of ${apiKey} stops working now, for good, and another one is made.` : null;
}

export function reseal(terminal: Terminal, { json }: { json?: boolean }): Promise<void> {
  return withKeys(terminal, async (deps) => {
    const secrets = await resealKeys(deps);
    printDone(terminal, { json, document: { secrets }, line: `${secrets} secrets sealed anew` });
  });
}
