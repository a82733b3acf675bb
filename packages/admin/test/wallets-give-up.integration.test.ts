import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { type Hex, keccak256, parseTransaction, type TransactionSerializedEIP1559 } from "viem";
import { present } from "../../../test/support/assert/until.ts";
import { answers, toHex } from "../../../test/support/chain/fake-chain.ts";
import { waitsForLock } from "../../../test/support/db/locks.ts";
import {
  CONFIRMATIONS,
  type DrivenWallet,
  type SenderFixture,
  startSenderFixture,
} from "../../../test/support/sender/sender-fixture.ts";
import { operateOn } from "./operate-on.ts";

/** `wallets give-up` reports a request as never sent, so it must never end one that was sent. */
let fixture: SenderFixture;

beforeAll(async () => {
  fixture = await startSenderFixture();
});
afterAll(() => fixture?.close());

const giveUp = (wallet: DrivenWallet, requestId: string, ...options: string[]) =>
  operateOn(fixture, wallet, "wallets", "give-up", requestId, "--yes", ...options);

async function broadcast() {
  const one = await fixture.makeWallet();
  const id = await one.send();
  await one.cycle();
  const { txHash } = await one.row(id);
  return { one, id, hash: present(txHash, "a hash") };
}

/** Mines a transaction of the wallet in a final block, of which no node has a receipt. */
function mineUnseen({ chain, address }: DrivenWallet, bytes: Hex): void {
  chain.nonce += 1n;
  const { to, data, gas, nonce, chainId, maxFeePerGas, maxPriorityFeePerGas, r, s, yParity } =
    parseTransaction(bytes as TransactionSerializedEIP1559);
  const quantities = {
    nonce,
    gas,
    chainId,
    maxFeePerGas,
    maxPriorityFeePerGas,
    yParity,
    v: yParity,
    value: 0n,
  };
  const transaction = {
    ...Object.fromEntries(
      Object.entries(quantities).map(([name, value]) => [name, toHex(BigInt(value ?? 0))]),
    ),
    hash: keccak256(bytes),
    from: address,
    to,
    input: data ?? "0x",
    type: "0x2",
    accessList: [],
    r,
    s,
  };
  const block = chain.head - BigInt(CONFIRMATIONS) - 30n;
  chain.intercept = ({ method, params: [number, isFull] }) =>
    method === "eth_getBlockByNumber" && isFull
      ? answers({ timestamp: "0x1", transactions: BigInt(String(number)) === block ? [transaction] : [] })
      : undefined;
}

/** Signs a transaction with the nonce of a request, as another holder of the key might. */
const signForeign = async (
  { chain, wallet }: DrivenWallet,
  bytes: Hex,
  other: { data?: Hex; tip?: bigint; nonce?: number },
) => {
  const { to, data, gas, nonce, maxFeePerGas, maxPriorityFeePerGas } = parseTransaction(
    bytes as TransactionSerializedEIP1559,
  );
  return wallet.signer.sign({
    chainId: chain.chainId,
    nonce: other.nonce ?? nonce ?? 0,
    to: present(to, "a contract"),
    gas: gas ?? 0n,
    data: other.data ?? data ?? "0x",
    maxFeePerGas: maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: (maxPriorityFeePerGas ?? 0n) + (other.tip ?? 0n),
  });
};
const sentBy = ({ chain }: DrivenWallet): Hex => present(chain.taken[0], "the signed bytes");

it("ends a request whose nonce somebody else used for good", async () => {
  const { one, id } = await broadcast();
  expect(await giveUp(one, id)).toMatchObject({ code: 1, err: expect.stringContaining("not used up") });
  mineUnseen(one, await signForeign(one, sentBy(one), { data: "0x1234" }));
  const { code, out, err } = await giveUp(one, id, "--json");
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("transactions to find: 0\n") });
  expect(JSON.parse(out)).toEqual({ requestId: id });
  expect(await one.row(id)).toMatchObject({ state: "failed", errCode: "OPERATOR_UNAVAILABLE" });
  expect(await one.claim(id)).toMatchObject({ state: "reverted" });
});

it("ends one whose nonce was reserved, and used by somebody else before its key signed", async () => {
  const one = await fixture.makeWallet();
  const { signer } = one.wallet;
  const [before, id] = [await one.send(), await one.send()];
  one.wallet.signer = {
    ...signer,
    sign: (transaction) =>
      transaction.nonce === 8 ? Promise.reject(new Error("gone")) : signer.sign(transaction),
  };
  await one.cycle();
  one.wallet.signer = signer;
  expect(await one.row(before)).toMatchObject({ state: "broadcast", nonce: 7n });
  expect(await one.row(id)).toMatchObject({ state: "reserved", nonce: 8n });
  expect(await giveUp(one, id)).toMatchObject({ code: 1, err: expect.stringContaining("not used up") });
  one.chain.nonce += 1n;
  mineUnseen(one, await signForeign(one, sentBy(one), { data: "0x1234", nonce: 8 }));
  expect(await giveUp(one, id)).toMatchObject({ code: 0 });
  expect(await one.row(id)).toMatchObject({ state: "failed", errCode: "OPERATOR_UNAVAILABLE" });
});

it("leaves one with a receipt to the worker", async () => {
  const { one, id, hash } = await broadcast();
  one.chain.mine(hash);
  expect(await giveUp(one, id)).toMatchObject({ code: 1, err: expect.stringContaining("may be mined") });
  expect(await one.row(id)).toMatchObject({ state: "broadcast" });
});

it("row 81: ends none that a block has, where every node has pruned its receipt, or the database does not know it", async () => {
  const pruned = await broadcast();
  mineUnseen(pruned.one, sentBy(pruned.one));
  expect(await giveUp(pruned.one, pruned.id)).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      new RegExp(`${pruned.hash} of ${pruned.id} is mined, and no node has a receipt`),
    ),
  });
  const unknown = await broadcast();
  mineUnseen(unknown.one, await signForeign(unknown.one, sentBy(unknown.one), { tip: 1n }));
  expect(await giveUp(unknown.one, unknown.id)).toMatchObject({
    code: 1,
    err: expect.stringContaining("`wallets resume` stores it"),
  });
  // Without this block, which the node has pruned, nothing proves that the transaction was mined.
  const lost = await broadcast();
  lost.one.chain.nonce += 1n;
  lost.one.chain.intercept = ({ method, params }) =>
    method === "eth_getBlockByNumber" && params[1] ? answers(null) : undefined;
  expect(await giveUp(lost.one, lost.id)).toMatchObject({
    code: 1,
    err: expect.stringContaining("does not have block"),
  });
  for (const { one, id } of [pruned, unknown, lost])
    expect(await one.row(id)).toMatchObject({ state: "broadcast" });
});

it.each([
  ["mined", 0n],
  ["final", BigInt(CONFIRMATIONS)],
])("changes nothing of one that is %s, also where nodes have pruned its receipt", async (state, blocks) => {
  const { one, id, hash } = await broadcast();
  one.chain.mine(hash);
  one.clock.nowMs += 60_000;
  await one.cycle();
  one.chain.head += blocks;
  one.clock.nowMs += 60_000;
  await one.cycle();
  const before = await one.row(id);
  expect(before).toMatchObject({ state });
  one.chain.intercept = ({ method }) => (method === "eth_getTransactionReceipt" ? answers(null) : undefined);
  expect(await giveUp(one, id)).toMatchObject({ code: 1, err: expect.stringContaining(`is ${state}`) });
  expect(await one.row(id)).toEqual(before);
});

it("changes nothing of one whose receipt a worker stores while the nodes are asked", async () => {
  const { one, id } = await broadcast();
  mineUnseen(one, await signForeign(one, sentBy(one), { data: "0x1234" }));
  const worker = await fixture.pool.connect();
  await worker.query("BEGIN");
  await worker.query(
    "UPDATE app.send_request SET state = 'mined', mined_block = 1, mined_block_hash = '0x1', mined_success = true WHERE request_id = $1",
    [id],
  );
  const outcome = giveUp(one, id);
  await waitsForLock(fixture.pool, "%state IN ('signed', 'broadcast') FOR UPDATE%", outcome);
  await worker.query("COMMIT");
  worker.release();
  expect(await outcome).toMatchObject({ code: 1, err: expect.stringContaining("changed meanwhile") });
  expect(await one.row(id)).toMatchObject({ state: "mined" });
});
