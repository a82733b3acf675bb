import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { type Hex, type LocalAccount, parseEther, type TransactionReceipt } from "viem";
import type { Caller } from "../../../src/auth/caller.ts";
import { effectsOf } from "../../../src/claims/effects.ts";
import { splitSuffix } from "../../../src/contracts/attribution-suffix.ts";
import { LATER, router } from "../../../test/contracts/calls.ts";
import { present } from "../../../test/support/assert/until.ts";
import { attributionRun } from "../../../test/support/chain/attribution.ts";
import { account, type Product, startProduct } from "../../../test/support/chain/product.ts";
import { type ClaimOptions, createClaim } from "../../../test/support/db/builders/claims.ts";
import { createAttempt, createSends, createWallet } from "../../../test/support/db/builders/sends.ts";
import { uniqueHash } from "../../../test/support/db/builders/unique.ts";
import { createOnchain, type Onchain } from "../../../test/support/db/onchain.ts";
import { seedTerms } from "../../../test/support/db/seed.ts";
import { type Features, lower, PRODUCT, startFeatures } from "../../../test/support/http/features.ts";
import { orderCalldata } from "../../../test/support/http/verbs.ts";
import { operate } from "../../../test/support/program/command.ts";
import { sendAll } from "../../sandbox/src/transact.ts";
import type { Difference } from "../src/reconcile/difference.ts";

// Claims, suffixes and requests on a real chain and in a real PostgreSQL: first all of them right, then each wrong in one way.

let product: Product;
let features: Features;
let onchain: Onchain;
let caller: Caller;
let ann: LocalAccount;
let aapl: Hex;
let directory: string;
let orders: TransactionReceipt[];

const CHAIN_ID = 31337;
const FEES = { type: "eip1559", maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n } as const;
const sender = account(7);
const wallet = lower(sender.address);

beforeAll(async () => {
  product = await startProduct({ users: 1 });
  features = await startFeatures([
    { deployment: product.deployment, rpcUrls: [product.rpcUrl], products: [PRODUCT] },
  ]);
  onchain = await createOnchain(pool());
  await seedTerms(onchain, product);
  caller = await features.makeCaller();
  ann = present(product.users[0], "a user");
  aapl = present(product.deployment.stockTokens[0], "a stock").address;
  directory = mkdtempSync(join(tmpdir(), "reconcile-"));
  const chains = features.deps.deployments.chains.map(({ wsUrls: _wsUrls, ...chain }) => chain);
  writeFileSync(join(directory, "deployments.json"), JSON.stringify({ chains }));
  await createWallet(pool(), wallet);
  const buy = router("placeMarketOrder", aapl, parseEther("10"), LATER);
  const step = { name: "an order", to: product.deployment.stockRouter, data: buy, gas: 3_000_000n };
  orders = await sendAll(
    product.client,
    ann,
    Array.from({ length: 12 }, () => step),
  );
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await features?.close();
  await product?.stop();
});

const pool = () => features.deps.pool;
const rpc = (method: string, params: unknown[] = []) =>
  product.client.transport.request({ method, params }) as Promise<unknown>;

async function run(...args: string[]) {
  const env = {
    DATABASE_URL: features.databaseUrl,
    DEPLOYMENTS_FILE: join(directory, "deployments.json"),
    ATTRIBUTION_KEYS: `test:${"08".repeat(32)}`,
  };
  const outcome = await operate(["reconcile", "--chain", String(CHAIN_ID), ...args], env);
  return { ...outcome, report: outcome.out.startsWith("{") ? JSON.parse(outcome.out) : null };
}

/** Makes everything an hour old and final, and the index current. */
async function age(): Promise<void> {
  await rpc("evm_increaseTime", [3_600]);
  await rpc("anvil_mine", ["0x5"]);
  const { number, timestamp } = await product.client.getBlock();
  await onchain.setBlock(CHAIN_ID, { number, timestamp });
}

/** Returns the next order's receipt. */
const next = (): TransactionReceipt => present(orders.pop(), "an order");

const effectOf = (receipt: TransactionReceipt) => {
  const config = present(features.deps.deployments.chains[0]?.products[0], "the product");
  return present(effectsOf(receipt.logs, { ...config, chainId: CHAIN_ID })[0], "an order");
};

/** Writes an order as the indexer would, with the given changes. */
async function index(receipt: TransactionReceipt, changes: object = {}): Promise<Hex> {
  const { orderId, userAddress, logIndex } = effectOf(receipt);
  const { transactionHash: txHash, blockNumber } = receipt;
  const at = { chainId: CHAIN_ID, productType: PRODUCT, txHash, blockNumber, logIndex };
  const order = {
    orderId: orderId ?? "0x",
    userAddress,
    side: "Buy",
    orderType: "Market",
    status: "open",
  } as const;
  await onchain.insert("stockOrder", { ...at, ...order, stockAddress: aapl, ...changes });
  return orderId ?? "0x";
}

const claim = (txHash: string, options: ClaimOptions = {}) =>
  createClaim(pool(), caller, { txHash, state: "final", ...options });

/** Mines a transaction, even one that reverts. */
async function mine(
  from: LocalAccount,
  data: Hex,
): Promise<TransactionReceipt & { bytes: Hex; nonce: number }> {
  const nonce = await product.client.getTransactionCount({ address: from.address });
  const to = product.deployment.stockRouter;
  const bytes = await from.signTransaction({ ...FEES, chainId: CHAIN_ID, to, data, nonce, gas: 1_000_000n });
  const hash = await product.client.sendRawTransaction({ serializedTransaction: bytes });
  return { ...(await product.client.waitForTransactionReceipt({ hash })), bytes, nonce };
}

const failing = router("placeMarketOrder", lower(`0x${"9".repeat(40)}`), parseEther("10"), LATER);

/** Returns an order with the API's calldata, with the suffix that the indexer keeps of it. */
async function suffixed(): Promise<Hex> {
  const args = { stockAddress: aapl, side: "Buy", type: "Market", notional: "10", deadline: LATER };
  const { data } = await orderCalldata(features.deps, caller, { ...args, userAddress: ann.address });
  const receipt = await mine(ann, data.callData);
  const { transactionHash: txHash, blockNumber, transactionIndex } = receipt;
  const split = present(splitSuffix(data.callData) ?? undefined, "a suffix");
  const at = { chainId: CHAIN_ID, productType: PRODUCT, txHash, blockNumber, transactionIndex };
  await onchain.insert("attributionSuffix", { ...at, fromAddress: lower(ann.address), ...split });
  await index(receipt);
  return txHash;
}

/** Writes a request of the wallet whose call reverted on the chain, as the worker leaves it, with the given changes. */
async function sent(changes: object = {}, attempt: object = {}) {
  const { bytes, nonce, transactionHash: txHash, blockNumber, blockHash } = await mine(sender, failing);
  const mined = {
    minedBlock: blockNumber,
    minedBlockHash: blockHash,
    minedSuccess: false,
    minedFiller: false,
  };
  const ended = { state: "final", outcome: "reverted", nonce: BigInt(nonce), txHash, ...mined };
  const user = { userAddress: lower(ann.address), wallet };
  const request = { ...user, ...ended, ...changes };
  const [requestId] = await createSends(pool(), caller, request);
  const signed = { signedBytes: Buffer.from(bytes.slice(2), "hex"), txHash, nonce: request.nonce };
  const options = { requestId: present(requestId, "a request"), chainId: CHAIN_ID, wallet };
  await createAttempt(pool(), options, { ...signed, ...attempt });
  return { requestId: present(requestId, "a request"), txHash, bytes, blockNumber };
}

const found = (differences: Difference[]) =>
  differences.map(({ kind, object, field }) => `${kind} ${object}: ${field}`).sort();

it("finds nothing where all is right, and has compared all of it", async () => {
  const clean = next();
  await index(clean);
  await claim(clean.transactionHash);
  await claim((await mine(ann, failing)).transactionHash, { state: "reverted" });
  await claim(uniqueHash(), { state: "pending" });
  await claim(uniqueHash(), { state: "dropped" });
  await suffixed();
  expect(await attributionRun(features.deps)()).toBe(1);
  await pool().query("UPDATE app.transaction_claim SET state = 'final' WHERE source = 'attributed'");
  await sent();
  // A disable of a delegation that had ended.
  await sent({ operation: "1ct/disable", outcome: "confirmed", revert: "NotDelegatee" });
  await age();
  const { code, report, err } = await run("--from-block", "0", "--json");
  expect(report).toMatchObject({ differenceCount: 0, differences: [], unverified: 0 });
  expect(report.compared).toMatchObject({ claim: 5, attribution: 1, send: 2, order: 0 });
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringMatching(/^Comparing chain 31337 at block \d+\.\n$/),
  });
});

it("finds each thing that is wrong, says in a sentence what to do, and nothing else", async () => {
  const expected: string[] = [];
  const expectOf = (kind: string, object: string, field: string) =>
    expected.push(`${kind} ${object}: ${field}`);
  const expectClaim = (txHash: string, field: string) =>
    expectOf("claim", `${txHash} (trade of ${caller.apiKey})`, field);
  const indexed = async (options: ClaimOptions = {}, changes: object = {}) => {
    const receipt = next();
    const orderId = await index(receipt, changes);
    return {
      txHash: receipt.transactionHash,
      orderId,
      claimId: await claim(receipt.transactionHash, options),
    };
  };

  const absent = uniqueHash();
  await index(next(), { txHash: absent });
  await claim(absent);
  expectClaim(absent, "transaction");
  const lost = uniqueHash();
  await claim(lost);
  expectClaim(lost, "state");
  const unseen = uniqueHash();
  await claim(unseen, { state: "pending", createdAt: new Date(Date.now() - 26 * 3_600_000) });
  expectClaim(unseen, "state");
  const reverted = (await mine(ann, failing)).transactionHash;
  await claim(reverted);
  expectClaim(reverted, "state");
  const nothing = await index(next(), { txHash: reverted });
  expectClaim(reverted, `indexed ${nothing}`);
  const moved = await indexed({}, { blockNumber: 1n });
  expectClaim(moved.txHash, `block of ${moved.orderId}`);
  const others = await indexed({}, { userAddress: wallet });
  expectClaim(others.txHash, `user of ${others.orderId}`);
  const missed = next();
  await claim(missed.transactionHash);
  expectClaim(missed.transactionHash, `log of ${effectOf(missed).orderId}`);
  const denied = await indexed({ state: "reverted" });
  expectClaim(denied.txHash, "state");
  const unwatched = await indexed({ state: "pending" });
  expectClaim(unwatched.txHash, "state");
  const misnamed = await indexed({ source: "send", userAddress: wallet });
  expectClaim(misnamed.txHash, "user");
  const otherCaller = await features.makeCaller();
  await createClaim(pool(), otherCaller, { txHash: denied.txHash, state: "reverted" });
  const deniedObject = `${denied.txHash} (trade of ${otherCaller.apiKey})`;
  expectOf("claim", deniedObject, "state");

  const unclaimed = await suffixed();
  expectOf("attribution", unclaimed, "claim");

  const wrongBlock = await sent({ minedBlock: 1n });
  expectOf("send", wrongBlock.requestId, "block");
  const wrongOutcome = await sent({ outcome: "confirmed", minedSuccess: true });
  expectOf("send", wrongOutcome.requestId, "outcome");
  const minedAnew = await sent({ outcome: "confirmed", minedSuccess: true, minedBlock: 1n });
  for (const field of ["block", "outcome"]) expectOf("send", minedAnew.requestId, field);
  const givenUp = await sent({ state: "failed", outcome: null, errCode: "OPERATOR_UNAVAILABLE" });
  expectOf("send", givenUp.requestId, "state");
  const unfollowed = await sent({
    state: "broadcast",
    outcome: null,
    minedBlock: null,
    minedBlockHash: null,
  });
  expectOf("send", unfollowed.requestId, "state");
  const wrongNonce = await sent({ nonce: 900n });
  expectOf("send", wrongNonce.requestId, `nonce of ${wrongNonce.txHash}`);
  const wrongHash = uniqueHash();
  const forged = await sent({}, { txHash: wrongHash });
  expectOf("send", forged.requestId, "hash of what was signed");
  expectOf("send", forged.requestId, "transaction");
  const claimId = await claim(wrongBlock.txHash, { source: "send", state: "pending" });
  await pool().query("UPDATE app.send_request SET claim_id = $1 WHERE request_id = $2", [
    claimId,
    wrongBlock.requestId,
  ]);
  expectOf("send", wrongBlock.requestId, "claim");

  await age();
  const { code, report } = await run("--from-block", "0", "--json");
  expect(found(report.differences)).toEqual(expected.sort());
  expect({ code, unverified: report.unverified }).toEqual({ code: 1, unverified: 0 });
  for (const { explanation } of report.differences)
    expect(explanation).toMatch(/^\w+ 0?\S.*: .* is .* here and .* on the chain, probably because .*; .*\.$/);
  const outcomeOf = ({ requestId }: { requestId: string }) =>
    report.differences.find(({ object, field }: Difference) => object === requestId && field === "outcome");
  expect(outcomeOf(minedAnew).explanation).toContain("a reorg moved its transaction after");
  expect(outcomeOf(wrongOutcome).explanation).toContain("changed by hand");
  const shown = await run("--key", otherCaller.apiKey);
  expect(shown.out).toContain(`claim ${deniedObject} (${PRODUCT})`);
  expect(shown.out).toMatch(
    /\nexplanation +.*SET state = 'pending' WHERE claim_id = .*\.\n(.*\n)*1 difference\n$/,
  );
});

it("compares no transaction outside of a range of blocks, and refuses what it cannot compare", async () => {
  // A request in no block belongs to every range.
  const { report } = await run("--from-block", "1", "--to-block", "1", "--json");
  expect(report.compared.claim).toBeGreaterThan(1);
  expect(report.differences.map(({ chain }: Difference) => chain)).toEqual(
    Array(2).fill("no such transaction"),
  );
  for (const [args, code, message] of [
    [["--key", "pk_none"], 1, "there is no key pk_none"],
    [["--block", "1", "--from-block", "1"], 2, "cannot be used with option"],
    [["--from-block", "x"], 2, "a block is its number"],
  ] as const)
    expect(await run(...args)).toMatchObject({ code, out: "", err: expect.stringContaining(message) });
});
