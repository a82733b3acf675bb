import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { type Hex, keccak256, pad } from "viem";
import type { Caller } from "../../../src/auth/caller.ts";
import type { RpcAnswer, RpcCall } from "../../../src/chain/rpc.ts";
import { inTransaction } from "../../../src/db/transaction.ts";
import type { NewSend } from "../../../src/sending/outbox/submit.ts";
import { broadcastAll } from "../../../src/sending/sender/broadcast.ts";
import { cancelUnsigned } from "../../../src/sending/sender/cancellation.ts";
import { confirmAll } from "../../../src/sending/sender/confirm.ts";
import { type Cycle, type CycleState, newCycleState } from "../../../src/sending/sender/context.ts";
import { openCycle, runCycle } from "../../../src/sending/sender/cycle.ts";
import type { Alarm, SenderDeps } from "../../../src/sending/sender/deps.ts";
import { dispatch } from "../../../src/sending/sender/dispatch.ts";
import { LeaseLost, registerWallet, setWalletState, underLease } from "../../../src/sending/sender/lease.ts";
import type { Node } from "../../../src/sending/sender/nodes.ts";
import { resubmit } from "../../../src/sending/sender/resubmit.ts";
import { readWallet } from "../../../src/sending/sender/shared-store.ts";
import { addAttempt, signRequests } from "../../../src/sending/sender/sign.ts";
import { pointTo } from "../../../src/sending/sender/sign-store.ts";
import { type InFlight, readTracked } from "../../../src/sending/sender/store.ts";
import type { Wallet } from "../../../src/sending/sender/wallet.ts";
import { createLocalSigner, type Signer } from "../../../src/sending/signer/signer.ts";
import { present } from "../../support/assert/until.ts";
import { createClaim } from "../../support/db/builders/claims.ts";
import { setPolicy } from "../../support/db/builders/keys.ts";
import { createSends, createWallet } from "../../support/db/builders/sends.ts";
import { waitsForLock } from "../../support/db/locks.ts";
import { seedEnable } from "../../support/sender/enables.ts";
import { verified } from "../../support/sender/new-send.ts";
import {
  CHAIN_ID,
  OTHER_CHAIN,
  type OutboxFixture,
  startOutbox,
} from "../../support/sender/outbox-fixture.ts";

// Statements of the worker, beside rows that they must not touch, at moments that a test holds. The node answers as each test
// sets.

const HOUR_MS = 3_600_000;
const FEES = { maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
const RICH = 10n ** 20n;
const hashOf = (byte: string): Hex => `0x${byte.repeat(32)}`;
const HEAD = { number: 10n, hash: hashOf("aa"), timestamp: 0n, baseFee: 1n, gasLimit: 30_000_000n };

let outbox: OutboxFixture;
let signer: Signer;
let wallet: Wallet;
let deps: SenderDeps;
let user: Hex;
let caller: Caller;
let alarms: { alarm: Alarm; fields: Record<string, unknown> }[];
/** Answers of the node, by method. */
let answers: Record<string, (params: readonly unknown[]) => unknown>;
let broadcasts: Hex[];

beforeAll(async () => {
  outbox = await startOutbox();
});
afterAll(() => outbox?.close());

beforeEach(async () => {
  signer = await outbox.makeWallet();
  ({ user, caller } = await outbox.makeUser(signer.address));
  wallet = walletOf(signer);
  alarms = [];
  broadcasts = [];
  answers = {
    eth_sendRawTransaction: ([bytes]) => {
      broadcasts.push(bytes as Hex);
      return keccak256(bytes as Hex);
    },
    eth_getTransactionCount: () => "0x0",
    eth_call: () => pad(signer.address),
    eth_getBalance: () => `0x${RICH.toString(16)}`,
    eth_maxPriorityFeePerGas: () => "0x3b9aca00",
    eth_estimateGas: () => "0x5208",
    eth_getTransactionReceipt: () => null,
    eth_getBlockByNumber: () => ({ hash: HEAD.hash }),
  };
  const config = { ...outbox.deps.config, rebroadcastMs: HOUR_MS, bumpAfterMs: HOUR_MS };
  deps = { ...outbox.deps, config, alarm: (alarm, fields) => alarms.push({ alarm, fields }) };
});

const answer = (method: string, params: readonly unknown[]): RpcAnswer => {
  const value = present(answers[method], `an answer to ${method}`)(params);
  return value instanceof Error
    ? { kind: "error", code: -32000, message: value.message, data: null }
    : { kind: "result", value };
};
const node: Node = {
  url: "http://node",
  head: HEAD,
  askMany: async (calls) => calls.map(({ method, params }) => answer(method, params)),
  ask: async (method, params, shape) => {
    const found = answer(method, params);
    return shape.parse(found.kind === "result" ? found.value : undefined);
  },
  read: (_method, found, shape) => shape.parse(found?.kind === "result" ? found.value : undefined),
};

function walletOf(of: Signer, epoch = 1n): Wallet {
  const all = async (_first: string, method: string, params: readonly unknown[]) => [answer(method, params)];
  const each = async (_first: string, calls: readonly RpcCall[]) =>
    calls.map(({ method, params }) => [answer(method, params)]);
  return {
    signer: of,
    epoch,
    owner: "test",
    nodes: {
      chainId: CHAIN_ID,
      confirmations: 3,
      open: async () => node,
      sendUntil: each,
      sendAll: each,
      askAll: all,
      askOthers: async () => [],
      askEach: async (_first, method, params) => answer(method, params),
      avoid: () => undefined,
      compare: async () => undefined,
    },
  };
}

const send = (more: Partial<NewSend> = {}, from = caller) => outbox.send(from, signer.address, more);
const observed = (): CycleState => ({ ...newCycleState(), observedMs: Date.now() });
const inFlight = async () => (await readTracked(outbox.pool, wallet)).unmined;
const mined = async () => (await readTracked(outbox.pool, wallet)).mined;

/** Opens a cycle like runCycle, at the fees of this file. */
async function cycleOf(more: Partial<Cycle> = {}): Promise<Cycle> {
  const driven = more.wallet ?? wallet;
  const { cycle } = await openCycle(deps, driven, observed(), await readWallet(outbox.pool, driven));
  return { ...cycle, fetchFees: async () => FEES, ...more };
}
const flying = async ({ requestId }: { requestId: string }): Promise<InFlight> =>
  present(
    (await inFlight()).find((each) => each.requestId === requestId),
    "a request in flight",
  );

async function sendSigned(more: Partial<NewSend> = {}) {
  const request = await send(more);
  const isSigned = await signRequests(await cycleOf(), [verified(request)], FEES);
  expect({ request, isSigned }).toEqual({ request, isSigned: true });
  return request;
}

async function sendMined(success: boolean, more: Partial<NewSend> = {}) {
  const request = await sendSigned(more);
  const how = success ? "mined_success = true" : "mined_success = false, err_code = 'CHAIN_REVERT'";
  await outbox.change(
    request,
    `state = 'mined', mined_block = 5, mined_block_hash = '${HEAD.hash}', mined_at = now(), ${how}`,
  );
  return request;
}

const signAll = async (balance = RICH, state = observed()) => dispatch(await cycleOf({ balance, state }));
const nonceOf = async (request: { requestId: string }) => (await outbox.row(request)).nonce;
const walletRow = async (address = signer.address) =>
  present(
    (
      await outbox.pool.query<{ state: string; next_nonce: string | null }>(
        "SELECT state, next_nonce FROM app.delegatee_wallet WHERE chain_id = $1 AND address = $2",
        [CHAIN_ID, address],
      )
    ).rows[0],
    "the wallet",
  );

/** Creates another key of the same user, whose enable is in force as well. */
async function enabledKey(): Promise<Caller> {
  const other = await outbox.makeKey(user);
  await seedEnable(outbox.pool, other, user);
  return other;
}

describe("a wallet", () => {
  it("is registered any number of times", async () => {
    await registerWallet(outbox.pool, CHAIN_ID, signer.address);
    expect(await walletRow()).toMatchObject({ state: "active", next_nonce: "0" });
  });

  it("stops alone, and by the worker that has its lease", async () => {
    const other = await outbox.makeWallet();
    await setWalletState(outbox.pool, wallet, "halted", "test");
    expect(await walletRow()).toMatchObject({ state: "halted" });
    expect(await walletRow(other.address)).toMatchObject({ state: "active" });
    const stale = walletOf(signer, 0n);
    await expect(setWalletState(outbox.pool, stale, "active", null)).rejects.toThrow(LeaseLost);
    await expect(readWallet(outbox.pool, stale)).rejects.toThrow(LeaseLost);
    expect(await walletRow()).toMatchObject({ state: "halted" });
  });

  it("is written by one transaction after the other", async () => {
    let second: Promise<unknown> = Promise.resolve();
    await underLease(outbox.pool, wallet, async () => {
      second = setWalletState(outbox.pool, wallet, "halted", "test");
      await waitsForLock(outbox.pool, "%FOR NO KEY UPDATE%", second);
    });
    await second;
  });

  it("gets its first nonce once", async () => {
    const fresh = createLocalSigner(hashOf("17"));
    const leased = { chainIds: [CHAIN_ID], leaseEpoch: 1, leaseOwner: "test" };
    await createWallet(outbox.pool, fresh.address, leased);
    answers.eth_getTransactionCount = () => "0x7";
    const first = walletOf(fresh);
    // Between the read that found no nonce and the write, another transaction sets it.
    first.nodes.askAll = async () => {
      await outbox.pool.query("UPDATE app.delegatee_wallet SET next_nonce = 5 WHERE address = $1", [
        fresh.address,
      ]);
      return [{ kind: "result", value: "0x7" }];
    };
    await runCycle(deps, first, observed());
    expect(await walletRow(fresh.address)).toMatchObject({ next_nonce: "5" });
  });

  it("that resumes sends its bytes again with its next look", async () => {
    const request = await sendSigned();
    await broadcastAll(await cycleOf(), await inFlight());
    await runCycle(deps, wallet, observed());
    expect(broadcasts).toHaveLength(1);
    await setWalletState(outbox.pool, wallet, "paused", "test");
    await runCycle(deps, wallet, observed());
    expect(await walletRow()).toMatchObject({ state: "active" });
    await runCycle(deps, wallet, observed());
    expect(broadcasts).toHaveLength(2);
    expect((await flying(request)).attempts).toMatchObject([{ broadcasts: 2 }]);
  });

  it("that resumed under a worker which died then sends its bytes again under the next one", async () => {
    await sendSigned();
    await broadcastAll(await cycleOf(), await inFlight());
    await setWalletState(outbox.pool, wallet, "paused", "test");
    const dies = () => Promise.reject(new Error("the worker dies"));
    const dying = { ...wallet, nodes: { ...wallet.nodes, sendUntil: dies, sendAll: dies } };
    await expect(runCycle(deps, dying, observed())).rejects.toThrow("the worker dies");
    expect(await walletRow()).toMatchObject({ state: "active" });
    expect(broadcasts).toHaveLength(1);
    await runCycle(deps, wallet, observed());
    expect(broadcasts).toHaveLength(2);
  });
});

describe("what is in flight", () => {
  it("is what of the wallet has a nonce and no receipt, by nonce, with its newest attempt last", async () => {
    const [first, second] = [await sendSigned(), await sendSigned()];
    await sendMined(true);
    const ended = await sendSigned();
    await outbox.change(ended, "state = 'final', outcome = 'confirmed'");
    const other = walletOf(await outbox.makeWallet());
    const theirs = await outbox.send(caller, other.signer.address);
    await signRequests(await cycleOf({ wallet: other }), [verified(theirs)], FEES);
    await createWallet(outbox.pool, signer.address, { chainIds: [OTHER_CHAIN] });
    const elsewhere = { ...caller, chainId: OTHER_CHAIN };
    const abroad = await outbox.send(elsewhere, signer.address, { needsDelegation: false });
    await outbox.change(abroad, "state = 'signed', nonce = 0");
    const found = await inFlight();
    expect(found.map(({ requestId, nonce }) => [requestId, nonce])).toEqual([
      [first.requestId, 0n],
      [second.requestId, 1n],
    ]);
    const raised = { maxFeePerGas: 2n * FEES.maxFeePerGas, maxPriorityFeePerGas: FEES.maxPriorityFeePerGas };
    await addAttempt(await cycleOf(), present(found[0], "the first"), "call", {
      ...raised,
      gasLimit: 100_000n,
    });
    expect((await flying(first)).attempts.map(({ maxFeePerGas }) => maxFeePerGas)).toEqual([
      FEES.maxFeePerGas,
      2n * FEES.maxFeePerGas,
    ]);
  });

  it("has nonces of its own wallet, one each", async () => {
    const other = await outbox.makeWallet();
    await sendSigned();
    await sendSigned();
    expect(await walletRow()).toMatchObject({ next_nonce: "2" });
    expect(await walletRow(other.address)).toMatchObject({ next_nonce: "0" });
  });
});

describe("the hash of a send", () => {
  const claimHash = async (claimId: string | null) =>
    (
      await outbox.pool.query<{ tx_hash: Hex | null }>(
        "SELECT tx_hash FROM app.transaction_claim WHERE claim_id = $1",
        [claimId],
      )
    ).rows[0]?.tx_hash;
  const recordBy = (key: Caller, txHash: Hex, operationType: "trade" | "deposit") =>
    createClaim(outbox.pool, key, { txHash, operationType });

  it("becomes its claim's, whatever other keys or of other kinds recorded it", async () => {
    const request = await send();
    const hash = hashOf("c1");
    await recordBy(await outbox.makeKey(user), hash, "trade");
    await recordBy(caller, hash, "deposit");
    await inTransaction(outbox.pool, (tx) => pointTo(tx, [{ requestId: request.requestId, hash }]));
    expect(await claimHash(request.claimId)).toBe(hash);
  });

  it("stays with the claim that the key recorded by itself", async () => {
    const request = await send();
    const hash = hashOf("c2");
    await recordBy(caller, hash, "trade");
    await inTransaction(outbox.pool, (tx) => pointTo(tx, [{ requestId: request.requestId, hash }]));
    expect(await claimHash(request.claimId)).toBeNull();
    expect(await outbox.row(request)).toMatchObject({ txHash: hash });
  });
});

describe("requests are signed", () => {
  it("by turns of their keys, each key's in the order of arrival, and a new key's first", async () => {
    const [late, later] = [await enabledKey(), await enabledKey()];
    const mine = [await send(), await send(), await send()];
    const theirs = [await send({}, late), await send({}, later)];
    await signAll(RICH, { ...observed(), roundRobin: [caller.keyId] });
    expect({ noncesOfOther: await Promise.all(theirs.map(nonceOf)) }).toEqual({ noncesOfOther: [0n, 1n] });
    expect({ nonces: await Promise.all(mine.map(nonceOf)) }).toEqual({ nonces: [2n, 3n, 4n] });
    const more = [await send(), await send(), await send({}, late)];
    await signAll();
    expect({ noncesOfMore: await Promise.all(more.map(nonceOf)) }).toEqual({ noncesOfMore: [5n, 7n, 6n] });
  });

  it("the oldest of a key's first, where more wait than may be in flight", async () => {
    const requests = [await send(), await send(), await send()];
    const narrow = { ...deps, config: { ...deps.config, inFlightMax: 2 } };
    await dispatch(await cycleOf({ deps: narrow }));
    expect({ nonces: await Promise.all(requests.map(nonceOf)) }).toEqual({ nonces: [0n, 1n, null] });
  });

  it("where they wait at this wallet and have no nonce yet", async () => {
    const signed = await sendSigned();
    const other = await outbox.makeWallet();
    const theirs = await outbox.send(caller, other.address);
    const request = await send();
    await signAll();
    expect({
      signed: await nonceOf(signed),
      theirs: await nonceOf(theirs),
      request: await nonceOf(request),
    }).toEqual({ signed: 0n, theirs: null, request: 1n });
    // Nor are the other wallet's ended here, as calls that this one must not sign.
    expect(await outbox.row(theirs)).toMatchObject({ state: "accepted" });
  });

  it("where the wallet can pay for them, and the alarm is of those alone that it cannot", async () => {
    const other = await outbox.makeWallet();
    const hungry = { gasLimit: 10_000_000n };
    await outbox.send(caller, other.address, hungry);
    const balance = 1_000_000n * FEES.maxFeePerGas;
    const cheap = await send();
    await signAll(balance);
    expect({ nonce: await nonceOf(cheap), alarms }).toEqual({ nonce: 0n, alarms: [] });
    const dear = await send(hungry);
    const next = await send();
    await signAll(balance);
    expect({ dear: await nonceOf(dear), next: await nonceOf(next) }).toEqual({ dear: null, next: 1n });
    expect(alarms).toMatchObject([{ alarm: "unaffordable", fields: { requestId: dear.requestId } }]);
  });

  it("once", async () => {
    const request = await sendSigned();
    expect(await signRequests(await cycleOf(), [verified(request)], FEES)).toBe(false);
    expect(await walletRow()).toMatchObject({ next_nonce: "1" });
  });

  it("where nobody ends them at the same instant", async () => {
    const request = await send({ operation: "1ct/enable", needsDelegation: false });
    const holder = await outbox.pool.connect();
    try {
      await holder.query("BEGIN");
      await holder.query(
        "UPDATE app.send_request SET state = 'canceled', err_code = 'DELEGATION_NOT_ENABLED' WHERE request_id = $1",
        [request.requestId],
      );
      const signing = signRequests(
        { deps, wallet, state: newCycleState(), inFlight: [] },
        [verified(request)],
        FEES,
      );
      await waitsForLock(outbox.pool, "%app.send_request%", signing);
      await holder.query("COMMIT");
      expect(await signing).toBe(false);
    } finally {
      holder.release();
    }
    expect(await outbox.row(request)).toMatchObject({ state: "canceled", nonce: null });
  });

  it("though another key was revoked or killed", async () => {
    const other = await outbox.makeKey(user);
    await outbox.pool.query("UPDATE app.api_key SET active = false, revoked_at = now() WHERE key_id = $1", [
      other.keyId,
    ]);
    const request = await send();
    await signRequests(await cycleOf(), [verified(request)], FEES);
    expect(await outbox.row(request)).toMatchObject({ state: "signed" });
  });
});

describe("what is not wanted any more ends", () => {
  const inTime = (seconds: number) => BigInt(Math.floor(Date.now() / 1000) + seconds);
  const stateOf = async (request: { requestId: string }) => {
    const { state, errCode } = await outbox.row(request);
    return [state, errCode];
  };
  const WAITS = ["accepted", null];

  it("by its deadline, at its own wallet", async () => {
    const other = await outbox.makeWallet();
    const late = await send({ deadline: inTime(-60) });
    const theirs = await outbox.send(caller, other.address, { deadline: inTime(-60) });
    const early = await send({ deadline: inTime(60) });
    await cancelUnsigned(deps, wallet);
    expect(await stateOf(late)).toEqual(["canceled", "DEADLINE_EXPIRED"]);
    expect({ theirs: await stateOf(theirs), early: await stateOf(early) }).toEqual({
      theirs: WAITS,
      early: WAITS,
    });
  });

  it("by the disable of its user, but for an enable and a disable", async () => {
    const order = await send();
    const kept = [
      await send({ operation: "1ct/enable", needsDelegation: false }),
      await send({ operation: "1ct/disable", needsDelegation: false }),
    ];
    await outbox.pool.query("UPDATE app.delegation SET blocked = true WHERE user_address = $1", [user]);
    await cancelUnsigned(deps, wallet);
    expect(await stateOf(order)).toEqual(["canceled", "DELEGATION_NOT_ENABLED"]);
    for (const request of kept) expect(await stateOf(request)).toEqual(WAITS);
  });

  const revoke = ({ keyId }: Caller) =>
    outbox.pool.query("UPDATE app.api_key SET active = false, revoked_at = now() WHERE key_id = $1", [keyId]);

  it.each<[string, (key: Caller) => Promise<unknown>]>([
    ["revoked", revoke],
    ["killed", (key) => setPolicy(outbox.pool, key, { killed: true })],
  ])("where its key was %s, but for a disable", async (_how, end) => {
    const [order, disable] = [await send(), await send({ operation: "1ct/disable", needsDelegation: false })];
    const theirs = await send({}, await enabledKey());
    await end(caller);
    await cancelUnsigned(deps, wallet);
    expect(await stateOf(order)).toEqual(["canceled", "POLICY_REFUSED"]);
    expect({ disable: await stateOf(disable), theirs: await stateOf(theirs) }).toEqual({
      disable: WAITS,
      theirs: WAITS,
    });
  });

  it("where its wallet was retired, an enable too, but for a disable", async () => {
    const enable = await send({ operation: "1ct/enable", needsDelegation: false });
    const [order, disable] = [await send(), await send({ operation: "1ct/disable", needsDelegation: false })];
    await outbox.pool.query("UPDATE app.delegatee_wallet SET assignable = false WHERE address = $1", [
      wallet.signer.address,
    ]);
    await cancelUnsigned(deps, wallet);
    const ended = ["canceled", "DELEGATION_NOT_ENABLED"];
    expect({ enable: await stateOf(enable), order: await stateOf(order) }).toEqual({
      enable: ended,
      order: ended,
    });
    expect(await stateOf(disable)).toEqual(WAITS);
  });

  it("the oldest first, of more than end in one look", async () => {
    const first = await send({ deadline: inTime(-60) });
    const alike = { userAddress: user, wallet: first.wallet, deadline: first.deadline };
    await createSends(outbox.pool, caller, ...Array.from({ length: 110 }, () => alike));
    await cancelUnsigned(deps, wallet);
    expect(await stateOf(first)).toEqual(["canceled", "DEADLINE_EXPIRED"]);
    expect(await stateOf(await send())).toEqual(WAITS);
  });
});

describe("what the chain tells is stored", () => {
  const confirmed = async (requests: InFlight[], accountNonce: bigint) =>
    confirmAll(await cycleOf({ accountNonce }), requests);

  it("of the request that was mined, and of no other", async () => {
    const [mined, waiting] = [await sendSigned(), await sendSigned()];
    await broadcastAll(await cycleOf(), await inFlight());
    answers.eth_getTransactionReceipt = ([hash]) => ({
      transactionHash: hash,
      blockNumber: "0x5",
      blockHash: HEAD.hash,
      status: "0x1",
      gasUsed: "0x5208",
    });
    await confirmed(await inFlight(), 1n);
    expect(await outbox.row(mined)).toMatchObject({ state: "mined", minedBlock: 5n, minedSuccess: true });
    expect(await outbox.row(waiting)).toMatchObject({ state: "broadcast", minedBlock: null });
  });

  it("of what a reorg took out: it is due at once, and nothing of the receipt stays", async () => {
    const request = await sendMined(false);
    await outbox.pool.query(
      `UPDATE app.send_attempt SET first_broadcast_at = now(), last_broadcast_at = now(), broadcasts = 4, taken = 4,
         refusals = 2, answer = 'taken' WHERE request_id = $1`,
      [request.requestId],
    );
    answers.eth_getBlockByNumber = () => ({ hash: hashOf("bb") });
    await confirmed(await mined(), 1n);
    expect(await outbox.row(request)).toMatchObject({
      state: "broadcast",
      minedBlock: null,
      minedBlockHash: null,
      minedSuccess: null,
      errCode: null,
      revert: null,
    });
    expect((await flying(request)).attempts).toMatchObject([
      { firstBroadcastMs: null, lastBroadcastMs: null, taken: 0, refusals: 0, answer: null },
    ]);
  });

  it.each([
    [true, "confirmed", "keeps"],
    [false, "reverted", "frees"],
  ])("of what is final: success %s is %s, and %s its operation", async (success, outcome, then) => {
    const operationKey = `cancel:${signer.address}`;
    const request = await sendMined(success, { operationKey });
    await confirmed(await mined(), 1n);
    expect(await outbox.row(request)).toMatchObject({ state: "final", outcome });
    const again = await send({ operationKey });
    expect(again.requestId === request.requestId).toBe(then === "keeps");
  });
});

describe("what nodes answer is stored", () => {
  const broadcast = async (requests: InFlight[], nowMs = Date.now()) =>
    broadcastAll(await cycleOf({ deps: { ...deps, now: () => nowMs } }), requests);

  it("and takes nothing back of what was mined meanwhile", async () => {
    const request = await sendSigned();
    const before = await inFlight();
    const mined = "state = 'mined', mined_block = 5, mined_block_hash = '0x', mined_success = true";
    await outbox.change(request, mined);
    await broadcast(before);
    expect(await outbox.row(request)).toMatchObject({ state: "mined", minedBlock: 5n });
  });

  it("with the time of the first broadcast, and the refusals in a row, and is reported once", async () => {
    const request = await sendSigned();
    const reached: Parameters<NonNullable<SenderDeps["onReached"]>>[] = [];
    deps.onReached = (...report) => reached.push(report);
    const take = present(answers.eth_sendRawTransaction, "an answer");
    answers.eth_sendRawTransaction = () => new Error("words that nobody knows");
    await broadcast(await inFlight(), 1_000);
    await broadcast(await inFlight(), 2_000);
    expect((await flying(request)).attempts).toMatchObject([
      { broadcasts: 2, refusals: 2, answer: "refused", firstBroadcastMs: 1_000, lastBroadcastMs: 2_000 },
    ]);
    expect(await outbox.row(request)).toMatchObject({ state: "signed" });
    answers.eth_sendRawTransaction = take;
    expect(await broadcast(await inFlight(), 3_000)).toBe(true);
    expect((await flying(request)).attempts).toMatchObject([
      { broadcasts: 3, taken: 1, refusals: 0, answer: "taken", firstBroadcastMs: 1_000 },
    ]);
    expect(await outbox.row(request)).toMatchObject({ state: "broadcast" });
    // It counts as broadcast once, from the first time that a node took it.
    await broadcast(await inFlight(), 4_000);
    const { acceptedAtMs } = await outbox.row(request);
    expect(reached).toEqual([["broadcast", CHAIN_ID, (3_000 - acceptedAtMs) / 1000]]);
  });

  it("and nothing of what was not sent, because bytes before it got no answer", async () => {
    const requests = [await sendSigned(), await sendSigned()];
    const sendUntil = async (): Promise<RpcAnswer[][]> => [[{ kind: "unreachable", reason: "down" }], []];
    const silent = { ...wallet, nodes: { ...wallet.nodes, sendUntil } };
    expect(await broadcastAll(await cycleOf({ wallet: silent }), await inFlight())).toBe(false);
    expect(await Promise.all(requests.map(flying))).toMatchObject([
      { state: "broadcast", attempts: [{ broadcasts: 1, answer: "unknown" }] },
      { state: "signed", attempts: [{ broadcasts: 0, answer: null }] },
    ]);
  });

  it("and the first reason to fill a nonce stays", async () => {
    const request = await sendSigned();
    answers.eth_sendRawTransaction = () => new Error("intrinsic gas too low");
    await broadcast(await inFlight());
    const before = await inFlight();
    await outbox.change(request, "fill_reason = 'DEADLINE_EXPIRED'");
    await resubmit(await cycleOf({ inFlight: before, accountNonce: 0n }));
    expect(await flying(request)).toMatchObject({
      fillReason: "DEADLINE_EXPIRED",
      attempts: [{ kind: "call" }, { kind: "filler" }],
    });
  });
});
