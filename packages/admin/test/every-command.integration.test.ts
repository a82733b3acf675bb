import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Command } from "commander";
import { getAddress } from "viem";
import { ROOT } from "../../../src/config/root.ts";
import { createOnchain } from "../../../test/support/db/onchain.ts";
import { operate } from "../../../test/support/program/command.ts";
import {
  CONFIRMATIONS,
  type DrivenWallet,
  PRODUCT,
  type SenderFixture,
  startSenderFixture,
} from "../../../test/support/sender/sender-fixture.ts";
import { createProgram } from "../src/run.ts";

// The contract with scripts, for every command: one JSON document, and exit code 2 for a malformed argument.

const silent = { write: () => undefined };

function leavesOf(command: Command, path: string[] = []): [path: string, command: Command][] {
  const below = command.commands.flatMap((each) => leavesOf(each, [...path, each.name()]));
  return below.length > 0 ? below : [[path.join(" "), command]];
}
const leaves = leavesOf(createProgram({ env: {}, stdout: silent, stderr: silent }));

let fixture: SenderFixture;
let one: DrivenWallet;
let directory: string;
let env: Record<string, string>;

beforeAll(async () => {
  fixture = await startSenderFixture();
  await createOnchain(fixture.pool);
  one = await fixture.makeWallet();
  directory = mkdtempSync(join(tmpdir(), "every-command-"));
  const address = `0x${"1".repeat(40)}`;
  const contracts = { stockRouter: address, cashier: address, stock: address, oneClickRouter: address };
  const { chainId, urls } = one.chain;
  const products = [{ productType: PRODUCT, startBlock: 0, contracts }];
  const file = join(directory, "deployments.json");
  writeFileSync(
    file,
    JSON.stringify({ chains: [{ chainId, rpcUrls: urls, confirmations: CONFIRMATIONS, products }] }),
  );
  env = {
    DATABASE_URL: fixture.url,
    DEPLOYMENTS_FILE: file,
    MASTER_KEYS: `test:${"0a".repeat(32)}`,
    WEBHOOK_KEYS: `test:${"0b".repeat(32)}`,
  };
});

afterAll(async () => {
  await fixture?.close();
  rmSync(directory, { recursive: true, force: true });
});

it.each(leaves)("%s takes --json", (_path, { options }) => {
  expect(options.map(({ long }) => long)).toContain("--json");
});

/** Commands whose JSON is tested where they have something to do. */
const ELSEWHERE = new Set([
  "reconcile", // test/e2e/operators-command.test.ts
  "wallets give-up", // packages/admin/test/wallets-give-up.integration.test.ts
  "wallets resend", // packages/admin/test/wallets-resend.integration.test.ts
]);

it("every other command prints one JSON document and nothing else", async () => {
  const { chainId } = one.chain;
  const chain = String(chainId);
  const done = new Set<string>();
  async function run(path: string, ...args: string[]) {
    done.add(path);
    const { code, out, err } = await operate([...path.split(" "), ...args, "--json"], env);
    expect({ path, code, err: err.replaceAll(/^warning: .*\n/gm, "") }).toEqual({ path, code: 0, err: "" });
    return JSON.parse(out);
  }

  const { apiKey } = await run(
    "keys create",
    "--name",
    "acme",
    "--access",
    "WRITABLE",
    "--scope",
    `${chain}:${PRODUCT}`,
  );
  expect(await run("keys list")).toContainEqual(expect.objectContaining({ apiKey, state: "active" }));
  expect(await run("keys update", apiKey, "--add-ip", "192.0.2.1")).toEqual({
    apiKey,
    ips: ["192.0.2.1"],
    expiresAt: null,
  });
  expect(await run("keys rotate", apiKey)).toMatchObject({ apiKey, apiSecret: expect.any(String) });
  expect(await run("keys rotate", apiKey, "--finish", "--yes")).toEqual({ apiKey });
  expect(await run("policies set", apiKey, "--symbols", "AAPL")).toMatchObject({ allowedSymbols: ["AAPL"] });
  expect(await run("policies show", apiKey)).toMatchObject({ apiKey, killed: false });
  expect(await run("keys revoke", apiKey, "--yes")).toEqual({ apiKey, isNew: true });
  expect(await run("keys revoke", apiKey, "--yes")).toEqual({ apiKey, isNew: false });

  const name = "alice";
  expect(await run("dashboard-users create", "--name", name, "--role", "viewer")).toMatchObject({ name });
  expect(await run("dashboard-users list")).toMatchObject([{ name }]);
  expect(await run("dashboard-users rotate", name, "--yes")).toMatchObject({ name });
  expect(await run("dashboard-users revoke", name, "--yes")).toEqual({ name });

  const requestId = await one.send();
  expect(await run("queue list")).toMatchObject([{ requestId }]);
  expect(await run("queue show", requestId)).toMatchObject({ requestId, attempts: [] });
  expect(await run("sending halt", "--chain", chain)).toEqual({ chainId, halted: true, isNew: true });
  expect(await run("sending halt", "--chain", chain)).toEqual({ chainId, halted: true, isNew: false });
  expect(await run("sending status")).toMatchObject([{ chainId, halted: true }]);
  expect(await run("sending resume", "--chain", chain)).toEqual({ chainId, halted: false, isNew: true });
  const wallet = getAddress(one.address);
  expect(await run("wallets list")).toContainEqual(expect.objectContaining({ chainId, wallet }));
  expect(await run("wallets resume", chain, one.address)).toMatchObject({ chainId, wallet });
  expect(await run("wallets retire", chain, one.address, "--yes")).toMatchObject({ chainId, wallet });
  expect(await run("wallets retire", chain, one.address, "--status")).toMatchObject({ chainId, wallet });

  const span = ["--from", "1h", "--until", "2h", "--text", "Sends wait."];
  const notice = await run("maintenance announce", ...span);
  expect(notice).toMatchObject({ noticeId: expect.any(String), chainId: null, canceledAt: null });
  const { noticeId } = notice;
  expect(await run("maintenance cancel", noticeId)).toEqual({ noticeId });
  expect(await run("maintenance list")).toMatchObject([{ noticeId, canceledAt: expect.any(String) }]);

  const webhookId = randomUUID();
  await fixture.pool.query(
    `INSERT INTO app.webhook (webhook_id, key_id, chain_id, product_type, url, types, cursor)
     VALUES ($1, $2, $3, $4, 'https://acme.example.com/hook', '', 0)`,
    [webhookId, one.caller.keyId, chainId, PRODUCT],
  );
  expect(await run("webhooks list")).toMatchObject([{ webhookId }]);
  expect(await run("webhooks pause", webhookId)).toEqual({ webhookId });
  expect(await run("webhooks resume", webhookId)).toEqual({ webhookId });
  expect(await run("webhooks redeliver", webhookId)).toEqual({ webhookId, deliveryId: null, deliveries: 0 });

  for (const path of ["webhooks reseal", "keys reseal"]) expect(await run(path)).toEqual({ secrets: 0 });
  const shows = ["events list", "indexer status", "audit list", "projection show", "projection rebuild"];
  for (const path of shows) expect(await run(path)).toEqual(expect.any(Array));
  expect(await run("projection check")).toMatchObject({ differenceCount: 0, differences: [] });
  expect(await run("completion", "bash")).toMatchObject({ shell: "bash", script: expect.any(String) });

  expect(leaves.map(([path]) => path).filter((path) => !done.has(path) && !ELSEWHERE.has(path))).toEqual([]);
});

/** A malformed value of each argument and option, by its name; null where any text is well-formed. */
const MALFORMED: Readonly<Record<string, string | null>> = {
  apiKey: null,
  name: null,
  shell: "cmd",
  chainId: "0x1",
  address: "0x12",
  requestId: "1",
  webhookId: "1",
  deliveryId: "1",
  noticeId: "1",
  "--from": "yesterday",
  "--until": "tomorrow",
  "--text": " ",
  "--access": "ALL",
  "--role": "root",
  "--name": " ",
  "--chain": "one",
  "--claim": "1",
  "--chain-id": "2147483648",
  "--scope": "Stocks",
  "--ip": "300.0.0.1",
  "--add-ip": "192.0.2.1/24",
  "--remove-ip": "localhost",
  "--user-address": "0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "--wallet": "0X12",
  "--state": "final",
  "--since": "yesterday",
  "--expires": "soon",
  "--overlap": "1w",
  "--limit": "0",
  "--daily-notional": "1e5",
  "--symbols": " , ",
  "--operations": "orders/steal",
  "--type": "order.fill",
  "--object": "0x12",
  "--block": "latest",
  "--from-block": "0x1",
  "--to-block": "1.5",
  "--from-nonce": "0x1",
  "--product": null,
  "--reason": null,
  "--actor": null,
  "--login": null,
  "--action": null,
  "--subject": null,
  "--key": null,
};

/** The first example of each command in its page: a well-formed command line. */
const page = readFileSync(`${ROOT}docs/operations/cli.md`, "utf8");
const exampleOf = (path: string): string[] => {
  const section = page.split(/^### /m).find((each) => each.startsWith(`${path}\n`)) ?? "";
  const [, line = ""] = /^\$ partner-trading-admin (.*?)(?: > .*)?$/m.exec(section) ?? [];
  return (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ""));
};

/** Returns command lines that each have one malformed argument. */
function malformedLines(path: string, command: Command): string[][] {
  const line = exampleOf(path);
  const words = path.split(" ").length;
  const malformedOf = (name: string) => {
    const value = MALFORMED[name];
    if (value === undefined) throw new Error(`no malformed value of ${name}: add it to this test`);
    return value;
  };
  const byArgument = command.registeredArguments.flatMap((argument, index) => {
    const value = malformedOf(argument.name());
    return value === null ? [] : [[...line.slice(0, words + index), value, ...line.slice(words + index + 1)]];
  });
  const byOption = command.options.flatMap(({ long, required, optional }) => {
    const value = long && (required || optional) ? malformedOf(long) : null;
    return long && value !== null ? [[...line, long, value]] : [];
  });
  return [...byArgument, ...byOption];
}

describe("a malformed argument", () => {
  it.each(leaves)("of %s is exit code 2, and says nothing on standard output", async (path, command) => {
    const line = exampleOf(path);
    expect(line.slice(0, path.split(" ").length).join(" ")).toBe(path);
    // The example itself is well-formed, whether or not it can be done here.
    expect([0, 1]).toContain((await operate(line, env)).code);
    const lines = [...malformedLines(path, command), [...line, "--no-such-option"], [...line, "too", "many"]];
    for (const args of lines) {
      const { code, out, err } = await operate(args, env);
      expect({ args, code, out }).toEqual({ args, code: 2, out: "" });
      expect(err).toMatch(/^(error: .+\n|warning: .+\n)+/);
    }
  });

  it.each([
    ["keys create --name acme --access READ_ONLY"],
    ["keys create --name acme --access READ_ONLY --chain-id 1"],
    ["keys create --name acme --access READ_ONLY --scope 31337:Sandbox --daily-notional 5"],
    ["keys update pk_any"],
    ["policies set pk_any"],
    ["keys"],
    ["no-such-command"],
  ])("or one that is missing: %s", async (line) => {
    expect(await operate(line.split(" "), env)).toMatchObject({ code: 2, out: "" });
  });
});

it("a key that does not exist is an error, before anything is asked", async () => {
  for (const args of [
    ["revoke"],
    ["revoke", "--yes"],
    ["rotate", "--finish"],
    ["rotate", "--finish", "--yes"],
  ]) {
    const [verb = "", ...options] = args;
    expect(await operate(["keys", verb, "pk_nobody", ...options, "--json"], env)).toEqual({
      code: 1,
      out: "",
      err: "error: there is no key pk_nobody\n",
    });
  }
});
