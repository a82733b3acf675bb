import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Interface, JsonRpcProvider, NonceManager, Wallet } from "ethers";
import { present, until } from "../support/assert/until.ts";
import type { Balance, Calldata, Mapped, Mapping, Order } from "../support/http/answers.ts";
import { createPartner, type Partner } from "../support/http/partner.ts";
import { makeSandboxKey } from "../support/sandbox/sandbox-keys.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";
import { submitCall } from "../support/sender/submit.ts";

/**
 * A partner whose users submit from their own wallets and who never records anything: every transaction finds its key by
 * the suffix of its calldata (docs/api.md#attribution).
 */

const state = readSandboxState();
const chain = present(state.chains[1], "a second chain");
const provider = new JsonRpcProvider(chain.rpcUrl, chain.chainId, {
  staticNetwork: true,
  pollingInterval: 50,
});
const [bob, ann] = [2, 3].map((index) => {
  const { address, privateKey } = present(state.users[index], "a user");
  return { address, wallet: new NonceManager(new Wallet(privateKey, provider)) };
}) as [User, User];
interface User {
  address: string;
  wallet: NonceManager;
}
const stock = present(chain.stockTokens[2], "a stock token");
const cash = present(chain.cashTokens[0], "a cash token");
const soon = () => Math.floor(Date.now() / 1000) + 3600;
const order = (more: Record<string, unknown> = {}) => ({
  stockAddress: stock.address,
  side: "Buy",
  type: "Market",
  notional: "10",
  deadline: soon(),
  ...more,
});
const limit = { type: "Limit", notional: undefined, quantity: "5", price: "1", timeInForce: "DAY" };

let partner: Partner;
let other: Partner;
beforeAll(async () => {
  [partner, other] = (await Promise.all(
    [1, 2].map(async () => createPartner(state.baseUrl, await makeSandboxKey(chain))),
  )) as [Partner, Partner];
});
afterAll(() => provider.destroy());

const submit = (by: User, call: { toAddress: string; callData: string }) => submitCall(by.wallet, call);

const build = (path: string, body: Record<string, unknown>) =>
  partner.must(partner.post<Calldata>(path, body));

/** Waits for the only row of a list that belongs to the transaction. */
const listed = (of: Partner, path: string, txHash: string) =>
  until(`${txHash} in ${path}`, async () => {
    const { rows } = await of.must(of.get<{ rows: Mapped[] }>(path, { txHash }));
    return rows[0]?.mapping.mappingStatus === "indexed" ? rows[0] : undefined;
  });

/** Waits until every block up to now is indexed, and the suffixes of its transactions are checked. */
async function settled(): Promise<void> {
  const marker = await submit(ann, await build("/orders/calldata", order({ userAddress: ann.address })));
  await listed(partner, "/orders", marker);
}

const withUser = { userAddress: ann.address };
const movement = (tokenAddress: string, tokenAmount: string) => ({ ...withUser, tokenAddress, tokenAmount });

describe("what a wallet submits appears under the key, without being recorded", () => {
  it.each<[string, string, Record<string, unknown>, string, string]>([
    ["a market order", "/orders/calldata", order(withUser), "/orders", "trade"],
    ["an order for nobody in particular", "/orders/calldata", order(), "/orders", "trade"],
    ["a limit order", "/orders/calldata", order({ ...limit, ...withUser }), "/orders", "trade"],
    [
      "an order with its deposit",
      "/orders/with-deposit/calldata",
      order({ ...movement(cash.address, "50") }),
      "/orders",
      "trade",
    ],
    ["a cash deposit", "/cash/deposits/calldata", movement(cash.address, "25"), "/cash/deposits", "deposit"],
    [
      "a cash withdrawal",
      "/cash/withdrawals/calldata",
      movement(cash.address, "5"),
      "/cash/withdrawals",
      "withdraw",
    ],
    [
      "a stock deposit",
      "/stock/deposits/calldata",
      movement(stock.address, "1.5"),
      "/stock/deposits",
      "stock-deposit",
    ],
    [
      "a stock withdrawal",
      "/stock/withdrawals/calldata",
      movement(stock.address, "0.5"),
      "/stock/withdrawals",
      "stock-withdraw",
    ],
  ])("%s", async (_what, path, body, list, operationType) => {
    const txHash = await submit(ann, await build(path, body));
    const { mapping } = await listed(partner, list, txHash);
    expect(mapping).toMatchObject({ source: "attributed", operationType, txHash });
    const detail = await partner.must(
      partner.get<Mapped>(`${list}/${mapping.orderId ?? mapping.operationId}`),
    );
    expect(detail.mapping).toEqual(mapping);
    if (list === "/orders") {
      expect((await partner.must(partner.get<Mapped>(`/orders/tx/${txHash}`))).mapping).toEqual(mapping);
    }
    const recorded = await other.post(`${list}/tx`, { txHash });
    expect(recorded.body).toMatchObject({ code: 10002, errCode: "TX_OWNED_BY_ANOTHER_KEY" });
    const again = await partner.must(partner.post<Mapping>(`${list}/tx`, { txHash }));
    expect(again).toEqual(mapping);
  });

  it("a cancel ends the order, and carries a suffix that maps nothing", async () => {
    const placed = await submit(ann, await build("/orders/calldata", order({ ...limit, ...withUser })));
    const { mapping } = await listed(partner, "/orders", placed);
    const cancel = await partner.must(partner.delete<Calldata>(`/orders/${mapping.orderId}/calldata`));
    expect(cancel.callData).toMatch(/80218021802180218021802180218021$/);
    const txHash = await submit(ann, cancel);
    await until("the order is canceled", async () => {
      const { status } = await partner.must(partner.get<Order>(`/orders/${mapping.orderId}`));
      return status === "Canceled" || undefined;
    });
    expect((await partner.get(`/orders/tx/${txHash}`)).body.errCode).toBe("TRANSACTION_NOT_FOUND");
  });

  it("the deposit that a preflight advises", async () => {
    const { mUsdBalance } = await partner.must(partner.get<Balance>(`/users/${ann.address}/balance`));
    const quantity = `${Math.floor(Number(mUsdBalance)) + 100}`;
    const { preflight } = await build("/orders/calldata", order({ ...withUser, ...limit, quantity }));
    const fixes = (preflight?.checks ?? []).flatMap(({ check, fix }) => (fix ? [{ check, fix }] : []));
    const hashes = [];
    for (const { fix } of fixes) hashes.push(await submit(ann, fix));
    expect(fixes.at(-1)?.check).toBe("mUsdBalance");
    const { mapping } = await listed(partner, "/cash/deposits", present(hashes.at(-1), "a deposit"));
    expect(mapping.source).toBe("attributed");
  });
});

describe("the calldata", () => {
  it("is one that ethers reads, and says what method and args say", async () => {
    const call = await build("/orders/calldata", order(withUser));
    const router = new Interface([
      "function placeMarketOrder(address stockToken, int96 amount, uint32 deadline)",
    ]);
    const read = present(router.parseTransaction({ data: call.callData }), "a call");
    expect(read.name).toBe(call.method);
    expect(read.args.map(String)).toEqual([call.args.stockToken, call.args.amount, call.args.deadline]);
  });

  it("has a suffix that can be cut off by its own length, as README tells; then /tx is needed", async () => {
    const { toAddress, callData } = await build("/orders/calldata", order(withUser));
    const cbor = Number.parseInt(callData.slice(-38, -34), 16);
    const bare = callData.slice(0, -2 * (cbor + 2 + 1 + 16));
    expect((bare.length - 2) / 2).toBe(4 + 3 * 32);
    const txHash = await submit(ann, { toAddress, callData: bare });
    await settled();
    expect((await partner.get(`/orders/tx/${txHash}`)).body.errCode).toBe("TRANSACTION_NOT_FOUND");
    await partner.must(partner.post("/orders/tx", { txHash }));
    expect((await listed(partner, "/orders", txHash)).mapping.source).toBe("recorded");
  });
});

describe("a copied suffix gains nothing", () => {
  it("for another user, where the calldata names one; his own record holds", async () => {
    const call = await build("/orders/calldata", order(withUser));
    const copy = await submit(bob, call);
    const own = await submit(ann, call);
    await listed(partner, "/orders", own);
    expect((await partner.get(`/orders/tx/${copy}`)).body.errCode).toBe("TRANSACTION_NOT_FOUND");
    await other.must(other.post("/orders/tx", { txHash: copy }));
    expect((await listed(other, "/orders", copy)).mapping.source).toBe("recorded");
  });

  it("for anybody after the first, where it names nobody", async () => {
    const call = await build("/orders/calldata", order());
    const own = await submit(ann, call);
    const copy = await submit(bob, call);
    await listed(partner, "/orders", own);
    await settled();
    expect((await partner.get(`/orders/tx/${copy}`)).body.errCode).toBe("TRANSACTION_NOT_FOUND");
  });

  it("behind another call", async () => {
    const [small, large] = [
      await build("/orders/calldata", order(withUser)),
      await build("/orders/calldata", order({ ...withUser, notional: "11" })),
    ];
    const length = 2 + 2 * (4 + 3 * 32);
    const forged = large.callData.slice(0, length) + small.callData.slice(length);
    const txHash = await submit(ann, { toAddress: small.toAddress, callData: forged });
    await settled();
    expect((await partner.get(`/orders/tx/${txHash}`)).body.errCode).toBe("TRANSACTION_NOT_FOUND");
  });
});
