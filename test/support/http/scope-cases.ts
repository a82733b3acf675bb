import { randomBytes, randomUUID } from "node:crypto";
import { ENDPOINTS } from "../../../src/api/endpoints.ts";
import type { Endpoint } from "../../../src/context/endpoint.ts";
import type { ErrCode } from "../../../src/protocol/errors.ts";

/**
 * Expected answers of every endpoint to a caller who names an order or operation of another key, chain or product. One entry
 * per endpoint of src/api/endpoints.ts; the tests fail where one is missing. Where the path names an order, an
 * operation or a transaction, the entry follows from the endpoint's descriptor.
 */
export type MovementKind = "cash/deposits" | "cash/withdrawals" | "stock/deposits" | "stock/withdrawals";

/** Objects of another key or scope. */
export interface Foreign {
  /** A limit order that rests, and its transaction. */
  orderId: string;
  orderTx: string;
  operations: Record<MovementKind, { operationId: string; txHash: string }>;
  user: string;
  tokens: { stock: string; cash: string };
  webhookId: string;
  /** True where the asking scope lists the tokens too, under the same addresses. */
  tokensListed: boolean;
}

/** The caller: another key of the same scope, or a key of another product or chain. */
export type Asker = "another key" | "another product" | "another chain";

export interface Attempt {
  path: string;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  /** The expected answer: an errCode with its param, or the shape of its data. */
  answer: { errCode: string; param?: string | null } | { data: unknown };
  /** Facts of the chain about a user, which everybody gets who may ask about the user. */
  shows?: string[];
}

type Entry = (foreign: Foreign, asker: Asker) => Attempt[];

const HOUR = 3600;
const DAY = 24 * HOUR;
const soon = () => Math.floor(Date.now() / 1000) + HOUR;
/** Returns attempts whose list is empty, whatever the query. */
const emptyList = (path: string, ...queries: Record<string, string>[]): Attempt[] =>
  [...queries, {}].map((query) => ({
    path,
    query,
    answer: { data: { total: 0, rows: [], nextCursor: null } },
  }));
/** Returns the entry of an endpoint whose request and answer name nothing of a key or scope: only leaks are checked. */
const plain =
  (path: string, more: Partial<Attempt> = {}): Entry =>
  () => [{ path, answer: { data: {} }, ...more }];

const order = (stockAddress: string) => ({
  stockAddress,
  side: "Buy",
  type: "Market",
  notional: "10",
  deadline: soon(),
});
/** Returns the answer to a token of the other scope: unknown, or, where both scopes list it, without the other's data. */
const tokenAnswer = ({ tokensListed }: Foreign, param: string): Attempt["answer"] =>
  tokensListed ? { data: {} } : { errCode: "TOKEN_NOT_SUPPORTED", param };
const marketData =
  (pathOf: (stock: string) => string, data: unknown = {}): Entry =>
  ({ tokens, tokensListed }) => [
    { path: pathOf(tokens.stock), answer: tokensListed ? { data } : { errCode: "SYMBOL_NOT_FOUND" } },
  ];

/**
 * Describes a record: a transaction of another key is refused, and so is one of another chain, which has it. One of another product, which
 * no node has, is a claim that nothing comes of.
 */
const record = (path: string, txHash: string, asker: Asker): Attempt => {
  const pending = { txHash, mappingStatus: "pending", orderId: null, operationId: null, userAddress: null };
  const answers = {
    "another key": { errCode: "TX_OWNED_BY_ANOTHER_KEY", param: "txHash" },
    "another chain": { errCode: "TRANSACTION_NOT_FOUND", param: "txHash" },
    "another product": { data: pending },
  };
  return { path, body: { txHash }, answer: answers[asker] };
};

function movement(kind: MovementKind): Record<string, Entry> {
  const token = kind.startsWith("cash") ? "cash" : "stock";
  const inputOf = ({ tokens, user }: Foreign) => ({
    userAddress: user,
    tokenAddress: tokens[token],
    tokenAmount: "1",
  });
  return {
    [`POST /${kind}/calldata`]: (foreign) => [
      {
        path: `/${kind}/calldata`,
        body: inputOf(foreign),
        answer: tokenAnswer(foreign, "tokenAddress"),
      },
    ],
    [`POST /${kind}/send`]: () => [
      {
        path: `/${kind}/send`,
        body: { tokenAddress: `0x${"00".repeat(20)}`, tokenAmount: "1" },
        answer: { errCode: "USER_NOT_BOUND" },
      },
    ],
    [`GET /${kind}`]: ({ operations, user }) =>
      emptyList(`/${kind}`, { txHash: operations[kind].txHash }, { userAddress: user }),
    [`POST /${kind}/tx`]: ({ operations }, asker) => [record(`/${kind}/tx`, operations[kind].txHash, asker)],
  };
}

/** Parameters of paths, with the value that exists elsewhere, and the expected answer. */
const NAMED: readonly [
  param: string,
  valueIn: (foreign: Foreign, path: string) => string,
  errCode: ErrCode,
][] = [
  [":orderId", ({ orderId }) => orderId, "ORDER_NOT_FOUND"],
  [":txHash", ({ orderTx }) => orderTx, "TRANSACTION_NOT_FOUND"],
  [":operationId", operationIdOf, "OPERATION_NOT_FOUND"],
  [":webhookId", ({ webhookId }) => webhookId, "WEBHOOK_NOT_FOUND"],
];

function operationIdOf({ operations }: Foreign, path: string): string {
  const [kind] = Object.keys(operations).filter((name) => path.startsWith(`/${name}/`));
  return operations[kind as MovementKind].operationId;
}

/** Returns the entry of an endpoint whose path may name an object of another key, which it refuses. */
function byId({ method, path, refusals }: Endpoint): [string, Entry][] {
  return NAMED.filter(([param, , errCode]) => path.includes(param) && refusals.includes(errCode)).map(
    ([param, valueIn, errCode]) => [
      `${method} ${path}`,
      (foreign) => [
        {
          path: path.replace(param, valueIn(foreign, path)).replace(":deliveryId", randomUUID()),
          answer: { errCode },
        },
      ],
    ],
  );
}

export const SCOPE_CASES: Record<string, Entry> = {
  ...Object.fromEntries(ENDPOINTS.flatMap(byId)),
  "GET /config": plain("/config"),
  "GET /symbols": plain("/symbols", { answer: { data: [] } }),
  "GET /prices": plain("/prices", { answer: { data: [] } }),
  "GET /prices/stream": plain("/prices/stream", { answer: { data: {} } }),
  "GET /prices/:symbol": marketData((stock) => `/prices/${stock}`),
  "GET /prices/:symbol/history": marketData((stock) => `/prices/${stock}/history`, []),
  "GET /underlying/:symbol/price": marketData((stock) => `/underlying/${stock}/price`),
  "GET /corporate-action": plain("/corporate-action", { answer: { data: [] } }),
  // The same for everybody.
  "GET /clock": plain("/clock"),
  "GET /calendar": plain("/calendar", { answer: { data: [] } }),
  "GET /users/:userId/balance": ({ user }) => [{ path: `/users/${user}/balance`, answer: { data: {} } }],
  "GET /users/:userId/positions": ({ user }) => [{ path: `/users/${user}/positions`, answer: { data: [] } }],
  "GET /users/:userId/activities": ({ user, orderTx, operations }, asker) => [
    {
      path: `/users/${user}/activities`,
      query: { limit: "100" },
      answer: { data: {} },
      ...(asker === "another key"
        ? { shows: [orderTx, ...Object.values(operations).map(({ txHash }) => txHash)] }
        : {}),
    },
  ],
  "GET /users/:userId/statement": ({ user, orderTx, operations }, asker) => [
    {
      path: `/users/${user}/statement`,
      query: { from: String(soon() - DAY), limit: "1000" },
      answer: { data: {} },
      ...(asker === "another key"
        ? { shows: [orderTx, ...Object.values(operations).map(({ txHash }) => txHash)] }
        : {}),
    },
  ],
  "POST /orders/calldata": (foreign) => [
    {
      path: "/orders/calldata",
      body: order(foreign.tokens.stock),
      answer: tokenAnswer(foreign, "stockAddress"),
    },
  ],
  "POST /orders/send": plain("/orders/send", {
    body: order(`0x${"00".repeat(20)}`),
    answer: { errCode: "USER_NOT_BOUND" },
  }),
  "POST /orders/with-deposit/calldata": (foreign) => [
    {
      path: "/orders/with-deposit/calldata",
      body: { ...order(foreign.tokens.stock), tokenAddress: foreign.tokens.cash, tokenAmount: "20" },
      answer: tokenAnswer(foreign, "stockAddress"),
    },
  ],
  "POST /orders/preview": (foreign) => [
    {
      path: "/orders/preview",
      body: { ...order(foreign.tokens.stock), userAddress: foreign.user },
      answer: tokenAnswer(foreign, "stockAddress"),
    },
  ],
  "POST /orders/with-deposit/send": plain("/orders/with-deposit/send", {
    body: order(`0x${"00".repeat(20)}`),
    answer: { errCode: "USER_NOT_BOUND" },
  }),
  "POST /orders/cancel-after": plain("/orders/cancel-after", {
    body: { seconds: 60 },
    answer: { errCode: "USER_NOT_BOUND" },
  }),
  "POST /orders/cancel/calldata": plain("/orders/cancel/calldata", {
    body: {},
    answer: { data: { rows: [], more: false } },
  }),
  "POST /orders/cancel/send": plain("/orders/cancel/send", {
    body: {},
    answer: { errCode: "USER_NOT_BOUND" },
  }),
  "GET /orders": ({ orderTx, user }) => emptyList("/orders", { txHash: orderTx }, { userAddress: user }),
  "GET /orders/client/:clientOrderId": plain("/orders/client/theirs", {
    answer: { errCode: "ORDER_NOT_FOUND" },
  }),
  ...movement("cash/deposits"),
  ...movement("cash/withdrawals"),
  ...movement("stock/deposits"),
  ...movement("stock/withdrawals"),
  // A key learns of itself.
  "GET /key": plain("/key", { answer: { data: {} } }),
  // Of the key's own chains.
  "GET /status": plain("/status", { answer: { data: {} } }),
  // It rotates no key: the others go on with theirs.
  "POST /key/rotate": plain("/key/rotate", {
    body: { overlapSeconds: 0 },
    answer: { errCode: "VALIDATION_FAILED", param: "overlapSeconds" },
  }),
  "GET /events": plain("/events"),
  "GET /sends": plain("/sends", { answer: { data: { rows: [], nextCursor: null } } }),
  "GET /sends/:requestId": plain(`/sends/${randomUUID()}`, { answer: { errCode: "SEND_NOT_FOUND" } }),
  // Streams begin at the end of the asker's own log.
  "GET /events/stream": plain("/events/stream", { answer: { data: {} } }),
  "GET /webhooks": plain("/webhooks", { answer: { data: { rows: [] } } }),
  // No webhook is made, which the others would find.
  "POST /webhooks": plain("/webhooks", {
    body: { url: "https://10.0.0.1/" },
    answer: { errCode: "WEBHOOK_TARGET_REFUSED", param: "url" },
  }),
  // Delegation is the bound user's; a key that is bound to no user gets no user's.
  "GET /1ct/status": plain("/1ct/status", { answer: { errCode: "USER_NOT_BOUND" } }),
  "POST /1ct/prepare": ({ user }) => [
    {
      path: "/1ct/prepare",
      body: { userAddress: user, deadline: soon() },
      answer: { errCode: "USER_NOT_BOUND" },
    },
  ],
  "POST /1ct/enable": plain("/1ct/enable", {
    body: { signature: `0x${randomBytes(65).toString("hex")}`, deadline: soon(), nonce: 0 },
    answer: { errCode: "USER_NOT_BOUND" },
  }),
  "POST /1ct/disable": plain("/1ct/disable", { body: {}, answer: { errCode: "USER_NOT_BOUND" } }),
  // Last: what it claims would be found by the others.
  "POST /orders/tx": ({ orderTx }, asker) => [record("/orders/tx", orderTx, asker)],
};

/** Returns all texts that an answer must not contain, except those that the request itself named. */
export function secretsOf({ orderId, orderTx, operations, webhookId }: Foreign): string[] {
  const made = Object.values(operations).flatMap(({ operationId, txHash }) => [operationId, txHash]);
  return [orderId, orderTx, webhookId, ...made].map((fact) => fact.toLowerCase());
}
