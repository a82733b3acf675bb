import { afterAll, afterEach, beforeAll, expect, it } from "@jest/globals";
import { createWalletClient, getAddress, type Hex, http, zeroAddress } from "viem";
import { oneClickRouterAbi } from "../../../src/contracts/abi/index.ts";
import { oneClick } from "../../contracts/calls.ts";
import { present, until } from "../../support/assert/until.ts";
import { createDelegations } from "../../support/db/builders/sends.ts";
import type { Delegation, DelegationPayload, Send } from "../../support/http/answers.ts";
import { lower, PRODUCT } from "../../support/http/features.ts";
import type { Partner } from "../../support/http/partner.ts";
import { operate } from "../../support/program/command.ts";
import { chainClient } from "../../support/sender/chain-fixture.ts";
import { enableUser, inAnHour, marketBuy } from "../../support/sender/sending.ts";
import { type SendingApi, startSendingApi } from "../../support/sender/sending-api.ts";

// docs/sending.md#retiring-a-wallet, on a chain: the command, the workers' job, and the partners' view.

let stage: SendingApi;
let chain: ReturnType<typeof chainClient>;
beforeAll(async () => {
  stage = await startSendingApi({ wallets: 2 });
  chain = chainClient(stage.product.rpcUrl);
});
afterAll(() => stage?.close());
afterEach(() => chain.setAutomine(true));

const CHAIN_ID = 31337;
const userAt = (index: number) => present(stage.product.users[index], "a user");
const walletAt = (index: number) => present(stage.sending.wallets[index], "a wallet");
const query = async <T extends object>(text: string, values: unknown[] = []) =>
  (await stage.sending.pool.query<T>(text, values)).rows;

/** Creates a user who enabled a wallet, whichever one would be chosen for them. */
async function enabledOn(wallet: Hex, index: number): Promise<Partner> {
  const user = userAt(index);
  await createDelegations(
    ...([
      stage.sending.pool,
      { chainId: CHAIN_ID, productType: PRODUCT },
      wallet,
      lower(user.address),
    ] as const),
  );
  return enableUser(stage.sending, stage.api.url, user);
}

const delegateeOf = async (index: number): Promise<Hex> => {
  const { oneClickRouter } = stage.product.deployment;
  return stage.product.client.readContract({
    address: oneClickRouter,
    abi: oneClickRouterAbi,
    functionName: "delegateeOf",
    args: [userAt(index).address],
  });
};

const retire = (wallet: Hex, ...args: string[]) =>
  operate(["wallets", "retire", String(CHAIN_ID), wallet, ...args], stage.sending.env);

async function statusOf(wallet: Hex) {
  const { code, out, err } = await retire(wallet, "--status", "--json");
  if (code !== 0) throw new Error(err);
  return JSON.parse(out);
}

/** Waits for a state of a retirement while blocks are mined, and its passes without their pauses. */
const reaches = (wallet: Hex, what: string, is: (status: ReturnType<typeof JSON.parse>) => boolean) =>
  until(
    `the retirement ${what}`,
    async () => {
      await chain.mine({ blocks: 1 });
      await query("UPDATE app.wallet_retirement SET next_at = least(next_at, now())");
      const status = await statusOf(wallet);
      return is(status) ? status : undefined;
    },
    60_000,
  );
const finishes = (wallet: Hex) => reaches(wallet, "is finished", ({ finishedAt }) => finishedAt !== null);

const disables = (wallet: Hex) =>
  query<{ user_address: Hex; state: string; outcome: string; err_code: string; reason: string }>(
    `SELECT user_address, state, outcome, err_code, reason FROM app.send_request
     WHERE operation = '1ct/disable' AND wallet = $1 ORDER BY user_address`,
    [wallet],
  );

const prepare = async (partner: Partner, index: number) =>
  partner.must(
    partner.post<DelegationPayload>("/1ct/prepare", {
      userAddress: userAt(index).address,
      deadline: inAnHour(),
    }),
  );

it("undelegates the users of a retired wallet on the chain, each once", async () => {
  const [leaked, other] = [walletAt(0), walletAt(1)];
  const partners = [];
  for (const index of [0, 1, 2]) partners.push(await enabledOn(leaked, index));
  const [first, second, third] = partners.map((partner) => present(partner, "a partner"));
  for (const index of [0, 1, 2])
    expect({ index, delegatee: lower(await delegateeOf(index)) }).toEqual({ index, delegatee: leaked });
  await chain.setAutomine(false);

  expect(await retire(leaked, "--yes")).toMatchObject({
    code: 0,
    out: expect.stringContaining(`${getAddress(leaked)} is retired; 3 users were disabled now`),
  });
  // One has another wallet by then, and has not enabled it.
  expect(await prepare(present(second, "it"), 1)).toMatchObject({ delegatee: getAddress(other) });
  expect((await retire(leaked, "--yes")).out).toContain("was retired before; 0 users were disabled now");
  await until("all undelegations are broadcast", async () => {
    const rows = await disables(leaked);
    return rows.length === 3 && rows.every(({ state }) => state === "broadcast") ? true : undefined;
  });

  // One ends the delegation before: theirs finds nothing to end.
  const { client, deployment } = stage.product;
  const own = createWalletClient({ account: userAt(2), transport: http(stage.product.rpcUrl) });
  const [to, data] = [deployment.oneClickRouter, oneClick("undelegate")];
  const tips = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n };
  const hash = await own.sendTransaction({ chain: null, to, data, gas: 100_000n, ...tips });
  await chain.mine({ blocks: 1 });
  expect((await client.getTransactionReceipt({ hash })).status).toBe("success");
  await chain.setAutomine(true);

  expect(await finishes(leaked)).toMatchObject({
    users: 3,
    undelegations: { waiting: 0, sent: 0, confirmed: 3, failed: 0 },
    next: expect.stringContaining("destroy it"),
  });
  for (const index of [0, 1, 2])
    expect({ index, delegatee: await delegateeOf(index) }).toEqual({ index, delegatee: zeroAddress });
  const rows = await disables(leaked);
  expect(rows).toHaveLength(3);
  const hadEnded = "the delegation had ended already";
  for (const { user_address, ...row } of rows) {
    const reason = user_address === lower(userAt(2).address) ? hadEnded : null;
    expect({ user_address, row }).toEqual({
      user_address,
      row: { state: "final", outcome: "confirmed", err_code: null, reason },
    });
  }
  for (const partner of [first, second, third]) {
    const { rows: sends } = await present(partner, "it").must(
      present(partner, "it").get<{ rows: Send[] }>("/sends?operation=1ct/disable"),
    );
    expect(sends).toMatchObject([
      { operation: "1ct/disable", status: "confirmed", final: true, errCode: null },
    ]);
  }
  expect((await operate(["wallets", "list"], stage.sending.env)).out).toMatch(
    new RegExp(`${getAddress(leaked)} +retired, no users left`),
  );
});

it("lets them enable the other wallet, and send; given again, it finds them gone", async () => {
  const [leaked, other] = [walletAt(0), walletAt(1)];
  const partner = await enableUser(stage.sending, stage.api.url, userAt(0));
  expect(lower(await delegateeOf(0))).toBe(other);
  expect((await partner.post<Send>("/orders/send", marketBuy(stage.sending, "10"))).body).toMatchObject({
    code: 200,
    errMsg: "",
  });
  expect((await retire(leaked, "--yes")).code).toBe(0);
  expect((await statusOf(leaked)).finishedAt).toBeNull();
  await finishes(leaked);
  expect(await disables(leaked)).toHaveLength(3);
  expect(lower(await delegateeOf(0))).toBe(other);
  const status = await partner.must(partner.get<Delegation>("/1ct/status"));
  expect(status).toMatchObject({ status: "enable", delegatee: getAddress(other) });
});

it("says what it waits for: a halted chain, or coin; and goes on by itself", async () => {
  const wallet = walletAt(1);
  expect(await retire(wallet, "--status")).toMatchObject({
    code: 1,
    err: expect.stringContaining("is not retired on chain 31337"),
  });
  const partner = await enabledOn(wallet, 3);
  const halt = (what: string) => operate(["sending", what, "--chain", String(CHAIN_ID)], stage.sending.env);
  expect((await halt("halt")).code).toBe(0);
  const balance = await chain.getBalance({ address: wallet });
  await chain.setBalance({ address: wallet, value: 0n });
  expect((await retire(wallet, "--yes")).err).toContain("no wallet of chain 31337 takes users");
  await reaches(wallet, "waits for the halt", ({ next, undelegations }) => {
    return undelegations.waiting > 0 && next.includes("`sending resume --chain 31337`");
  });
  expect((await halt("resume")).code).toBe(0);
  await reaches(wallet, "waits for coin", ({ next }) => next.includes("send it native coin"));
  expect(lower(await delegateeOf(3))).toBe(wallet);
  await chain.setBalance({ address: wallet, value: balance });
  await finishes(wallet);
  for (const index of [0, 3])
    expect({ index, delegatee: await delegateeOf(index) }).toEqual({ index, delegatee: zeroAddress });
  expect((await partner.post("/orders/send", marketBuy(stage.sending, "10"))).body).toMatchObject({
    errCode: "DELEGATION_NOT_ENABLED",
  });
  expect((await retire(wallet, "--status")).out).toContain("no users are left");
});
