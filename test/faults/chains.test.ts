import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "@jest/globals";
import type { Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { Caller } from "../../src/auth/caller.ts";
import { migrate } from "../../src/db/migrate.ts";
import { createRoles, ROLES } from "../../src/db/roles.ts";
import { type NewSend, write } from "../../src/sending/outbox/submit.ts";
import { createLocalSigner } from "../../src/sending/signer/signer.ts";
import { present, until } from "../support/assert/until.ts";
import { startRpcProxy } from "../support/chain/rpc-proxy.ts";
import { createApiKey } from "../support/db/builders/keys.ts";
import { type Outcome, operate } from "../support/program/command.ts";
import {
  type ChainFixture,
  confirm,
  type DrivenWallet,
  type DriveWalletOptions,
  driveWallet,
  minedFrom,
  routerCode,
  startChainFixture,
} from "../support/sender/chain-fixture.ts";
import { seedEnable } from "../support/sender/enables.ts";
import { NOWHERE, newSend } from "../support/sender/new-send.ts";

/** docs/faults.md, rows 13 to 19 and 82: what the chain, the wallet and time do to a send. */
let fixture: ChainFixture;
let driven: DrivenWallet | null = null;

beforeAll(async () => {
  fixture = await startChainFixture();
  await createRoles(fixture.databaseUrl);
  await migrate(fixture.databaseUrl, { info: () => undefined });
});
afterAll(() => fixture?.close());
afterEach(async () => {
  fixture.proxy.rule = null;
  await fixture.chain.setAutomine(true);
  await driven?.stop();
  driven = null;
});

async function driveOne(options: DriveWalletOptions = {}): Promise<DrivenWallet> {
  driven = await driveWallet(fixture, options);
  return driven;
}

/** Rolls back so many blocks; the new ones hold the given raw transactions, each with its block from 0. */
function reorg(depth: number, pairs: [Hex, number][] = []): Promise<unknown> {
  return fixture.chain.transport.request({ method: "anvil_reorg", params: [depth, pairs] });
}

/** Runs `partner-trading-admin wallets ...` with the rights of the operator's role. */
async function operateWallets(...args: string[]): Promise<Outcome> {
  const address = `0x${"1".repeat(40)}`;
  const contracts = { stockRouter: address, cashier: address, stock: address, oneClickRouter: address };
  const products = [{ productType: "Sandbox", startBlock: 0, contracts }];
  const { chainId, rpcUrl } = fixture.anvil;
  const directory = mkdtempSync(join(tmpdir(), "wallets-"));
  try {
    const DEPLOYMENTS_FILE = join(directory, "deployments.json");
    const chains = [{ chainId, rpcUrls: [rpcUrl], confirmations: 3, products }];
    writeFileSync(DEPLOYMENTS_FILE, JSON.stringify({ chains }));
    const url = new URL(fixture.databaseUrl);
    url.searchParams.set("options", `-c role=${ROLES.operator}`);
    return await operate(["wallets", ...args], { DATABASE_URL: url.href, DEPLOYMENTS_FILE });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function attemptsOf(id: string) {
  const { rows } = await fixture.pool.query<{ tx_hash: Hex; kind: string; gas_limit: string }>(
    "SELECT tx_hash, kind, gas_limit FROM app.send_attempt WHERE request_id = $1 ORDER BY attempt_id",
    [id],
  );
  return rows;
}

async function finish(one: DrivenWallet, id: string) {
  await one.reaches(id, ["mined", "final"]);
  await confirm(fixture);
  return one.reaches(id, "final");
}

/** Waits until the pool holds the request's newest attempt, so that the next block will. */
async function pooled(id: string): Promise<void> {
  await until("the pool has it", async () => {
    const hash = (await attemptsOf(id)).at(-1)?.tx_hash ?? "0x";
    return (await fixture.chain.getTransaction({ hash }).catch(() => undefined)) ? true : undefined;
  });
}

/** Runtime code: reverts with DeadlineExpired(). */
const REVERTS = "0x631ab7da6b60e01b60005260046000fd";
/** Runtime code: writes 10 storage slots, some 222,000 gas. */
const HUNGRY: Hex = `0x${Array.from({ length: 10 }, (_, slot) => `600160${(slot + 1).toString(16).padStart(2, "0")}55`).join("")}00`;

async function contract(code: Hex): Promise<Hex> {
  const address = privateKeyToAccount(generatePrivateKey()).address.toLowerCase() as Hex;
  await fixture.chain.setCode({ address, bytecode: routerCode(code) });
  return address;
}

it("row 13: what a reorg took out goes out again, and is mined once", async () => {
  const one = await driveOne();
  // The wallet's coins are of a state that anvil was given: blocks on it, which the reorg leaves, keep them.
  await fixture.chain.mine({ blocks: 2 });
  const ids = [await one.send(), await one.send()];
  for (const id of ids) await one.reaches(id, "mined");
  const before = await Promise.all(ids.map(one.row));
  await fixture.chain.setAutomine(false);
  await reorg(2);
  for (const id of ids) await pooled(id);
  await fixture.chain.mine({ blocks: 1 });
  const after = await Promise.all(ids.map((id) => finish(one, id)));
  expect({ nonces: after.map(({ nonce }) => nonce) }).toEqual({ nonces: [0n, 1n] });
  const mined = await minedFrom(fixture.chain, one.signer.address);
  expect(mined.map(({ input }) => input)).toEqual(before.map(({ data }) => data));
});

it("row 14: a rival that a reorg brings halts the wallet, and nothing is signed twice", async () => {
  const key = generatePrivateKey();
  const one = await driveOne({ signer: createLocalSigner(key) });
  const id = await one.send();
  await one.reaches(id, "mined");
  const rival = await privateKeyToAccount(key).signTransaction({
    chainId: fixture.anvil.chainId,
    nonce: 0,
    to: NOWHERE,
    value: 7n,
    gas: 50_000n,
    maxFeePerGas: 3_000_000_000n,
    maxPriorityFeePerGas: 2_000_000_000n,
    type: "eip1559",
  });
  await reorg(1, [[rival, 0]]);
  await until("the wallet is halted", async () => (await one.wallet()).state === "halted" || undefined);
  expect(one.alarms.map(({ alarm }) => alarm)).toContain("wallet-halted");
  expect((await one.row(id)).state).toBe("broadcast");
  const waiting = await fixture.pool.query(
    "SELECT count(*)::int AS n FROM app.send_attempt WHERE wallet = $1",
    [one.signer.address],
  );
  expect(waiting.rows[0].n).toBe((await attemptsOf(id)).length);
  await expect(one.send()).rejects.toMatchObject({ errCode: "OPERATOR_UNAVAILABLE" });
  expect((await minedFrom(fixture.chain, one.signer.address)).map(({ input }) => input)).toEqual(["0x"]);
});

it("row 82: a deep reorg takes out what is final: an operator sends the same bytes again, and what waits behind follows", async () => {
  const one = await driveOne();
  const id = await one.send();
  const final = await finish(one, id);
  await fixture.chain.setAutomine(false);
  const behind = await one.send();
  await pooled(behind);
  await reorg(4);
  const gaps = () => one.alarms.filter(({ alarm }) => alarm === "nonce-gap");
  const { fields } = await until("the alarm", () => gaps()[0]);
  expect(fields).toMatchObject({ wallet: one.signer.address, nonce: "0", requestId: id });
  const waiting = await one.send();
  // Each cycle raises it: the third from here follows one that read the request.
  const raised = gaps().length;
  await until("cycles passed", () => gaps().length >= raised + 3);
  expect(await one.row(waiting)).toMatchObject({ state: "accepted", nonce: null });
  const resend = ["resend", String(fixture.anvil.chainId), one.signer.address, "--yes"];
  expect(await operateWallets(...resend)).toMatchObject({
    code: 0,
    out: `nonce 0  ${id}  ${final.txHash}  sent\n`,
  });
  await fixture.chain.mine({ blocks: 1 });
  await fixture.chain.setAutomine(true);
  for (const each of [behind, waiting]) await finish(one, each);
  expect(await one.row(id)).toEqual(final);
  const sent = await Promise.all([id, behind, waiting].map(one.row));
  const mined = await minedFrom(fixture.chain, one.signer.address);
  expect(mined.map(({ hash }) => hash)).toEqual(sent.map(({ txHash }) => txHash));
  expect(mined[0]).toMatchObject({ input: final.data, hash: final.txHash });
  expect(await operateWallets(...resend)).toMatchObject({
    code: 1,
    err: expect.stringContaining("nothing was sent"),
  });
});

it("row 15: a success that becomes a revert is reported only when final", async () => {
  const to = await contract("0x00");
  const one = await driveOne({ router: to });
  const id = await one.send();
  expect(await one.reaches(id, "mined")).toMatchObject({ minedSuccess: true });
  await fixture.chain.setAutomine(false);
  await reorg(1);
  await fixture.chain.setCode({ address: to, bytecode: routerCode(REVERTS) });
  await one.reaches(id, "broadcast");
  await pooled(id);
  await fixture.chain.mine({ blocks: 1 });
  expect(await one.reaches(id, "mined")).toMatchObject({ minedSuccess: false, outcome: null });
  await confirm(fixture);
  expect(await one.reaches(id, "final")).toMatchObject({
    outcome: "reverted",
    errCode: "CHAIN_REVERT",
    revert: "DeadlineExpired",
  });
});

it("row 16: a call that runs dry is OUT_OF_GAS and is not repeated; one that reverts says why", async () => {
  const router = await contract(HUNGRY);
  const one = await driveOne({ router });
  const dry = await one.send({ gasLimit: 150_000n });
  await one.reaches(dry, "mined");
  await fixture.chain.setCode({ address: router, bytecode: routerCode(REVERTS) });
  const reverting = await one.send({ gasLimit: 150_000n });
  expect(await finish(one, dry)).toMatchObject({ outcome: "reverted", errCode: "OUT_OF_GAS" });
  expect(await finish(one, reverting)).toMatchObject({
    outcome: "reverted",
    errCode: "CHAIN_REVERT",
    revert: "DeadlineExpired",
  });
  expect(await minedFrom(fixture.chain, one.signer.address)).toHaveLength(2);
});

it.each([
  ["too little for any transaction", 1_000n],
  ["too little for its data", 21_001n],
  ["more than a block holds", 10n ** 12n],
])("row 16: a gas limit of %s holds up nobody: its nonce is filled", async (_what, gasLimit) => {
  const one = await driveOne({ config: { bumpAfterMs: 60_000 } });
  await fixture.chain.setBalance({ address: one.signer.address, value: 10n ** 24n });
  const odd = await one.send({ gasLimit });
  const behind = await one.send();
  await one.reaches(behind, ["mined", "final"]);
  await confirm(fixture);
  const ended = await until("the odd request failed", async () => {
    const row = await one.row(odd);
    return row.state === "failed" ? row : undefined;
  });
  expect(ended).toMatchObject({ errCode: "OUT_OF_GAS", nonce: 0n });
  expect(await minedFrom(fixture.chain, one.signer.address)).toMatchObject([
    { nonce: 0, input: "0x", to: one.signer.address },
    { nonce: 1 },
  ]);
});

it("row 17: without funds the wallet pauses, wastes no bump, and resumes by itself", async () => {
  const one = await driveOne();
  await one.reaches(await one.send(), ["mined", "final"]);
  const address = one.signer.address;
  await fixture.chain.setBalance({ address, value: 1_000n });
  const queued = await one.send();
  await until("the wallet is paused", async () => (await one.wallet()).state === "paused" || undefined);
  expect(one.alarms.map(({ alarm }) => alarm)).toContain("wallet-paused");
  await expect(one.send()).rejects.toMatchObject({ errCode: "OPERATOR_UNAVAILABLE" });
  expect((await one.row(queued)).state).toBe("accepted");
  expect(await attemptsOf(queued)).toHaveLength(0);
  await fixture.chain.setBalance({ address, value: 10n ** 20n });
  await finish(one, queued);
  expect(await attemptsOf(queued)).toHaveLength(1);
  await finish(one, await one.send());
});

it("row 17: a request that costs more than the wallet has holds up nobody, and is sent once there are funds", async () => {
  const one = await driveOne();
  const address = one.signer.address;
  await fixture.chain.setBalance({ address, value: 10n ** 16n });
  const dear = await one.send({ gasLimit: 10_000_000n });
  const behind = [await one.send(), await one.send()];
  for (const id of behind) await one.reaches(id, ["mined", "final"]);
  await until("the alarm", () => one.alarms.find(({ alarm }) => alarm === "unaffordable"));
  // Alone in the queue it stops nobody either.
  await one.reaches(await one.send(), ["mined", "final"]);
  expect(await one.row(dear)).toMatchObject({ state: "accepted", nonce: null });
  expect((await one.wallet()).state).toBe("active");
  await fixture.chain.setBalance({ address, value: 10n ** 20n });
  expect(await finish(one, dear)).toMatchObject({ nonce: 3n });
  expect(one.alarms.map(({ alarm }) => alarm)).not.toContain("wallet-paused");
});

it("what is not wanted any more ends while the wallet is paused", async () => {
  const clock = { aheadMs: 0 };
  const one = await driveOne({ now: () => Date.now() + clock.aheadMs });
  await fixture.chain.setBalance({ address: one.signer.address, value: 1_000n });
  const expiring = await one.send({ deadline: BigInt(Math.floor(Date.now() / 1000) + 600) });
  await until("the wallet is paused", async () => (await one.wallet()).state === "paused" || undefined);
  const disabled = await one.send({ bypassChecks: true });
  const kept = await one.send({ operation: "1ct/disable", needsDelegation: false, bypassChecks: true });
  clock.aheadMs = 700_000;
  await fixture.pool.query("UPDATE app.delegation SET blocked = true WHERE user_address = $1", [one.user]);
  for (const id of [expiring, disabled]) {
    await until("it is canceled", async () => (await one.row(id)).state === "canceled" || undefined);
  }
  expect(await one.row(disabled)).toMatchObject({ errCode: "DELEGATION_NOT_ENABLED", nonce: null });
  expect(await one.row(kept)).toMatchObject({ state: "accepted" });
  expect((await one.wallet()).state).toBe("paused");
});

/** Creates another API key by which the user enabled sending. */
async function anotherKey(user: Hex): Promise<Caller> {
  const caller = await createApiKey(fixture.pool, fixture.caller);
  await seedEnable(fixture.pool, caller, user);
  return caller;
}

it("keys take turns: one that sends in masses keeps no other waiting", async () => {
  const one = await driveOne();
  const [late, later] = [await anotherKey(one.user), await anotherKey(one.user)];
  fixture.proxy.rule = () => "lose-request";
  const many: string[] = [];
  for (let count = 0; count < 12; count++) many.push(await one.send());
  const send = async (caller: Caller) =>
    (await write(one.deps, caller, newSend(one.signer.address, one.user))).requestId;
  const few = [await send(late), await send(late), await send(later)];
  fixture.proxy.rule = null;
  for (const id of [...many, ...few]) await one.reaches(id, ["mined", "final"]);
  const nonces = async (ids: string[]) => (await Promise.all(ids.map(one.row))).map(({ nonce }) => nonce);
  expect({ ofFew: await nonces(few), ofMany: await nonces(many) }).toEqual({
    ofFew: [1n, 4n, 2n],
    ofMany: [0n, 3n, 5n, 6n, 7n, 8n, 9n, 10n, 11n, 12n, 13n, 14n],
  });
});

it("a key that has too much waiting is refused, and nobody else is, nor a disable", async () => {
  const one = await driveOne();
  const other = await anotherKey(one.user);
  const send = async (caller: Caller, more: Partial<NewSend> = {}) =>
    (await write(one.deps, caller, newSend(one.signer.address, one.user, { queuedMax: 3, ...more })))
      .requestId;
  fixture.proxy.rule = () => "lose-request";
  const ids = [await send(one.caller), await send(one.caller), await send(one.caller)];
  await expect(send(one.caller)).rejects.toMatchObject({
    errCode: "RATE_LIMITED",
    retryAfterSeconds: 5,
  });
  ids.push(await send(other));
  ids.push(await send(one.caller, { operation: "1ct/disable", needsDelegation: false, bypassChecks: true }));
  fixture.proxy.rule = null;
  for (const id of ids) await one.reaches(id, ["mined", "final"]);
  await one.reaches(await send(one.caller), ["mined", "final"]);
});

/** Signs a transaction with the wallet's key without its worker. */
const signElsewhere = (key: Hex, nonce: number): Promise<Hex> =>
  privateKeyToAccount(key).signTransaction({
    chainId: fixture.anvil.chainId,
    nonce,
    to: NOWHERE,
    gas: 50_000n,
    maxFeePerGas: 3_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    type: "eip1559",
  });

it("row 18: a key that is used elsewhere halts the wallet", async () => {
  const key = generatePrivateKey();
  const one = await driveOne({ signer: createLocalSigner(key) });
  await one.reaches(await one.send(), ["mined", "final"]);
  const raw = await signElsewhere(key, 1);
  await fixture.chain.sendRawTransaction({ serializedTransaction: raw });
  await until("the wallet is halted", async () => (await one.wallet()).state === "halted" || undefined);
  const { alarm, fields } = present(
    one.alarms.find((entry) => entry.alarm === "wallet-halted"),
    "an alarm",
  );
  expect(alarm).toBe("wallet-halted");
  expect(fields.wallet).toBe(one.signer.address);
  expect((await one.wallet()).next_nonce).toBe("1");
});

it.each([
  ["as one of two", Number.POSITIVE_INFINITY, true],
  ["for a moment", 3, false],
])("row 18: a node that counts too far %s halts nothing", async (_what, lies, second) => {
  const honest = await startRpcProxy(fixture.anvil.rpcUrl);
  try {
    // The grace period outlasts three answers on a machine of any speed.
    const alone = { config: { foreignGraceMs: 600_000 } };
    const one = await driveOne(second ? { rpcUrls: [fixture.proxy.url, honest.url] } : alone);
    await one.reaches(await one.send(), ["mined", "final"]);
    let told = 0;
    fixture.proxy.rule = ({ method }) =>
      method === "eth_getTransactionCount" && told++ < lies ? { result: "0x64" } : undefined;
    await until("it lied", () => told > 0 || undefined);
    await one.reaches(await one.send(), ["mined", "final"]);
    expect((await one.wallet()).state).toBe("active");
    const disagreements = one.alarms.filter(({ alarm }) => alarm === "nodes-disagree");
    expect({ alarms: one.alarms, disagreements }).toEqual({
      alarms: one.alarms,
      disagreements: second ? expect.arrayContaining([expect.anything()]) : [],
    });
  } finally {
    await honest.close();
  }
});

it("row 18: a halted wallet resumes at the nonce of the final block, and not before", async () => {
  const key = generatePrivateKey();
  const one = await driveOne({ signer: createLocalSigner(key) });
  await one.reaches(await one.send(), ["mined", "final"]);
  const raw = await signElsewhere(key, 1);
  const hash = await fixture.chain.sendRawTransaction({ serializedTransaction: raw });
  await until("the wallet is halted", async () => (await one.wallet()).state === "halted" || undefined);
  const resume = () => operateWallets("resume", String(fixture.anvil.chainId), one.signer.address);
  expect(await resume()).toMatchObject({
    code: 1,
    err: expect.stringContaining("for good: try again when that is final"),
  });
  expect(await one.wallet()).toMatchObject({ state: "halted", next_nonce: "1" });
  await confirm(fixture);
  expect(await resume()).toMatchObject({
    code: 0,
    out: expect.stringContaining(`${hash}, nonce 1, belongs to no request in the database`),
  });
  expect(await one.wallet()).toMatchObject({ next_nonce: "2" });
  expect(await finish(one, await one.send())).toMatchObject({ nonce: 2n, outcome: "confirmed" });
  const { rows } = await fixture.pool.query(
    "SELECT detail FROM app.audit_entry WHERE action = 'wallets resume'",
  );
  const detail = { chainNonce: "2", recovered: [], recreated: [], refused: [], unknown: [hash] };
  expect(rows).toEqual([{ detail }]);
});

it("row 18: a rival that takes a nonce between signing and sending halts the wallet", async () => {
  const key = generatePrivateKey();
  const one = await driveOne({ signer: createLocalSigner(key) });
  const raw = await signElsewhere(key, 0);
  let sent = false;
  fixture.proxy.rule = async ({ method }) => {
    if (method !== "eth_sendRawTransaction" || sent) return undefined;
    sent = true;
    const hash = await fixture.chain.sendRawTransaction({ serializedTransaction: raw });
    // A rival that is not mined yet is outbid, as any other that stands in the pool.
    await fixture.chain.waitForTransactionReceipt({ hash });
    return undefined;
  };
  const id = await one.send();
  await until("the wallet is halted", async () => (await one.wallet()).state === "halted" || undefined);
  expect(await one.row(id)).toMatchObject({ state: "broadcast", nonce: 0n });
  expect(await attemptsOf(id)).toHaveLength(1);
});

it("row 19: after its deadline a stuck nonce is filled and its request canceled", async () => {
  const clock = { aheadMs: 0 };
  const one = await driveOne({ now: () => Date.now() + clock.aheadMs });
  await fixture.chain.setAutomine(false);
  const stuck = await one.send({ deadline: BigInt(Math.floor(Date.now() / 1000) + 600) });
  const behind = await one.send();
  await one.reaches(stuck, "broadcast");
  clock.aheadMs = 700_000;
  await until(
    "a filler",
    async () => (await attemptsOf(stuck)).some(({ kind }) => kind === "filler") || undefined,
  );
  await pooled(stuck);
  await fixture.chain.mine({ blocks: 1 });
  await fixture.chain.setAutomine(true);
  await finish(one, behind);
  await until("it is canceled", async () => (await one.row(stuck)).state === "canceled" || undefined);
  expect(await one.row(stuck)).toMatchObject({ errCode: "DEADLINE_EXPIRED", nonce: 0n });
  expect(await minedFrom(fixture.chain, one.signer.address)).toMatchObject([
    { nonce: 0, input: "0x" },
    { nonce: 1 },
  ]);
});

it("row 19: a request whose deadline passes before signing never gets a nonce", async () => {
  const one = await driveOne();
  fixture.proxy.rule = () => "lose-request";
  const id = await one.send({ deadline: BigInt(Math.floor(Date.now() / 1000) - 1) });
  fixture.proxy.rule = null;
  await until("it is canceled", async () => (await one.row(id)).state === "canceled" || undefined);
  expect(await one.row(id)).toMatchObject({ errCode: "DEADLINE_EXPIRED", nonce: null });
});

it.each([
  [
    "its key is revoked",
    "its key was revoked",
    "UPDATE app.api_key SET active = false, revoked_at = now() WHERE key_id = $1",
    "UPDATE app.api_key SET active = true, revoked_at = NULL WHERE key_id = $1",
  ],
  [
    "the key's kill switch is on",
    "the key's kill switch",
    "INSERT INTO app.key_policy (key_id, killed) VALUES ($1, true)",
    "DELETE FROM app.key_policy WHERE key_id = $1",
  ],
])("what waits without a nonce when %s is never signed, save a disable", async (_, reason, stop, resume) => {
  const one = await driveOne();
  await fixture.pool.query(stop, [one.caller.keyId]);
  try {
    // Written all the same, as what was let in a moment before.
    const order = await one.send({ bypassChecks: true });
    const disable = await one.send({ operation: "1ct/disable", needsDelegation: false, bypassChecks: true });
    await finish(one, disable);
    const refused = { state: "canceled", errCode: "POLICY_REFUSED", reason, nonce: null };
    expect(await one.row(order)).toMatchObject(refused);
    expect(await one.row(disable)).toMatchObject({ nonce: 0n });
  } finally {
    await fixture.pool.query(resume, [one.caller.keyId]);
  }
});

it("a transaction stuck at its fee is replaced in time, and the queue behind it moves", async () => {
  const one = await driveOne({ config: { bumpAfterMs: 700 } });
  await fixture.chain.setAutomine(false);
  const ids = [await one.send(), await one.send(), await one.send()];
  for (const id of ids) await one.reaches(id, "broadcast");
  const [first = ""] = ids;
  // The base fee rises above what it offers.
  const { rows } = await fixture.pool.query<{ offered: string }>(
    "SELECT max(max_fee_per_gas)::text AS offered FROM app.send_attempt WHERE wallet = $1",
    [one.signer.address],
  );
  const offered = BigInt(present(rows[0], "an attempt").offered);
  await fixture.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: (offered * 11n) / 10n });
  await fixture.chain.mine({ blocks: 1 });
  await until("the first one offers more", async () => (await attemptsOf(first)).length > 1 || undefined);
  await fixture.chain.setAutomine(true);
  for (const id of ids) await one.reaches(id, ["mined", "final"], 25_000);
  await confirm(fixture);
  for (const id of ids) await one.reaches(id, "final");
  expect(await minedFrom(fixture.chain, one.signer.address)).toHaveLength(3);
});
