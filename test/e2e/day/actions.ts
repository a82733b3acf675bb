import { randomUUID } from "node:crypto";
import { expect } from "@jest/globals";
import { Wallet } from "ethers";
import { canary } from "../../support/assert/logs.ts";
import { present, until } from "../../support/assert/until.ts";
import type {
  Calldata,
  DelegationChange,
  DelegationPayload,
  OrderList,
  Price,
  Send,
} from "../../support/http/answers.ts";
import type { Partner } from "../../support/http/partner.ts";
import { chain, delegating, partner, provider, random, soon, stocks, users } from "./context.ts";

/** The actions of a trading day: by the users' own wallets, and through the service for one of them. */
type Fields = Record<string, unknown>;

/** Every transaction of the day that is somebody's: its hash, what it did, and whose it is. */
export interface Done {
  txHash: string;
  isOrder: boolean;
  by: Partner;
}

/** Returns an endpoint and its input, with amounts that the user can mostly afford. */
function movement(userAddress: string): [string, Fields] {
  const cash = random.of(chain.cashTokens);
  const cents = () => `${1 + random.below(300)}.${10 + random.below(89)}`;
  const move = (tokenAddress: string, tokenAmount: string) => ({ userAddress, tokenAddress, tokenAmount });
  return random.of<[string, Fields]>([
    ["/cash/deposits", move(cash.address, cents())],
    ["/cash/withdrawals", move(cash.address, cents())],
    ["/stock/deposits", move(random.of(stocks).address, `0.${1 + random.below(99_999)}`)],
    ["/stock/withdrawals", move(random.of(stocks).address, `0.${1 + random.below(99_999)}`)],
  ]);
}

async function order(userAddress: string): Promise<[string, Fields]> {
  const stock = random.of(stocks).address;
  const { basicInfo } = await partner.must(partner.get<Price>(`/prices/${stock}`));
  const cents = Math.round(Number(basicInfo.price) * (90 + random.below(20)));
  const limit = {
    type: "Limit",
    quantity: `${random.below(3)}.${1 + random.below(9_999)}`,
    price: `${Math.floor(cents / 100)}.${`${cents % 100}`.padStart(2, "0")}`,
    timeInForce: "DAY",
  };
  const market = (side: string) =>
    side === "Buy"
      ? { type: "Market", notional: `${5 + random.below(400)}.5` }
      : { type: "Market", quantity: `0.${1 + random.below(9_999)}` };
  const side = random.of(["Buy", "Sell"]);
  const terms = random.chance(0.5) ? limit : market(side);
  const input = { userAddress, stockAddress: stock, side, deadline: soon(), ...terms };
  if (random.chance(0.7)) return ["/orders", input];
  const cash = random.of(chain.cashTokens);
  const deposit =
    side === "Buy" ? { tokenAddress: cash.address, tokenAmount: `${200 + random.below(500)}` } : {};
  return ["/orders/with-deposit", { ...input, ...deposit }];
}

/** Performs a random action in a random way. */
export async function trade(sender: Partner, done: Done[]): Promise<void> {
  const user = random.of(users);
  const [path, input] = random.chance(0.4) ? movement(user.address) : await order(user.address);
  const isOrder = path.startsWith("/orders");
  if (user === delegating && random.chance(0.5)) {
    const txHash = await send(sender, path, input);
    if (txHash) done.push({ txHash, isOrder, by: sender });
    return;
  }
  const answer = await partner.post<Calldata>(`${path}/calldata`, input);
  // The hour in which deposits are not instant.
  if (answer.body.errCode === "DEPOSIT_NOT_INSTANT") return;
  const call = await partner.must(Promise.resolve(answer));
  const preflight = present(call.preflight, "a preflight");
  if (!preflight.ok) {
    const failed = preflight.checks.some(({ ok }) => !ok) || preflight.revert !== null;
    expect({ path, input, failed }).toEqual({ path, input, failed: true });
    return;
  }
  const txHash = await submit(user.privateKey, call, isOrder ? "/orders/tx" : `${path}/tx`);
  done.push({ txHash, isOrder, by: partner });
}

/** Sends a call through the service, and waits for its block. @returns its hash, or null where it was refused before */
async function send(sender: Partner, path: string, input: Fields): Promise<string | null> {
  const headers = { "idempotency-key": randomUUID() };
  const ask = () => sender.post<Send>(`${path}/send`, input, { headers });
  const { body } = await ask();
  if (body.code !== 200) {
    // The preflight of calldata and /send give the same error code.
    expect({ path, errCode: body.errCode }).toEqual({
      path,
      errCode: expect.stringMatching(/INSUFFICIENT|CHAIN_REVERT|DEPOSIT_NOT_INSTANT/),
    });
    return null;
  }
  return until(`${path}/send is mined`, async () => {
    const { status, txHash } = await sender.must(ask());
    return status === "confirmed" || status === "failed" ? (txHash ?? undefined) : undefined;
  });
}

async function submit(privateKey: string, call: Calldata, recordPath: string | null): Promise<string> {
  const wallet = new Wallet(privateKey, provider);
  const nonce = await provider.getTransactionCount(wallet.address, "latest");
  const { toAddress: to, callData: data } = call;
  const sent = await wallet.sendTransaction({ to, data, nonce, gasLimit: 1_500_000n });
  await provider.waitForTransaction(sent.hash);
  if (!recordPath) return sent.hash;
  const answer = await partner.post(recordPath, { txHash: sent.hash });
  // Between preflight and block the broker may have moved what the call needed.
  if (answer.body.errCode !== "TX_REVERTED") await partner.must(Promise.resolve(answer));
  return sent.hash;
}

export async function cancelOne(): Promise<void> {
  const { rows } = await partner.must(partner.get<OrderList>("/orders", { status: "New", limit: 50 }));
  const mine = rows.filter(({ openOrder }) =>
    users.some(({ address }) => address === openOrder?.userAddress),
  );
  if (mine.length === 0) return;
  const { orderId, openOrder } = random.of(mine);
  const answer = await partner.delete<Calldata>(`/orders/${orderId}/calldata`);
  // It may have been filled meanwhile.
  if (answer.body.errCode === "ORDER_NOT_CANCELABLE") return;
  const call = await partner.must(Promise.resolve(answer));
  const owner = present(
    users.find(({ address }) => address === openOrder?.userAddress),
    "the order's user",
  );
  await submit(owner.privateKey, call, null);
}

/** Enables sending for the delegating user. */
export async function enableSending(sender: Partner): Promise<void> {
  const { address: userAddress, privateKey } = delegating;
  const input = { userAddress, deadline: soon() };
  const { signPayload, nonce, deadline } = await sender.must(
    sender.post<DelegationPayload>("/1ct/prepare", input),
  );
  const { domain, types, message } = signPayload;
  const wallet = new Wallet(privateKey);
  const signature = canary("user's signature", await wallet.signTypedData(domain, types, message));
  const enabled = await sender.must(
    sender.post<DelegationChange>("/1ct/enable", { signature, nonce, deadline }),
  );
  expect(enabled.status).toBe("enable");
}
