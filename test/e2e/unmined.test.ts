import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, it } from "@jest/globals";
import { formatUnits, JsonRpcProvider, parseUnits, Wallet } from "ethers";
import { canary } from "../support/assert/logs.ts";
import { present, until } from "../support/assert/until.ts";
import type {
  Balance,
  Calldata,
  Delegation,
  DelegationChange,
  DelegationPayload,
  OperationList,
  Order,
  OrderList,
  Send,
} from "../support/http/answers.ts";
import { createControl } from "../support/http/control.ts";
import { createPartner } from "../support/http/partner.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";

/**
 * States before a transaction is mined: the test switches the chain's mining off (docs/SANDBOX.md, "The control"), so that
 * everything a partner can have in flight waits; then it mines.
 */
const state = readSandboxState();
const key = present(
  state.keys.find(({ access, userAddress }) => access === "WRITABLE" && userAddress),
  "a bound key",
);
const partner = createPartner(state.baseUrl, key);
const control = createControl(state.controlUrl);
const user = present(
  state.users.find(({ address }) => address.toLowerCase() === key.userAddress?.toLowerCase()),
  "the bound user",
);
const { chainId } = key;
const chain = present(
  state.chains.find((one) => one.chainId === chainId),
  "its chain",
);
const provider = new JsonRpcProvider(chain.rpcUrl, chainId, { staticNetwork: true, cacheTimeout: -1 });
const wallet = new Wallet(user.privateKey, provider);
const stock = present(chain.stockTokens[0], "a stock token");
const cash = present(chain.cashTokens[0], "a cash token");
const inAnHour = () => Math.floor(Date.now() / 1000) + 3_600;
const mining = (on: boolean) => control.post("/mining", { chainId, on });

/** Returns an order that rests far below the price. */
const limit = (quantity: string) => ({
  stockAddress: stock.address,
  side: "Buy",
  type: "Limit",
  timeInForce: "DAY",
  quantity,
  price: "1",
  deadline: inAnHour(),
});

beforeAll(() => control.quiet(partner));
afterEach(() => mining(true));
afterAll(() => provider.destroy());

async function build(path: string, input: Record<string, unknown>): Promise<Calldata> {
  const call = await partner.must(
    partner.post<Calldata>(`${path}/calldata`, { ...input, userAddress: user.address }),
  );
  expect({ path, preflight: call.preflight }).toMatchObject({ path, preflight: { ok: true } });
  return call;
}

/** Submits without waiting for a block, and records it. */
async function submit({ toAddress: to, callData: data }: Calldata, recordPath: string): Promise<string> {
  const nonce = await provider.getTransactionCount(wallet.address, "pending");
  const sent = await wallet.sendTransaction({ to, data, nonce, gasLimit: 1_500_000n });
  await partner.must(partner.post(recordPath, { txHash: sent.hash }));
  return sent.hash;
}

const orderOf = (txHash: string) => partner.must(partner.get<Order>(`/orders/tx/${txHash}`));
const operationsOf = async (path: string, txHash: string) =>
  (await partner.must(partner.get<OperationList>(path, { txHash }))).rows;

const statusOf = async () => (await partner.must(partner.get<Delegation>("/1ct/status"))).status;

it("one click is pending, and enabled by the block", async () => {
  await partner.must(partner.post("/1ct/disable", {}));
  await control.quiet(partner);
  const payload = await partner.must(
    partner.post<DelegationPayload>("/1ct/prepare", { userAddress: user.address, deadline: inAnHour() }),
  );
  const { domain, types, message } = payload.signPayload;
  const signature = canary("user's signature", await wallet.signTypedData(domain, types, message));
  await mining(false);
  const { nonce, deadline } = payload;
  const enabled = partner.post<DelegationChange>("/1ct/enable", { signature, nonce, deadline });
  await until("one click pending", async () => (await statusOf()) === "pending" || undefined);
  await mining(true);
  expect(await partner.must(enabled)).toMatchObject({ status: "enable" });
  expect(await statusOf()).toBe("enable");
});

it("a request to send stays submitted, and is confirmed by the block", async () => {
  await mining(false);
  const headers = { "idempotency-key": randomUUID() };
  const body = limit("2");
  const send = () => partner.must(partner.post<Send>("/orders/send", body, { headers }));
  await until("submitted", async () => (await send()).status === "submitted" || undefined);
  const { rows } = await partner.must(partner.get<OrderList>("/orders", { limit: 1 }));
  expect(rows).toMatchObject([{ orderId: null, status: "Init" }]);
  expect(await send()).toMatchObject({ status: "submitted", final: false });
  await mining(true);
  const orderId = await until("confirmed", async () => {
    const { status, mapping } = await send();
    return status === "confirmed" ? (present(mapping, "a mapping").orderId ?? undefined) : undefined;
  });
  await control.post(`/orders/${orderId}/cancel`);
});

it("an order is Init and an operation pending, and what the block refuses is Failed", async () => {
  const { mUsdBalance } = await partner.must(partner.get<Balance>(`/users/${user.address}/balance`));
  // Each can be paid for, both cannot.
  const quantity = formatUnits((parseUnits(mUsdBalance, 18) * 6n) / 10n, 18);
  const calls = await Promise.all([1, 2].map(() => build("/orders", limit(quantity))));
  const deposit = await build("/cash/deposits", { tokenAddress: cash.address, tokenAmount: "1.5" });
  await mining(false);
  const kept = await submit(present(calls[0], "a call"), "/orders/tx");
  const failed = await submit(present(calls[1], "a call"), "/orders/tx");
  const moved = await submit(deposit, "/cash/deposits/tx");
  for (const txHash of [kept, failed]) {
    expect({ txHash, order: await orderOf(txHash) }).toMatchObject({
      txHash,
      order: { orderId: null, status: "Init" },
    });
  }
  expect(await operationsOf("/cash/deposits", moved)).toMatchObject([
    { operationStatus: "pending", mappingStatus: "pending" },
  ]);
  await mining(true);
  await control.finalize(chainId);
  const { orderId } = await until("the order", async () => {
    const order = await orderOf(kept);
    return order.status === "New" ? order : undefined;
  });
  await until("the failure", async () => (await orderOf(failed)).status === "Failed" || undefined);
  await until("the deposit", async () => {
    const [row] = await operationsOf("/cash/deposits", moved);
    return row?.operationStatus === "completed" || undefined;
  });
  await control.post(`/orders/${orderId}/cancel`);
});
