import { afterAll, afterEach, beforeAll, expect, it } from "@jest/globals";
import { decodeFunctionData, type Hex, type LocalAccount } from "viem";
import { oneClickRouterAbi } from "../../src/contracts/abi/index.ts";
import { oneClick } from "../contracts/calls.ts";
import { present, until } from "../support/assert/until.ts";
import { send as sendTransaction } from "../support/chain/product.ts";
import type { Delegation, Send } from "../support/http/answers.ts";
import { lower } from "../support/http/features.ts";
import { createPartner, type Partner } from "../support/http/partner.ts";
import { chainClient } from "../support/sender/chain-fixture.ts";
import { enable, enableUser, marketBuy } from "../support/sender/sending.ts";
import { type SendingApi, startSendingApi } from "../support/sender/sending-api.ts";

// docs/faults.md, row 63: an enable counts for the key that made it, until the user's delegation ends for any reason.

let stage: SendingApi;
beforeAll(async () => {
  stage = await startSendingApi();
});
afterAll(() => stage?.close());
afterEach(() => chainClient(stage.product.rpcUrl).setAutomine(true));

const userAt = (index: number) => present(stage.product.users[index], "a user");
const bind = async (user: LocalAccount): Promise<Partner> =>
  createPartner(stage.api.url, await stage.sending.bind(user));

const statusOf = (partner: Partner) => partner.must(partner.get<Delegation>("/1ct/status"));
const buy = (partner: Partner) => partner.post<Send>("/orders/send", marketBuy(stage.sending, "10"));

const NOT_ENABLED = { code: 10002, errCode: "DELEGATION_NOT_ENABLED" };
const NONCE_USED = { code: 10002, errCode: "DELEGATION_NONCE_USED", param: "nonce" };

/** Expects that status and /send agree, as they always must. */
async function expectEnabled(partner: Partner, enabled: boolean): Promise<void> {
  expect((await statusOf(partner)).status === "enable").toBe(enabled);
  expect((await buy(partner)).body).toMatchObject(enabled ? { code: 200 } : NOT_ENABLED);
}

/** Waits until the chain has ended the user's delegation. */
const undelegated = (partner: Partner, nonce: number) =>
  until(
    "the delegation has ended on the chain",
    async () => (await statusOf(partner)).nonce > nonce || undefined,
  );

it("a key that never enabled does not send for a user whom another key enabled", async () => {
  const user = userAt(0);
  const mine = await enableUser(stage.sending, stage.api.url, user);
  const other = await bind(user);
  await expectEnabled(mine, true);
  expect(await statusOf(other)).toMatchObject({ status: "disabled", txHash: null });
  await expectEnabled(other, false);
  // Each enable adds its key, and takes none away.
  expect((await enable(other, user.address, user)).body).toMatchObject({ data: { status: "enable" } });
  await expectEnabled(other, true);
  await expectEnabled(mine, true);
  // A disable through any of them ends it for all, at once and permanently.
  const { nonce } = await statusOf(mine);
  expect((await other.post("/1ct/disable", {})).body).toMatchObject({ data: { status: "disabled" } });
  for (const partner of [mine, other]) await expectEnabled(partner, false);
  await undelegated(mine, nonce);
  expect((await enable(mine, user.address, user)).body).toMatchObject({ data: { status: "enable" } });
  await expectEnabled(mine, true);
  await expectEnabled(other, false);
});

/** Returns the body of /1ct/enable from its resulting call. */
function decodeEnable(callData: Buffer) {
  const data: Hex = `0x${callData.toString("hex")}`;
  const { functionName, args } = decodeFunctionData({ abi: oneClickRouterAbi, data });
  if (functionName !== "delegateBySig") throw new Error(`expected delegateBySig, got ${functionName}`);
  const [, , nonce, deadline, signature] = args;
  return { nonce: Number(nonce), deadline, signature };
}

it("a key that presents another's signature is told that its nonce was used, pending or mined", async () => {
  const user = userAt(1);
  const [mine, other] = [await bind(user), await bind(user)];
  await until("there is a wallet to send with", async () => {
    const { body } = await mine.get("/1ct/status");
    return body.code === 200 ? true : undefined;
  });
  const chain = chainClient(stage.product.rpcUrl);
  await chain.setAutomine(false);
  const pending = enable(mine, user.address, user);
  const { call_data } = await until("it is broadcast", async () => {
    const { rows } = await stage.sending.pool.query<{ call_data: Buffer }>(
      "SELECT call_data FROM app.send_request WHERE user_address = $1 AND state = 'broadcast'",
      [user.address.toLowerCase()],
    );
    return rows[0];
  });
  const sent = decodeEnable(call_data);
  expect((await other.post("/1ct/enable", sent)).body).toMatchObject(NONCE_USED);
  expect(await statusOf(other)).toMatchObject({ status: "disabled" });
  expect(await statusOf(mine)).toMatchObject({ status: "pending" });
  await chain.setAutomine(true);
  await chain.mine({ blocks: 1 });
  expect((await pending).body).toMatchObject({ data: { status: "enable" } });
  expect((await other.post("/1ct/enable", sent)).body).toMatchObject(NONCE_USED);
  await expectEnabled(other, false);
  // Repeating it is a success for the key that made it.
  expect((await mine.post("/1ct/enable", sent)).body).toMatchObject({
    data: { status: "enable", txHash: null },
  });
  await expectEnabled(mine, true);
});

it("a repeat is answered as the first call, also while the receipt is not recorded yet", async () => {
  const user = userAt(3);
  const mine = await bind(user);
  const chain = chainClient(stage.product.rpcUrl);
  await chain.setAutomine(false);
  const first = enable(mine, user.address, user);
  const { call_data, wallet } = await until("it is broadcast", async () => {
    const { rows } = await stage.sending.pool.query<{ call_data: Buffer; wallet: string }>(
      "SELECT call_data, wallet FROM app.send_request WHERE user_address = $1 AND state = 'broadcast'",
      [user.address.toLowerCase()],
    );
    return rows[0];
  });
  const { signature, deadline, nonce } = decodeEnable(call_data);
  const { nonce: before } = await statusOf(mine);
  // The worker records nothing while another transaction has the wallet's row.
  const holder = await stage.sending.pool.connect();
  const repeats: ReturnType<typeof mine.post>[] = [];
  try {
    await holder.query("BEGIN");
    await holder.query("SELECT 1 FROM app.delegatee_wallet WHERE address = $1 FOR UPDATE", [wallet]);
    await chain.setAutomine(true);
    await chain.mine({ blocks: 1 });
    await until("the chain has the enable", async () => (await statusOf(mine)).nonce > before || undefined);
    let answered = 0;
    for (const sent of [
      { signature, deadline, nonce },
      { signature, deadline },
    ]) {
      const repeat = mine.post("/1ct/enable", sent);
      void repeat.finally(() => {
        answered += 1;
      });
      repeats.push(repeat);
    }
    // Either is refused at once, or waits like the first call: two later requests show which.
    await statusOf(mine);
    await statusOf(mine);
    expect(answered).toBe(0);
  } finally {
    await holder.query("ROLLBACK");
    holder.release();
  }
  for (const answer of [first, ...repeats]) {
    expect((await answer).body).toMatchObject({ data: { status: "enable" } });
  }
});

it("the user's own undelegation ends it for all keys, though another key enables again", async () => {
  const user = userAt(2);
  const [mine, other] = [await enableUser(stage.sending, stage.api.url, user), await bind(user)];
  await expectEnabled(mine, true);
  const { client, deployment } = stage.product;
  await sendTransaction(client, user, deployment.oneClickRouter, oneClick("undelegate"));
  await expectEnabled(mine, false);
  expect((await enable(other, user.address, user)).body).toMatchObject({ data: { status: "enable" } });
  await expectEnabled(other, true);
  await expectEnabled(mine, false);
});

it("an enable that a reorg takes out does not count until it is mined again; the one before it does", async () => {
  const user = userAt(0);
  const [mine, other] = [await enableUser(stage.sending, stage.api.url, user), await bind(user)];
  const chain = chainClient(stage.product.rpcUrl);
  expect((await enable(other, user.address, user)).body).toMatchObject({ data: { status: "enable" } });
  await expectEnabled(mine, true);
  const { txHash } = await statusOf(other);
  const { blockNumber } = await chain.getTransactionReceipt({
    hash: lower(present(txHash, "its transaction")),
  });
  await chain.setAutomine(false);
  const depth = Number((await chain.getBlockNumber()) - blockNumber) + 1;
  await chain.transport.request({ method: "anvil_reorg", params: [depth, []] });
  expect((await buy(other)).body).toMatchObject(NOT_ENABLED);
  expect((await statusOf(other)).status).not.toBe("enable");
  expect(await statusOf(mine)).toMatchObject({ status: "enable" });
  await chain.setAutomine(true);
  await until("it is mined again", async () => {
    await chain.mine({ blocks: 1 });
    return (await statusOf(other)).status === "enable" ? true : undefined;
  });
  await expectEnabled(other, true);
});
