import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Interface, JsonRpcProvider, NonceManager, parseUnits, Wallet } from "ethers";
import { present, until } from "../support/assert/until.ts";
import type {
  Balance,
  Calldata,
  CashCalldata,
  Mapping,
  OperationDetail,
  OperationList,
  Order,
} from "../support/http/answers.ts";
import { createControl } from "../support/http/control.ts";
import { createPartner } from "../support/http/partner.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";
import { submitCall } from "../support/sender/submit.ts";

/**
 * Cash and stock in both directions, combined calls and cancels, by a partner who submits
 * (docs/api.md#cash-and-stock-movement). What the API built is decoded by ethers against docs/contracts.md#stockrouter,
 * not by the ABIs of the server.
 */
const router = new Interface([
  "function deposit(address token, uint96 amount)",
  "function withdraw(address token, uint96 amountWad)",
  "function depositStock(address stockToken, uint256 amount)",
  "function withdrawStock(address stockToken, uint256 amount)",
  "function depositAndMarketBuy(address depositToken, uint96 depositAmount, address stockToken, int96 usdAmount, uint32 deadline)",
  "function depositAndLimitBuy(address depositToken, uint96 depositAmount, address stockToken, int96 quantity, uint96 price, uint8 tif, uint32 deadline)",
  "function depositStockAndMarketSell(address stockToken, uint256 depositAmount, int96 quantity, uint32 deadline)",
  "function depositStockAndLimitSell(address stockToken, uint256 depositAmount, int96 quantity, uint96 price, uint8 tif, uint32 deadline)",
  "function cancelLimitOrder(bytes32 orderId)",
]);

const state = readSandboxState();
const chain = present(state.chains[1], "a second chain");
const key = present(
  state.keys.find((k) => k.chainId === chain.chainId && k.access === "WRITABLE"),
  "a WRITABLE key of the second chain",
);
const partner = createPartner(state.baseUrl, key);
const user = present(state.users[2], "a third user");
const provider = new JsonRpcProvider(chain.rpcUrl, chain.chainId, {
  staticNetwork: true,
  pollingInterval: 50,
});
const wallet = new NonceManager(new Wallet(user.privateKey, provider));
const cash = present(
  chain.cashTokens.find(({ decimals }) => decimals === 6),
  "a cash token of 6 decimals",
);
const stock = present(chain.stockTokens[1], "a second stock token");
const wad = (value: string) => parseUnits(value, 18);
const soon = () => Math.floor(Date.now() / 1000) + 3600;

afterAll(() => provider.destroy());

const submit = (call: Calldata) => submitCall(wallet, call);

/** Decodes a call with ethers: the function's name, and its arguments as bigints and lower-case text. */
function decode({ callData }: Calldata) {
  const parsed = present(router.parseTransaction({ data: callData }), "a call of the router");
  const args = parsed.args.map((arg: unknown) => (typeof arg === "string" ? arg.toLowerCase() : arg));
  return { name: parsed.name, args };
}

const balance = () => partner.must(partner.get<Balance>(`/users/${user.address}/balance`));
const tokenOf = (shown: Balance, address: string) =>
  present(
    shown.tokenBalances.find((token) => token.address.toLowerCase() === address.toLowerCase()),
    `the balance of ${address}`,
  );

const completed = (path: string, txHash: string) =>
  until(`${path} of ${txHash} completed`, async () => {
    const { rows } = await partner.must(partner.get<OperationList>(path, { txHash }));
    return rows.find((row) => row.operationStatus === "completed");
  });

const orderWhen = (txHash: string, what: string, holds: (order: Order) => boolean) =>
  until(`order of ${txHash} ${what}`, async () => {
    const order = await partner.must(partner.get<Order>(`/orders/tx/${txHash}`));
    return holds(order) ? order : undefined;
  });

const control = createControl(state.controlUrl);

beforeAll(() => control.quiet(partner));

it("withdraws cash: what was forecast arrives in the wallet", async () => {
  const before = await balance();
  const call = await partner.must(
    partner.post<CashCalldata>("/cash/withdrawals/calldata", {
      userAddress: user.address,
      tokenAddress: cash.address,
      tokenAmount: "12.34",
    }),
  );
  expect(decode(call)).toEqual({ name: "withdraw", args: [cash.address.toLowerCase(), wad("12.34")] });
  expect(call).toMatchObject({ preflight: { ok: true }, forecast: { isInstant: true } });
  const txHash = await submit(call);
  const mapping = await partner.must(partner.post<Mapping>("/cash/withdrawals/tx", { txHash }));
  expect(mapping).toMatchObject({ operationType: "withdraw", txHash });
  const row = await completed("/cash/withdrawals", txHash);
  const detail = await partner.must(partner.get<OperationDetail>(`/cash/withdrawals/${row.operationId}`));
  expect(detail).toMatchObject({
    depositOperation: null,
    withdrawalOperation: { amount: "12.34", creditAmount: call.forecast.creditAmount, isInstant: true },
  });
  const after = await balance();
  expect(wad(before.mUsdBalance) - wad(after.mUsdBalance)).toBe(wad("12.34"));
  const gained =
    parseUnits(tokenOf(after, cash.address).walletBalance, 6) -
    parseUnits(tokenOf(before, cash.address).walletBalance, 6);
  expect(gained).toBe(parseUnits(call.forecast.creditAmount, 6));
});

it("refuses a withdrawal that the token cannot represent", async () => {
  const answer = await partner.post("/cash/withdrawals/calldata", {
    userAddress: user.address,
    tokenAddress: cash.address,
    tokenAmount: "12.3456789",
  });
  expect(answer.body).toMatchObject({ code: 10000, errCode: "TOO_MANY_DECIMALS", param: "tokenAmount" });
});

describe.each([
  ["deposits", "depositStock", "stock-deposit", "depositOperation", 1n],
  ["withdrawals", "withdrawStock", "stock-withdraw", "withdrawalOperation", -1n],
] as const)("stock %s", (kind, method, operationType, shownAs, sign) => {
  it("moves stock between wallet and exchange", async () => {
    const before = tokenOf(await balance(), stock.address);
    const call = await partner.must(
      partner.post<Calldata>(`/stock/${kind}/calldata`, {
        userAddress: user.address,
        tokenAddress: stock.address,
        tokenAmount: "1.5",
      }),
    );
    expect(decode(call)).toEqual({ name: method, args: [stock.address.toLowerCase(), wad("1.5")] });
    expect(call.preflight).toMatchObject({ ok: true });
    const txHash = await submit(call);
    const mapping = await partner.must(partner.post<Mapping>(`/stock/${kind}/tx`, { txHash }));
    expect(mapping).toMatchObject({ operationType, txHash });
    const row = await completed(`/stock/${kind}`, txHash);
    const detail = await partner.must(partner.get<OperationDetail>(`/stock/${kind}/${row.operationId}`));
    expect(detail[shownAs]).toMatchObject({ amount: "1.5", creditAmount: "1.5", feeAmount: "0" });
    const after = tokenOf(await balance(), stock.address);
    expect(wad(after.exchangeBalance ?? "") - wad(before.exchangeBalance ?? "")).toBe(sign * wad("1.5"));
    expect(wad(after.walletBalance) - wad(before.walletBalance)).toBe(-sign * wad("1.5"));
  });

  it("names a token that is no stock", async () => {
    const answer = await partner.post(`/stock/${kind}/calldata`, {
      userAddress: user.address,
      tokenAddress: cash.address,
      tokenAmount: "1",
    });
    expect(answer.body).toMatchObject({ errCode: "TOKEN_NOT_SUPPORTED", param: "tokenAddress" });
  });

  it("is not found under an id that nobody made", async () => {
    const answer = await partner.get(`/stock/${kind}/0x${"ab".repeat(32)}`);
    expect(answer.body).toMatchObject({ code: 10001, errCode: "OPERATION_NOT_FOUND" });
  });
});

describe("orders with a deposit", () => {
  const order = { stockAddress: stock.address, userAddress: user.address };
  const cashIn = { tokenAddress: cash.address, tokenAmount: "500" };
  const lower = { stock: stock.address.toLowerCase(), cash: cash.address.toLowerCase() };

  it.each([
    [
      "market buy",
      { side: "Buy", type: "Market", notional: "400", ...cashIn },
      "depositAndMarketBuy",
      [lower.cash, parseUnits("500", 6), lower.stock, wad("400")],
    ],
    [
      "limit buy",
      {
        side: "Buy",
        type: "Limit",
        quantity: "1",
        price: "2",
        timeInForce: "DAY",
        ...cashIn,
        tokenAmount: "5",
      },
      "depositAndLimitBuy",
      [lower.cash, parseUnits("5", 6), lower.stock, wad("1"), wad("2"), 0n],
    ],
    [
      "market sell",
      { side: "Sell", type: "Market", quantity: "2" },
      "depositStockAndMarketSell",
      [lower.stock, wad("2"), -wad("2")],
    ],
    [
      "limit sell",
      { side: "Sell", type: "Limit", quantity: "2", price: "100000", timeInForce: "DAY", tokenAmount: "3" },
      "depositStockAndLimitSell",
      [lower.stock, wad("3"), -wad("2"), wad("100000"), 0n],
    ],
  ])(
    "%s is one call, one mapping with both ids, and the deposit is listed",
    async (_what, terms, name, args) => {
      const deadline = soon();
      const call = await partner.must(
        partner.post<Calldata>("/orders/with-deposit/calldata", { ...order, ...terms, deadline }),
      );
      expect(decode(call)).toEqual({ name, args: [...args, BigInt(deadline)] });
      const { accepted, locked } = present(call.preflight, "a preflight");
      expect({ accepted, locked }).toMatchObject({ accepted: true, locked: { amount: expect.any(String) } });
      const previewed = await partner.must(
        partner.post<NonNullable<Calldata["preflight"]>>("/orders/preview", { ...order, ...terms, deadline }),
      );
      expect(previewed).toMatchObject({ accepted, locked });
      const txHash = await submit(call);
      await partner.must(partner.post<Mapping>("/orders/tx", { txHash }));
      const placed = await orderWhen(txHash, "indexed", ({ orderId }) => orderId !== null);
      expect(placed.mapping).toMatchObject({ operationType: "trade", orderId: placed.orderId });
      const list = name.startsWith("depositStock") ? "/stock/deposits" : "/cash/deposits";
      const deposit = await completed(list, txHash);
      expect(deposit.operationId).toBe(placed.mapping.operationId);
    },
  );

  it("refuses a deposit that would not be instant", async () => {
    await control.post("/buffers", { chainId: chain.chainId, creditBuffer: "0" });
    try {
      const refused = await until("the empty buffer is indexed", async () => {
        const answer = await partner.post("/orders/with-deposit/calldata", {
          ...order,
          ...cashIn,
          side: "Buy",
          type: "Market",
          notional: "400",
          deadline: soon(),
        });
        return answer.body.code === 200 ? undefined : answer;
      });
      expect(refused.body).toMatchObject({ code: 10002, errCode: "DEPOSIT_NOT_INSTANT" });
    } finally {
      await control.post("/buffers", { chainId: chain.chainId, creditBuffer: "50000000" });
    }
  });
});

describe("cancels", () => {
  async function rest(): Promise<Order> {
    const call = await partner.must(
      partner.post<Calldata>("/orders/calldata", {
        stockAddress: stock.address,
        side: "Buy",
        type: "Limit",
        quantity: "3",
        price: "1",
        timeInForce: "DAY",
        deadline: soon(),
      }),
    );
    const txHash = await submit(call);
    await partner.must(partner.post<Mapping>("/orders/tx", { txHash }));
    return orderWhen(txHash, "resting", ({ status }) => status === "New");
  }

  it("ends a resting limit order, once", async () => {
    const order = await rest();
    const call = await partner.must(partner.delete<Calldata>(`/orders/${order.orderId}/calldata`));
    expect(decode(call)).toEqual({ name: "cancelLimitOrder", args: [order.orderId] });
    await submit(call);
    await orderWhen(
      present(order.mapping.txHash, "its transaction"),
      "Canceled",
      ({ status }) => status === "Canceled",
    );
    const again = await partner.delete(`/orders/${order.orderId}/calldata`);
    expect(again.body).toMatchObject({ code: 10002, errCode: "ORDER_NOT_CANCELABLE" });
  });

  it("does not know an order that nobody placed", async () => {
    const answer = await partner.delete(`/orders/0x${"cd".repeat(32)}/calldata`);
    expect(answer.body).toMatchObject({ code: 10001, errCode: "ORDER_NOT_FOUND" });
  });

  it("refuses a market order", async () => {
    const call = await partner.must(
      partner.post<Calldata>("/orders/calldata", {
        stockAddress: stock.address,
        side: "Buy",
        type: "Market",
        notional: "10",
        deadline: soon(),
      }),
    );
    const txHash = await submit(call);
    await partner.must(partner.post<Mapping>("/orders/tx", { txHash }));
    const { orderId } = await orderWhen(txHash, "indexed", (order) => order.orderId !== null);
    const answer = await partner.delete(`/orders/${orderId}/calldata`);
    expect(answer.body).toMatchObject({ code: 10002, errCode: "MARKET_ORDER_NOT_CANCELABLE" });
  });
});
