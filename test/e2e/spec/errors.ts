import { randomUUID } from "node:crypto";
import { parseUnits } from "ethers";
import type { Calldata } from "../../support/http/answers.ts";
import { AMOUNT, type Cases, HASH, linesOf, listOf, ok, refused, some, told, UNAUTHORIZED } from "./case.ts";
import * as g from "./context.ts";
import { disabledSend, lateSignature, unapprovedDeposit, unboundSend, wrongSigner } from "./one-click.ts";
import { orders } from "./orders.ts";

const rule = (number: number) => orders[`4.2 rule ${number}`] ?? [];
const config = (bend: object) => () => told(g.trader.get("/config", {}, bend));

/** Returns the preflight's finding for a user without assets, and the result of the call on the chain. */
async function foretold(path: string, input: Record<string, unknown>, from = g.pauper) {
  const call = await g.data(g.trader.post<Calldata>(path, { ...input, userAddress: from }));
  return { preflight: call.preflight, chain: await g.tried(call, from) };
}
const REVERTS = { preflight: { ok: false, revert: some(/./), gasEstimate: null }, chain: "reverted" };

/** Returns an order that the API did not encode, so nothing links it to a key. */
const bareOrder = () => ({
  toAddress: g.chain.contracts.stockRouter,
  callData: g.router.encodeFunctionData("placeMarketOrder", [
    g.stock.address,
    parseUnits("20", 18),
    g.soon(),
  ]),
});

/** test/vectors/spec.md, section 7: errors. */
export const errors: Cases = {
  "7 text 1": [
    ...(
      [
        ["an unknown key", { headers: { "x-api-key": "ak_unknown" } }],
        ["a wrong secret", { secret: "sk_wrong" }],
        ["a timestamp outside 45 seconds", { skewMs: -46_000 }],
        ["a wrong signed URI", { payload: (p: { method: string }) => `${p.method}\n/api/v1/symbols\n` }],
        ["a missing x-api-chain-id", { headers: { "x-api-chain-id": undefined } }],
        ["a chain out of scope", { headers: { "x-api-chain-id": String(g.otherChain.chainId) } }],
        ["a wrong x-api-p casing", { headers: { "x-api-p": g.chain.productType.toUpperCase() } }],
      ] as const
    ).map(([condition, bend]) => ({ condition, request: config(bend), outcome: UNAUTHORIZED })),
    {
      condition: "lines joined by backslash-n, and a query signed unsorted",
      request: async () => [
        await told(g.trader.get("/orders", {}, { payload: (parts) => linesOf(parts).join("\\n") })),
        await told(
          g.trader.get(
            "/orders",
            { limit: 1, page: 1 },
            {
              payload: (parts) => linesOf({ ...parts, uri: "/api/v1/orders?page=1&limit=1" }).join("\n"),
            },
          ),
        ),
      ],
      outcome: [UNAUTHORIZED, UNAUTHORIZED],
    },
    {
      condition: "a key without a whitelist, and one with the whitelist of others",
      request: () =>
        Promise.all(
          [[], ["203.0.113.7"]].map(async (ips) => told((await g.partnerWith({ ips })).get("/config"))),
        ),
      outcome: [UNAUTHORIZED, UNAUTHORIZED],
    },
    {
      condition: "a key that expires",
      request: async () => {
        const expiresAt = new Date(Date.now() + 1_000);
        const partner = await g.partnerWith({ ips: ["127.0.0.1", "::1"], expiresAt });
        return g.until("it is refused", async () => {
          const answer = await told(partner.get("/config"));
          return answer.code === 200 ? undefined : answer;
        });
      },
      outcome: UNAUTHORIZED,
    },
    {
      condition: "another body than was signed, and a READ_ONLY key that posts",
      request: async () => [
        await told(g.trader.post("/orders/calldata", g.marketBuy(), { sentBody: "{}" })),
        await told(g.reader.post("/orders/calldata", g.marketBuy())),
      ],
      outcome: [UNAUTHORIZED, UNAUTHORIZED],
    },
  ],
  "7 Missing notional (market buy), quantity (market sell), or price (limit)": [
    ...rule(1),
    ...rule(2),
    ...rule(3),
  ],
  "7 timeInForce other than DAY on a limit order": rule(3).filter(({ condition }) => condition === "GTC"),
  "7 Expired deadline": rule(4),
  "7 Cancel of a market order, or of an order of another API key": rule(8),
  "7 Wrong-wallet signature or expired deadline on one-click enable": [
    { condition: "a wrong wallet", request: wrongSigner, outcome: refused(10002, "SIGNER_MISMATCH") },
    { condition: "an expired deadline", request: lateSignature, outcome: refused(10000, "DEADLINE_EXPIRED") },
  ],
  "7 /send without enabled delegation or without bound userAddress": [
    { condition: "not enabled", request: disabledSend, outcome: refused(10002, "DELEGATION_NOT_ENABLED") },
    { condition: "not bound", request: unboundSend, outcome: refused(10002, "USER_NOT_BOUND") },
  ],
  "7 Deposit /send without token approval": [
    {
      condition: "no approval",
      request: unapprovedDeposit,
      outcome: refused(10002, "ALLOWANCE_INSUFFICIENT"),
    },
  ],
  "7 Deposit transaction without allowance, or with too low wallet balance": [
    {
      condition: "neither allowance nor balance",
      request: () => foretold("/cash/deposits/calldata", g.movement("5")),
      outcome: REVERTS,
    },
    {
      condition: "a balance that is too low",
      request: () => foretold("/cash/deposits/calldata", g.movement("900000000"), g.user.address),
      outcome: {
        ...REVERTS,
        preflight: { ok: false, checks: listOf({ check: "walletBalance", ok: false }) },
      },
    },
  ],
  "7 Plain buy with insufficient mUsdBalance": [
    { condition: "no mUSD", request: () => foretold("/orders/calldata", g.marketBuy()), outcome: REVERTS },
  ],
  "7 Plain sell with insufficient exchangeBalance, or with-deposit sell without stock allowance or balance": [
    {
      condition: "a plain sell",
      request: () => foretold("/orders/calldata", g.marketSell()),
      outcome: REVERTS,
    },
    {
      condition: "a with-deposit sell",
      request: () => foretold("/orders/with-deposit/calldata", g.marketSell()),
      outcome: REVERTS,
    },
  ],
  "7 Cancel of an order that is not open or is already canceling": [
    {
      condition: "a canceled order: its cancel call, built before, reverts",
      request: () =>
        g.manually(async () => {
          const { orderId } = await g.place(g.limitBuy());
          const call = await g.data(g.trader.delete<Calldata>(`/orders/${orderId}/calldata`));
          await g.submit(call);
          const canceling = await g.tried(call, g.user.address);
          await g.control(`/orders/${orderId}/cancel`);
          return { canceling, canceled: await g.tried(call, g.user.address) };
        }),
      outcome: { canceling: "reverted", canceled: "reverted" },
    },
  ],
  "7 Transaction sent on a chain different from x-api-chain-id": [
    {
      condition: "an order on the other chain, looked for with this chain's header",
      request: async () => {
        const order = { ...g.marketBuy(), stockAddress: g.otherChain.stockTokens[0]?.address };
        const call = await g.data(g.abroad.post<Calldata>("/orders/calldata", order));
        const txHash = await g.submit(call, g.walletAbroad);
        await g.data(g.abroad.post("/orders/tx", { txHash }));
        return told(g.trader.get(`/orders/tx/${txHash}`));
      },
      outcome: refused(10001, "TRANSACTION_NOT_FOUND"),
    },
  ],
  "7 Router call runs out of gas (gasUsed equals gasLimit)": [
    {
      condition: "two thirds of the gas that the preflight names, then one and a half times as much",
      request: async () => {
        const order = { ...g.marketBuy(), userAddress: g.user.address };
        const call = await g.data(g.trader.post<Calldata>("/orders/calldata", order));
        const estimate = BigInt(call.preflight?.gasEstimate ?? 0);
        const short = await g.submit(call, g.wallet, (estimate * 2n) / 3n);
        const ample = await g.submit(call, g.wallet, (estimate * 3n) / 2n);
        const receipts = await Promise.all(
          [short, ample].map((hash) => g.provider.getTransactionReceipt(hash)),
        );
        return {
          statuses: receipts.map((receipt) => receipt?.status),
          recorded: await told(g.trader.post("/orders/tx", { txHash: short })),
        };
      },
      outcome: { statuses: [0, 1], recorded: refused(10002, "TX_REVERTED") },
    },
  ],
  "7 Mined transaction with no order mapping": [
    {
      condition: "an order that no key has recorded, before and after it is",
      request: async () => {
        const txHash = await g.submit(bareOrder());
        const before = await told(g.trader.get(`/orders/tx/${txHash}`));
        const mapping = await told(g.trader.post("/orders/tx", { txHash }));
        const order = await g.orderWhen(txHash, "indexed", ({ orderId }) => orderId !== null);
        return { before, mapping, order };
      },
      outcome: {
        before: refused(10001, "TRANSACTION_NOT_FOUND"),
        mapping: ok({ orderId: HASH, source: "recorded" }),
        order: { mapping: { mappingStatus: "indexed" } },
      },
    },
  ],
  "7 text 2": [
    {
      condition: "a failure carries its code, a text, an errCode and whether it may be tried again",
      request: () => told(g.trader.get(`/orders/0x${"ab".repeat(32)}`)),
      outcome: refused(10001, "ORDER_NOT_FOUND", { errMsg: "No such order", param: null, retryable: false }),
    },
  ],
};

/** test/vectors/spec.md, section 8: limits. */
export const limits: Cases = {
  "8 Timestamp window": [
    { condition: "35 s old", request: config({ skewMs: -35_000 }), outcome: { code: 200 } },
    { condition: "46 s old", request: config({ skewMs: -46_000 }), outcome: UNAUTHORIZED },
    { condition: "55 s ahead", request: config({ skewMs: 55_000 }), outcome: UNAUTHORIZED },
  ],
  "8 Nonce": [
    {
      condition: "one nonce in two requests",
      request: async () => {
        const nonce = randomUUID();
        return [await config({ nonce })(), await config({ nonce })()];
      },
      outcome: [{ code: 200 }, UNAUTHORIZED],
    },
  ],
  "8 timeInForce for limit orders": [
    {
      condition: "DAY",
      request: () => told(g.trader.post("/orders/calldata", g.limitBuy())),
      outcome: { code: 200 },
    },
    ...rule(3).filter(({ condition }) => condition === "GTC"),
  ],
  "8 Cash operation speed": [
    {
      condition: "a buffer that holds the deposit, and one that does not",
      request: () =>
        g.manually(async () => {
          await g.creditBuffer("0");
          const slow = await g.move("/cash/deposits", g.movement("5"));
          await g.creditBuffer("1000000");
          const fast = await g.move("/cash/deposits", g.movement("5"));
          await g.control(`/operations/${slow.operationId}/settle`);
          await g.releaseBuffers();
          return [slow, fast];
        }),
      outcome: [
        { operationStatus: "processing", depositOperation: { isInstant: false } },
        { operationStatus: "completed", depositOperation: { isInstant: true } },
      ],
    },
  ],
  "8 Per-token cashier limits and fee rates": [
    {
      condition: "GET /config",
      request: config({}),
      outcome: ok({
        cashierTokenConfig: listOf({
          minAmount: AMOUNT,
          maxInstantDeposit: AMOUNT,
          maxInstantWithdrawal: AMOUNT,
        }),
      }),
    },
  ],
  "8 Rate limits and request size limits: not shown": [
    {
      condition: "a body of more than 64 KiB",
      request: () => told(g.trader.post("/orders/tx", { txHash: "x".repeat(70_000) })),
      outcome: { status: 413, code: 413, errCode: "BODY_TOO_LARGE" },
    },
  ],
};
