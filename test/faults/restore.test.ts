import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { migrate } from "../../src/db/migrate.ts";
import { createRoles, ROLES } from "../../src/db/roles.ts";
import { createLocalSigner } from "../../src/sending/signer/signer.ts";
import { until } from "../support/assert/until.ts";
import { type Backup, backupOf } from "../support/db/copy-database.ts";
import { operate } from "../support/program/command.ts";
import {
  type ChainFixture,
  confirm,
  type DrivenWallet,
  driveWallet,
  minedFrom,
  startChainFixture,
} from "../support/sender/chain-fixture.ts";

/**
 * docs/faults.md, row 73: the database is replaced by a copy of it that was made earlier, while the chain went on. A backup is a copy
 * of the whole database by PostgreSQL itself.
 */
let fixture: ChainFixture;
let directory: string;
let backup: Backup;
let one: DrivenWallet;

beforeAll(async () => {
  fixture = await startChainFixture();
  await createRoles(fixture.databaseUrl);
  await migrate(fixture.databaseUrl, { info: () => undefined });
  backup = backupOf(fixture.databaseUrl);
  directory = mkdtempSync(join(tmpdir(), "restore-"));
  const address = `0x${"1".repeat(40)}`;
  const contracts = { stockRouter: address, cashier: address, stock: address, oneClickRouter: address };
  const products = [{ productType: "Sandbox", startBlock: 0, contracts }];
  const { chainId, rpcUrl } = fixture.anvil;
  for (const [file, url] of [
    ["deployments.json", rpcUrl],
    ["proxy.json", fixture.proxy.url],
  ] as const) {
    const chains = [{ chainId, rpcUrls: [url], confirmations: 3, products }];
    writeFileSync(join(directory, file), JSON.stringify({ chains }));
  }
});
afterAll(async () => {
  await backup?.drop();
  await fixture?.close();
  rmSync(directory, { recursive: true, force: true });
});
beforeEach(async () => {
  one = await driveWallet(fixture, { signer: createLocalSigner(generatePrivateKey()) });
});
afterEach(async () => {
  await fixture.chain.setAutomine(true);
  await one.stop();
});

const backUp = () => backup.make();
const restore = () => backup.restore();

/** Runs `partner-trading-admin wallets resume` with the operator's role. */
function resume(file = "deployments.json") {
  const url = new URL(fixture.databaseUrl);
  url.searchParams.set("options", `-c role=${ROLES.operator}`);
  return operate(["wallets", "resume", String(fixture.anvil.chainId), one.signer.address], {
    DATABASE_URL: url.href,
    DEPLOYMENTS_FILE: join(directory, file),
  });
}

const halted = () =>
  until("the wallet is halted", async () => (await one.wallet()).state === "halted" || undefined);
const callsOnChain = async () =>
  (await minedFrom(fixture.chain, one.signer.address)).map(({ input }) => input);

it("a backup restored over sends that it does not know sends none of them again", async () => {
  const before = await one.send();
  await one.reaches(before, ["mined", "final"]);
  await one.stop();
  const waiting = [await one.send(), await one.send()];
  await backUp();
  await one.start();
  for (const id of waiting) await one.reaches(id, ["mined", "final"]);
  const lost = await one.send();
  const { txHash: lostHash } = await one.reaches(lost, ["mined", "final"]);
  const sent = await Promise.all(waiting.map(one.row));
  await one.stop();
  const calls = await callsOnChain();
  expect(calls).toHaveLength(4);

  await restore();
  expect((await Promise.all(waiting.map(one.row))).map(({ state, nonce }) => [state, nonce])).toEqual([
    ["accepted", null],
    ["accepted", null],
  ]);
  await one.start();
  await halted();
  expect(await resume()).toMatchObject({
    code: 1,
    err: expect.stringContaining("try again when that is final"),
  });
  await confirm(fixture);
  const resumed = await resume();
  expect(resumed).toMatchObject({ code: 0 });
  for (const { requestId, txHash, nonce } of sent)
    expect(resumed.out).toContain(`${requestId} was sent by ${txHash}, nonce ${nonce}`);
  expect(resumed.out).toContain(`${lostHash}, nonce 3, belongs to no request in the database`);

  for (const [index, id] of waiting.entries())
    expect(await one.reaches(id, "final")).toMatchObject({
      outcome: "confirmed",
      txHash: sent[index]?.txHash,
    });
  const next = await one.send();
  expect(await one.reaches(next, ["mined", "final"])).toMatchObject({ nonce: 4n });
  expect(await callsOnChain()).toEqual([...calls, (await one.row(next)).data]);
});

it("row 91: a copy of the database that lacks nothing goes on where that was, and nothing is sent twice", async () => {
  const sent = await one.send();
  await one.reaches(sent, ["mined", "final"]);
  await one.stop();
  const waiting = await one.send();
  await backUp();
  await restore();
  await one.start();
  expect(await one.reaches(waiting, ["mined", "final"])).toMatchObject({ nonce: 1n });
  const { data } = await one.row(sent);
  expect(await callsOnChain()).toEqual([data, (await one.row(waiting)).data]);
});

it("a send whose fee was raised after the backup is followed by the transaction that was mined", async () => {
  await one.stop();
  one = await driveWallet(fixture, {
    signer: createLocalSigner(generatePrivateKey()),
    config: { bumpAfterMs: 300 },
  });
  await fixture.chain.setAutomine(false);
  const id = await one.send();
  const { txHash: first } = await one.reaches(id, "broadcast");
  await one.stop();
  await backUp();
  await one.start();
  // It is raised again and again.
  await until("the pool has one whose fee was raised", async () => {
    const { txHash } = await one.row(id);
    if (txHash === null || txHash === first) return undefined;
    return fixture.chain.getTransaction({ hash: txHash }).then(
      () => true,
      () => undefined,
    );
  });
  await one.stop();
  await fixture.chain.mine({ blocks: 1 });
  const [mined] = await minedFrom(fixture.chain, one.signer.address);
  await restore();
  await fixture.pool.query("UPDATE app.delegatee_wallet SET state = 'halted' WHERE address = $1", [
    one.signer.address,
  ]);
  await confirm(fixture);
  expect(await resume()).toMatchObject({
    code: 0,
    out: expect.stringContaining(`${id} was sent by ${mined?.hash}`),
  });
  await one.start();
  expect(await one.reaches(id, "final")).toMatchObject({ outcome: "confirmed", txHash: mined?.hash });
});

it("while nodes have transactions that the backup does not know, nothing is signed", async () => {
  await one.stop();
  const id = await one.send();
  await backUp();
  await fixture.chain.setAutomine(false);
  await one.start();
  const { txHash } = await one.reaches(id, "broadcast");
  await one.stop();
  await restore();
  await one.start();
  await until("the worker has seen it", () =>
    one.alarms.some(({ alarm }) => alarm === "unknown-pending") ? true : undefined,
  );
  expect(await one.row(id)).toMatchObject({ state: "accepted", nonce: null });
  expect(await resume()).toMatchObject({ code: 1, err: expect.stringContaining("have not mined") });
  await fixture.chain.mine({ blocks: 1 });
  await halted();
  await confirm(fixture);
  expect(await resume()).toMatchObject({ code: 0 });
  expect(await one.reaches(id, "final")).toMatchObject({ txHash, outcome: "confirmed" });
  expect(await callsOnChain()).toHaveLength(1);
});

it("a node that prunes receipts is not used, and it is said why", async () => {
  await fixture.chain.setAutomine(false);
  const id = await one.send();
  const { txHash } = await one.reaches(id, "broadcast");
  await one.stop();
  await fixture.chain.setAutomine(true);
  await fixture.chain.mine({ blocks: 1 });
  await confirm(fixture);
  await fixture.pool.query("UPDATE app.delegatee_wallet SET state = 'halted' WHERE address = $1", [
    one.signer.address,
  ]);
  fixture.proxy.rule = ({ method }) =>
    method === "eth_getTransactionReceipt" ? { result: null } : undefined;
  expect(await resume("proxy.json")).toMatchObject({
    code: 1,
    out: "",
    err: expect.stringMatching(
      new RegExp(`${txHash} of request ${id} is mined, and the node has no receipt .* nothing was changed`),
    ),
  });
  expect(await one.wallet()).toMatchObject({ state: "halted" });
  fixture.proxy.rule = null;
  expect(await resume("proxy.json")).toMatchObject({ code: 0 });
  await one.start();
  expect(await one.reaches(id, "final")).toMatchObject({ outcome: "confirmed", txHash });
});

it("a transaction of the wallet that was signed elsewhere is no request's", async () => {
  const key = generatePrivateKey();
  await one.stop();
  one = await driveWallet(fixture, { signer: createLocalSigner(key) });
  const id = await one.send();
  const { data } = await one.reaches(id, ["mined", "final"]);
  const { chainId } = fixture.anvil;
  const call = { chainId, to: `0x${"2".repeat(40)}`, data, gas: 60_000n } as const;
  const fees = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 2_000_000_000n };
  const gasPrice = fees.maxFeePerGas;
  const elsewhere = [
    { ...call, ...fees, type: "eip1559", nonce: 1 },
    { ...call, gasPrice, type: "legacy", nonce: 2 },
    { ...call, gasPrice, type: "eip2930", nonce: 3, accessList: [{ address: call.to, storageKeys: [] }] },
  ] as const;
  const hashes: string[] = [];
  for (const transaction of elsewhere) {
    const serializedTransaction = await privateKeyToAccount(key).signTransaction(transaction);
    hashes.push(await fixture.chain.sendRawTransaction({ serializedTransaction }));
  }
  await halted();
  await confirm(fixture);
  const { out } = await resume();
  for (const [index, hash] of hashes.entries())
    expect(out).toContain(`${hash}, nonce ${index + 1}, belongs to no request in the database`);
  expect(out).not.toContain("was sent by");
});

it("a worker that goes on while its database loses nonces signs nothing that nodes may mine already", async () => {
  await one.stop();
  const config = { leaseMs: 3_600_000 };
  one = await driveWallet(fixture, { signer: createLocalSigner(generatePrivateKey()), config });
  await fixture.chain.setAutomine(false);
  await until("its first nonce is known", async () => (await one.wallet()).next_nonce !== null || undefined);
  const chainId = [fixture.anvil.chainId];
  const resumeChain = () => fixture.pool.query("DELETE FROM app.sending_halt WHERE chain_id = $1", chainId);
  await fixture.pool.query("INSERT INTO app.sending_halt (chain_id, actor) VALUES ($1, 'test')", chainId);
  const [canceled, id] = [await one.send({ bypassChecks: true }), await one.send({ bypassChecks: true })];
  await backUp();
  await resumeChain();
  const { txHash } = await one.reaches(id, "broadcast");
  await restore();
  // If the first of the two were lost, the second would get its nonce and be mined twice.
  await fixture.pool.query(
    "UPDATE app.send_request SET state = 'canceled', err_code = 'POLICY_REFUSED', final_at = now() WHERE request_id = $1",
    [canceled],
  );
  await resumeChain();
  await until("the worker has seen it", () =>
    one.alarms.some(({ alarm }) => alarm === "unknown-pending") ? true : undefined,
  );
  await fixture.chain.mine({ blocks: 1 });
  await halted();
  await confirm(fixture);
  expect(await resume()).toMatchObject({ code: 0 });
  expect(await one.reaches(id, "final")).toMatchObject({ txHash, outcome: "confirmed" });
  const { data } = await one.row(id);
  expect((await callsOnChain()).filter((call) => call === data)).toHaveLength(1);
});
