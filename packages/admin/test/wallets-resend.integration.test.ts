import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { getAddress, type Hex, keccak256 } from "viem";
import { present } from "../../../test/support/assert/until.ts";
import { answers, fails, toHex } from "../../../test/support/chain/fake-chain.ts";
import { NOWHERE } from "../../../test/support/sender/new-send.ts";
import {
  CONFIRMATIONS,
  type DrivenWallet,
  type SenderFixture,
  startSenderFixture,
} from "../../../test/support/sender/sender-fixture.ts";
import { operateOn } from "./operate-on.ts";

/** `wallets resend` broadcasts mined transactions, and nothing else that was ever signed. */
let fixture: SenderFixture;

beforeAll(async () => {
  fixture = await startSenderFixture();
});
afterAll(() => fixture?.close());

const resend = (wallet: DrivenWallet, ...options: string[]) =>
  operateOn(fixture, wallet, "wallets", "resend", String(wallet.chain.chainId), wallet.address, ...options);

async function later(one: DrivenWallet): Promise<void> {
  one.clock.nowMs += 60_000;
  await one.cycle();
}

/** Mines the newest attempt of a request, and makes the request final. */
async function finish(one: DrivenWallet, id: string, more: { success?: boolean } = {}): Promise<Hex> {
  const hash = present((await one.attempts(id)).at(-1)?.tx_hash, "a hash");
  one.chain.mine(hash, more);
  await later(one);
  one.chain.head += BigInt(CONFIRMATIONS);
  await later(one);
  return hash;
}

async function sent(more: { deadline?: bigint } = {}) {
  const one = await fixture.makeWallet();
  const id = await one.send(more);
  await one.cycle();
  return { one, id };
}

/** Removes all transactions of this service from the chain, and clears the record of earlier broadcasts. */
function takeOutAll({ chain }: DrivenWallet): void {
  chain.reorg(0n);
  chain.nonce = 7n;
  chain.taken.length = 0;
}

const auditOf = async ({ address }: DrivenWallet) =>
  (
    await fixture.pool.query("SELECT action, detail FROM app.audit_entry WHERE subject LIKE '%' || $1", [
      address,
    ])
  ).rows;

it("broadcasts the bytes of final requests again, in the order of nonces, and changes no request", async () => {
  const { one, id } = await sent();
  const hashes = [await finish(one, id)];
  const second = await one.send();
  await later(one);
  hashes.push(await finish(one, second));
  takeOutAll(one);
  const before = await Promise.all([id, second].map(one.row));
  expect(before).toMatchObject([{ state: "final" }, { state: "final" }]);
  const outcome = await resend(one, "--yes");
  expect(outcome).toMatchObject({ code: 0, err: "" });
  expect(outcome.out).toBe(`nonce 7  ${id}  ${hashes[0]}  sent\nnonce 8  ${second}  ${hashes[1]}  sent\n`);
  expect(one.chain.taken.map((bytes) => keccak256(bytes))).toEqual(hashes);
  expect(await Promise.all([id, second].map(one.row))).toEqual(before);
  const sends = [id, second].map((requestId, index) => ({ requestId, txHash: hashes[index] }));
  expect(await auditOf(one)).toEqual([{ action: "wallets resend", detail: { sent: sends } }]);
});

it("sends nothing before it is confirmed, and nothing that the chain has", async () => {
  const { one, id } = await sent();
  await finish(one, id);
  one.chain.taken.length = 0;
  expect(await resend(one, "--yes")).toMatchObject({
    code: 1,
    err: expect.stringContaining("the worker has all that may be mined: nothing was sent"),
  });
  takeOutAll(one);
  expect(await resend(one)).toMatchObject({ code: 1, err: expect.stringContaining("Nothing was changed") });
  expect(one.chain.taken).toEqual([]);
  expect(await auditOf(one)).toEqual([]);
});

it("leaves to the worker what has not ended", async () => {
  const { one } = await sent();
  one.chain.taken.length = 0;
  expect(await resend(one, "--yes")).toMatchObject({
    code: 1,
    err: expect.stringContaining("the worker has"),
  });
  expect(one.chain.taken).toEqual([]);
});

it("broadcasts what has ended behind a request that has not", async () => {
  const { one, id } = await sent();
  const ended = await one.send();
  await one.cycle();
  // The node has a receipt of the second alone.
  one.chain.nonce += 1n;
  const hash = await finish(one, ended);
  expect([await one.row(id), await one.row(ended)]).toMatchObject([
    { state: "broadcast" },
    { state: "final" },
  ]);
  takeOutAll(one);
  expect(await resend(one, "--yes")).toMatchObject({ code: 0 });
  expect(one.chain.taken.map((bytes) => keccak256(bytes))).toEqual([hash]);
});

it("broadcasts the filler of a canceled request, and never its call", async () => {
  const deadline = BigInt(Math.floor(Date.now() / 1000) + 600);
  const { one, id } = await sent({ deadline });
  one.clock.nowMs += 700_000;
  await one.cycle();
  await later(one);
  const filler = await finish(one, id);
  expect(await one.row(id)).toMatchObject({ state: "canceled", errCode: "DEADLINE_EXPIRED" });
  expect((await one.attempts(id)).map(({ kind }) => kind)).toEqual(["call", "filler", "filler"]);
  takeOutAll(one);
  expect(await resend(one, "--yes")).toMatchObject({ code: 0 });
  expect(one.chain.taken.map((bytes) => keccak256(bytes))).toEqual([filler]);
});

it("broadcasts the attempt that was mined, where it is not the newest", async () => {
  const { one, id } = await sent();
  const first = present((await one.attempts(id))[0]?.tx_hash, "a hash");
  await later(one);
  expect(await one.attempts(id)).toHaveLength(2);
  one.chain.mine(first);
  await later(one);
  one.chain.head += BigInt(CONFIRMATIONS);
  await later(one);
  takeOutAll(one);
  expect(await resend(one, "--yes")).toMatchObject({ code: 0 });
  expect(one.chain.taken.map((bytes) => keccak256(bytes))).toEqual([first]);
});

it("stops before a call that reverted, which its caller may have sent again, unless that is asked for", async () => {
  const { one, id } = await sent();
  await finish(one, id);
  const reverted = await one.send();
  await later(one);
  await finish(one, reverted, { success: false });
  // A revert is explained in the cycle after the first that fails to.
  await later(one);
  expect(await one.row(reverted)).toMatchObject({ state: "final", outcome: "reverted" });
  takeOutAll(one);
  expect(await resend(one, "--yes")).toMatchObject({
    code: 1,
    out: expect.stringContaining(id),
    err: expect.stringContaining("may succeed now (--reverted sends it)"),
  });
  expect(one.chain.taken).toHaveLength(1);
  const { code, out } = await resend(one, "--yes", "--reverted", "--json");
  expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^\{/) });
  expect(JSON.parse(out)).toEqual({
    chainId: one.chain.chainId,
    wallet: getAddress(one.address),
    offered: [id, reverted].map((requestId, index) => ({
      requestId,
      nonce: String(7 + index),
      txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      taken: true,
      answer: "taken",
    })),
  });
  expect(one.chain.taken).toHaveLength(3);
});

it("refuses a nonce that was never used by what is stored", async () => {
  const { one, id } = await sent();
  await fixture.pool.query(
    "UPDATE app.send_request SET state = 'failed', err_code = 'OPERATOR_UNAVAILABLE' WHERE request_id = $1",
    [id],
  );
  takeOutAll(one);
  expect(await resend(one, "--yes")).toMatchObject({
    code: 1,
    err: expect.stringContaining("used by a transaction that is not ours: nothing was sent"),
  });
  one.chain.nonce = 6n;
  expect(await resend(one, "--yes")).toMatchObject({
    code: 1,
    err: expect.stringContaining("nonce 6 belongs to no request: nothing was sent"),
  });
  expect(one.chain.taken).toEqual([]);
});

/** Replaces the bytes or the hash that were mined for a request, as by hand. */
async function tamper(id: string, hash: Hex, bytes: Hex): Promise<void> {
  const guards = (word: string) => [
    `ALTER TABLE app.send_request ${word} TRIGGER send_request_guard`,
    `ALTER TABLE app.send_attempt ${word} TRIGGER send_attempt_guard`,
  ];
  for (const statement of guards("DISABLE")) await fixture.pool.query(statement);
  await fixture.pool.query(
    "UPDATE app.send_attempt SET tx_hash = $2, signed_bytes = $3 WHERE request_id = $1",
    [id, hash, Buffer.from(bytes.slice(2), "hex")],
  );
  await fixture.pool.query("UPDATE app.send_request SET tx_hash = $2 WHERE request_id = $1", [id, hash]);
  for (const statement of guards("ENABLE")) await fixture.pool.query(statement);
}

it("refuses bytes that are not those of the hash, and those of another nonce", async () => {
  const { one, id } = await sent();
  await finish(one, id);
  const mined = present(one.chain.taken[0], "the signed bytes");
  const fees = { gas: 50_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
  const other = await one.wallet.signer.sign({ chainId: 31337, nonce: 8, to: NOWHERE, data: "0x", ...fees });
  takeOutAll(one);
  for (const bytes of [mined, other]) {
    await tamper(id, keccak256(other), bytes);
    expect(await resend(one, "--yes")).toMatchObject({
      code: 1,
      err: expect.stringContaining(`not those of ${keccak256(other)}`),
    });
  }
  expect(one.chain.taken).toEqual([]);
});

it("says which transactions no node took, and sends nothing while nodes differ about the nonce", async () => {
  const one = await fixture.makeWallet({ nodes: 2 });
  const id = await one.send();
  await one.cycle();
  await finish(one, id);
  takeOutAll(one);
  one.chain.intercept = ({ method, node }) =>
    method === "eth_getTransactionCount" && node === 1 ? answers(toHex(8n)) : undefined;
  expect(await resend(one, "--yes")).toMatchObject({ code: 1, err: expect.stringContaining("do not agree") });
  expect(one.chain.taken).toEqual([]);
  one.chain.intercept = ({ method }) =>
    method === "eth_sendRawTransaction" ? fails("max fee per gas less than block base fee") : undefined;
  expect(await resend(one, "--yes")).toMatchObject({
    code: 1,
    out: expect.stringContaining("not taken: fee-too-low"),
    err: expect.stringContaining("nodes did not take 1 of 1"),
  });
});
