import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { concat, encodeFunctionData, erc20Abi, type Hex, parseTransaction } from "viem";
import { oneClickRouterAbi } from "../../../src/contracts/abi/index.ts";
import type { NewSend } from "../../../src/sending/outbox/submit.ts";
import { insertRows } from "../../support/db/builders/rows.ts";
import { NOWHERE, newSend, STOCK_TOKEN } from "../../support/sender/new-send.ts";
import {
  type DrivenWallet,
  type SenderFixture,
  startSenderFixture,
} from "../../support/sender/sender-fixture.ts";

// Rows that only a taken-over api writes (docs/sending.md#what-is-signed).

let fixture: SenderFixture;
let one: DrivenWallet;

beforeAll(async () => {
  fixture = await startSenderFixture();
});
afterAll(() => fixture?.close());
beforeEach(async () => {
  one = await fixture.makeWallet();
});

const OTHER: Hex = `0x${"0e".repeat(20)}`;
const approve = encodeFunctionData({
  abi: erc20Abi,
  functionName: "approve",
  args: [OTHER, 2n ** 256n - 1n],
});
const executeFor = (user: Hex, call: Hex): Hex =>
  encodeFunctionData({ abi: oneClickRouterAbi, functionName: "executeFor", args: [user, call] });

async function expectRefused(id: string, reason: string): Promise<void> {
  const behind = await one.send();
  await one.cycle();
  expect(await one.row(id)).toMatchObject({ state: "failed", errCode: "INTERNAL", nonce: null, reason });
  expect(await one.attempts(id)).toEqual([]);
  expect(await one.claim(id)).toMatchObject({ state: "reverted" });
  expect(one.alarms).toMatchObject([{ alarm: "call-refused", fields: { requestId: id } }]);
  // No other request waits.
  expect(await one.row(behind)).toMatchObject({ state: "broadcast", nonce: 7n });
  expect({ nonces: one.chain.taken.map((bytes) => parseTransaction(bytes).nonce) }).toEqual({ nonces: [7] });
}

type Attack = (wallet: DrivenWallet) => Partial<NewSend>;
const built = ({ address, user }: DrivenWallet, more: Partial<NewSend> = {}) => newSend(address, user, more);

it.each<[string, Attack, string]>([
  [
    "approve on a token",
    () => ({ to: STOCK_TOKEN, data: approve }),
    `not signed: its target ${STOCK_TOKEN} is not the product's OneClickRouter`,
  ],
  ["approve, sent to the router", () => ({ data: approve }), "not signed: its call cannot be read"],
  [
    "approve within executeFor",
    ({ user }) => ({ data: executeFor(user, approve) }),
    "not signed: its call cannot be read",
  ],
  [
    "a right call to another contract",
    () => ({ to: OTHER }),
    `not signed: its target ${OTHER} is not the product's OneClickRouter`,
  ],
  [
    "a call for another user",
    (wallet) => ({ data: built({ ...wallet, user: OTHER }).data }),
    `not signed: its user is ${OTHER} in the call and USER in the row`,
  ],
  [
    "another operation's call",
    (wallet) => ({ data: built(wallet, { operation: "cash/withdrawals" }).data }),
    "not signed: withdraw is no call of orders/send",
  ],
  [
    "bytes behind the call",
    (wallet) => ({ data: concat([built(wallet).data, "0x00"]) }),
    "not signed: its bytes are not the encoding of its call",
  ],
  [
    "more gas than the deployment gives",
    () => ({ gasLimit: 10n ** 12n + 1n }),
    "not signed: its gas limit 1000000000001 is above 1000000000000",
  ],
  [
    "a buy that counts as less than it costs",
    (wallet) => ({ data: built(wallet, { notional: 10n ** 24n }).data, notional: 1n }),
    "not signed: its notional is 1000000000000000000000000 in the call and 1 in the row",
  ],
])("a request for %s fails and is not signed", async (_what, attack, reason) => {
  one.chain.balance = 10n ** 27n;
  await expectRefused(await one.send(attack(one)), reason.replace("USER", one.user));
});

describe("a request by a key", () => {
  const FOREIGN = "not signed: its key may not send for its user and product";

  it.each<[string, string]>([
    ["that is bound to another user", `UPDATE app.api_key SET user_address = '${OTHER}' WHERE key_id = $1`],
    ["that is bound to nobody", "UPDATE app.api_key SET user_address = NULL WHERE key_id = $1"],
    ["that may only read", "UPDATE app.api_key SET access = 'READ_ONLY' WHERE key_id = $1"],
    ["without its product", "UPDATE app.api_key_scope SET product_type = 'Other' WHERE key_id = $1"],
    ["without its chain", "UPDATE app.api_key_scope SET chain_id = 1 WHERE key_id = $1"],
  ])("%s fails and is not signed", async (_what, change) => {
    const id = await one.send();
    const { keyId } = one.caller;
    await fixture.pool.query(change, [keyId]);
    await one.cycle();
    expect(await one.row(id)).toMatchObject({ state: "failed", errCode: "INTERNAL", reason: FOREIGN });
    expect(one.alarms).toMatchObject([{ alarm: "call-refused", fields: { requestId: id } }]);
    expect(one.chain.taken).toEqual([]);
  });

  it("for a product that is not in the deployments file fails and is not signed", async () => {
    const scope = { keyId: one.caller.keyId, chainId: one.caller.chainId, productType: "Other" };
    await insertRows(fixture.pool, "app.api_key_scope", [scope]);
    const send = { operation: "1ct/enable", needsDelegation: false, operationType: "trade" } as const;
    const id = await one.send(send, { ...one.caller, productType: "Other" });
    await expectRefused(id, "not signed: the product Other is not in the deployments file");
  });
});

it("a fault of the check itself ends no request", async () => {
  const id = await one.send();
  const routers = new Map();
  routers.get = () => {
    throw new Error("a fault of the check");
  };
  one.deps.rules = { ...one.deps.rules, routers };
  await expect(one.cycle()).rejects.toThrow("a fault of the check");
  expect(await one.row(id)).toMatchObject({ state: "accepted", nonce: null });
});

it("a call that may not be signed any more is not signed again at a higher fee: its nonce is filled", async () => {
  const id = await one.send();
  await one.cycle();
  const { bumpAfterMs, rebroadcastMs } = one.deps.config;
  const later = async (ms: number) => {
    one.clock.nowMs += ms;
    await one.cycle();
  };
  await later(bumpAfterMs);
  one.deps.rules = { ...one.deps.rules, routers: new Map([["Sandbox", OTHER]]) };
  await later(rebroadcastMs);
  expect(await one.attempts(id)).toMatchObject([{ kind: "call" }, { kind: "call", broadcasts: 2 }]);
  expect(one.alarms).toEqual([]);
  await later(bumpAfterMs);
  await later(bumpAfterMs);
  expect(one.alarms).toMatchObject([{ alarm: "call-refused", fields: { requestId: id } }]);
  const kinds = (await one.attempts(id)).map(({ kind }) => kind);
  expect(kinds).toEqual(["call", "call", "filler", "filler"]);
  const targets = new Set(one.chain.taken.map((bytes) => parseTransaction(bytes).to));
  expect([...targets]).toEqual([NOWHERE, one.address]);
});
