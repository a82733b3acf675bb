import type { ListedSymbol } from "../../support/http/answers.ts";
import { AMOUNT, type Cases, LIST, listOf, NUMBER, ok, refused, some, told, UNAUTHORIZED } from "./case.ts";
import * as g from "./context.ts";

const get = (path: string, query?: Record<string, string>) => () => told(g.reader.get(path, query));
const symbolOfStock = async () => {
  const symbols = await g.data(g.reader.get<ListedSymbol[]>("/symbols"));
  return symbols.find(({ contractAddress }) => contractAddress === g.stock.address)?.symbol ?? "";
};

/** test/vectors/spec.md, 4 and 4.1: market and portfolio. */
export const market: Cases = {
  "4 text 1": [
    {
      condition: "a request under /api/v1 with the headers of section 5, and one without",
      request: async () => [
        await told(g.reader.get("/config")),
        await told(g.reader.get("/config", {}, { headers: { "x-api-sign": undefined } })),
      ],
      outcome: [{ code: 200, errMsg: "", uuid: some(/^[0-9a-f-]{36}$/), t: NUMBER }, UNAUTHORIZED],
    },
    {
      condition: "a path that section 4 does not name",
      request: get("/order"),
      outcome: { status: 404, code: 404, errCode: "ROUTE_NOT_FOUND" },
    },
  ],
  "4.1 GET /config": [
    {
      condition: "the key's chain and product",
      request: get("/config"),
      outcome: ok({
        chainId: g.chain.chainId,
        productType: g.chain.productType,
        cashierBuffer: { creditBuffer: AMOUNT },
        exchangeFeeConfig: { chainId: g.chain.chainId, buyFeeBps: 10 },
        cashierTokenConfig: listOf({ tokenAddress: g.cash.address, minAmount: AMOUNT }),
      }),
    },
  ],
  "4.1 GET /symbols": [
    {
      condition: "stock tokens are listed",
      request: get("/symbols"),
      outcome: ok(listOf({ contractAddress: g.stock.address, tradable: true })),
    },
    {
      condition: "all that are listed, and a word that is none",
      request: async () => [
        await told(g.reader.get("/symbols", { tradable: "all" })),
        await told(g.reader.get("/symbols", { tradable: "false" })),
      ],
      outcome: [
        ok(listOf({ contractAddress: g.stock.address })),
        refused(10000, "VALIDATION_FAILED", { param: "tradable" }),
      ],
    },
  ],
  "4.1 GET /prices/{symbol}": [
    {
      condition: "a listed stock",
      request: async () => told(g.reader.get(`/prices/${await symbolOfStock()}`)),
      outcome: ok({
        basicInfo: { price: AMOUNT },
        onChain: { contractAddress: g.stock.address, price: AMOUNT, bid: AMOUNT, ask: AMOUNT },
      }),
    },
    {
      condition: "its token's address in upper case",
      request: get(`/prices/${g.stock.address.toUpperCase()}`),
      outcome: ok({ onChain: { contractAddress: g.stock.address } }),
    },
  ],
  "4.1 GET /prices/{symbol}/history": [
    {
      condition: "nothing sent beside the symbol",
      request: async () => told(g.reader.get(`/prices/${await symbolOfStock()}/history`)),
      outcome: ok(listOf({ open: AMOUNT, high: AMOUNT, low: AMOUNT, close: AMOUNT })),
    },
  ],
  "4.1 GET /underlying/{symbol}/price": [
    {
      condition: "a listed stock",
      request: async () => told(g.reader.get(`/underlying/${await symbolOfStock()}/price`)),
      outcome: ok({ price: AMOUNT, session: some(/./) }),
    },
  ],
  "4.1 GET /corporate-action": [
    { condition: "nothing sent", request: get("/corporate-action"), outcome: ok(LIST) },
    {
      condition: "a time without any action",
      request: get("/corporate-action", { from: "1990-01-01", to: "1990-01-02" }),
      outcome: ok([]),
    },
  ],
  "4.1 GET /users/{userId}/balance": [
    {
      condition: "without spenderAddress, the wallet in upper case",
      request: get(`/users/${g.user.address.toUpperCase()}/balance`),
      outcome: ok({
        mUsdBalance: AMOUNT,
        tokenBalances: listOf({ address: g.cash.address, walletBalance: AMOUNT, walletAllowance: null }),
      }),
    },
    {
      condition: "with spenderAddress",
      request: get(`/users/${g.user.address}/balance`, { spenderAddress: g.chain.contracts.stockRouter }),
      outcome: ok({ tokenBalances: listOf({ address: g.cash.address, walletAllowance: AMOUNT }) }),
    },
  ],
  "4.1 GET /users/{userId}/positions": [
    {
      condition: "a user who holds stock",
      request: get(`/users/${g.user.address}/positions`),
      outcome: ok(listOf({ stockAddress: g.stock.address, quantity: AMOUNT })),
    },
  ],
};
