import type { KeyTermsFragment, OrdersQuery } from "../../src/dashboard/service/documents.ts";

/** Content of the tests' own service. Texts that a stranger may write are markup. */

/** A text that is an element wherever it is parsed as markup. */
export const MARKUP = '<img src=x onerror="alert(1)">';
export const USER = `0x${"ab".repeat(20)}`;
export const WALLET = `0x${"cd".repeat(20)}`;
export const ORDER_ID = `0x${"0a".repeat(32)}`;
export const NOW = Date.parse("2026-01-05T10:01:00Z") / 1_000;
/** Number of orders. */
export const ORDERS = 60;

type Args = Readonly<Record<string, unknown>>;
type OrderRow = OrdersQuery["dashboard"]["orders"]["edges"][number]["node"];

/** Returns a page of rows, as the service pages them. */
function connection(all: readonly unknown[], { first, after }: Args) {
  const from = after ? Number(String(after).replace("cursor-", "")) : 0;
  const nodes = all.slice(from, from + Number(first ?? 20));
  const end = from + nodes.length;
  return {
    totalCount: all.length,
    edges: nodes.map((node) => ({ node })),
    pageInfo: { hasNextPage: end < all.length, endCursor: nodes.length > 0 ? `cursor-${end}` : null },
  };
}

const SCOPE = { chainId: 31337, productType: "Spot" };

const key: KeyTermsFragment = {
  keyId: "id-of-acme",
  name: MARKUP,
  apiKey: "pk",
  access: "WRITABLE",
  status: "revoked",
  userAddress: USER,
  createdAt: NOW - 3_600,
  expiresAt: null,
  revokedAt: null,
  ips: [MARKUP],
  scopes: [SCOPE],
  policy: {
    dailyNotionalCap: "1000.5",
    allowedSymbols: [],
    allowedOperations: [],
    expiresAt: null,
    killed: true,
  },
};

const mapping = (index: number): OrderRow["order"]["mapping"] => ({
  mappingId: `mapping-${index}`,
  chainId: 31337,
  productType: "Spot",
  userAddress: USER,
  source: "recorded",
  createdAt: NOW - 60 * index,
});

const order = (index: number, status: string): OrderRow => ({
  order: {
    orderId: `0x${(10 + index).toString(16).padStart(2, "0").repeat(32)}`,
    txHash: `0x${"0b".repeat(32)}`,
    status,
    onChainStatus: "open",
    mapping: mapping(index),
    historyOrder: null,
    openOrder: {
      symbol: index === 0 ? MARKUP : "AAPL",
      side: "Buy",
      type: "Limit",
      quantity: "2.000000000000000001",
      notional: null,
      price: "180.5",
      filledQuantity: "0",
      averageFillPrice: null,
      userAddress: USER,
      updatedAt: NOW,
    },
  },
  key,
  sendRequest: null,
});

const operation = {
  kind: "deposit",
  operation: {
    operationId: `0x${"0c".repeat(32)}`,
    operationStatus: "completed",
    withdrawalOperation: null,
    mapping: mapping(0),
    depositOperation: {
      tokenSymbol: MARKUP,
      amount: "1.5",
      creditAmount: "1.4",
      feeAmount: "0.1",
      userAddress: USER,
      isInstant: true,
      settledAt: NOW,
      failReason: MARKUP,
    },
  },
  key,
  sendRequest: null,
};

const send = {
  requestId: "request-1",
  key,
  chainId: 31337,
  productType: "Spot",
  operation: "orders/send",
  userAddress: USER,
  wallet: WALLET,
  state: "failed",
  status: "failed",
  nonce: 3,
  errCode: "X",
  reason: MARKUP,
  acceptedAt: NOW - 90,
  attempts: [{ kind: "call" }],
};

const ledger = {
  chainId: 31337,
  productType: "Spot",
  userAddress: USER,
  mUsdBalance: "250.5",
  mUsdLocked: "0",
  keys: [key],
  stocks: [
    {
      symbol: MARKUP,
      stockAddress: WALLET,
      exchangeBalance: "1",
      exchangeLocked: "0",
      costBasis: "10",
      realizedPnl: "-1.25",
    },
  ],
};

const event = {
  chainId: 31337,
  productType: "Spot",
  key,
  event: {
    eventId: "event-1",
    sequence: 1,
    type: "order.filled",
    resource: "orders",
    createdAt: NOW,
    blockNumber: 7,
    txHash: null,
    retracts: null,
    data: { orderId: ORDER_ID },
  },
};

const refused = {
  uuid: "uuid-1",
  at: NOW - 30,
  key,
  chainId: 31337,
  productType: "Spot",
  method: "GET",
  route: "/orders/:orderId",
  status: 400,
  errCode: "ORDER_NOT_FOUND",
  field: "orderId",
  revert: null,
  durationMs: 3,
  requestId: null,
  txHash: null,
};

const written = {
  ...refused,
  uuid: "uuid-2",
  method: "POST",
  route: "/orders/send",
  status: 200,
  errCode: null,
  field: null,
  requestId: "request-1",
};

const webhook = {
  webhookId: "webhook-1",
  key,
  chainId: 31337,
  productType: "Spot",
  host: MARKUP,
  types: "order.*",
  state: "failing",
  disabledReason: null,
  disabledAt: null,
  failingSince: NOW - 600,
  createdAt: NOW - 3_600,
};

const delivery = {
  deliveryId: "delivery-1",
  webhook,
  eventId: "event-1",
  eventType: "order.filled",
  sequence: 1,
  eventAt: NOW - 60,
  state: "pending",
  attempts: 3,
  nextAttemptAt: NOW + 3_600,
  lastAttemptAt: NOW - 5,
  lastStatusCode: 503,
  lastError: MARKUP,
  lastDurationMs: 12,
  endedAt: null,
};

const QUEUE = {
  chainId: 31337,
  wallet: WALLET,
  state: "halted",
  stateReason: MARKUP,
  retired: false,
  undelegatedAt: null,
  oldestSeconds: 7_300,
  failures: { X: 2 },
  depth: { accepted: 2, signed: 0, broadcast: 1, mined: 0 },
  balanceWei: "1500000000000000001",
  nextNonce: 9,
  chainNonce: 7,
  observedAt: NOW,
  daysLeft: 1.5,
};

const chain = (chainId: number, indexed: object) => ({
  chainId,
  products: ["Spot", MARKUP],
  confirmations: 6,
  sendingHalted: chainId === 31338,
  sendingHaltReason: MARKUP,
  sendQueues: chainId === 31337 ? [QUEUE] : [],
  ...indexed,
});

/** State that tests change in place, as a service's answers change. */
export interface World {
  role: "operator" | "viewer";
  /** The status of the newest order. */
  newest: string;
}

/** Returns a series of an hour, a point a minute. */
const series = (point: (index: number) => object) => ({
  stepSeconds: 60,
  points: Array.from({ length: 60 }, (_, index) => ({ at: NOW - 3_600 + 60 * index, ...point(index) })),
});

const step = (kind: string, state: string, more: object = {}) => ({
  at: NOW - 30,
  kind,
  title: `${kind} ${MARKUP}`,
  state,
  blockNumber: 7,
  txHash: `0x${"0b".repeat(32)}`,
  explorerUrl: null,
  detail: [{ label: "Nonce", value: MARKUP }],
  ...more,
});

const hit = (kind: string, id: string) => ({
  kind,
  id,
  chainId: 31337,
  productType: "Spot",
  title: `${kind} ${MARKUP}`,
});

const timeline = ({ kind, id }: Args) => ({
  title: `Order ${MARKUP}`,
  kind,
  id,
  chainId: 31337,
  productType: "Spot",
  userAddress: USER,
  indexedBlock: 7,
  txHash: `0x${"0b".repeat(32)}`,
  next: "The broker fills it.",
  stalled: `Its wallet is halted ${MARKUP}`,
  steps: [
    step("accepted", "done", { at: NOW - 90, explorerUrl: "https://explorer.example/tx/1" }),
    step("placed", "done", { explorerUrl: "javascript:alert(1)" }),
    step("settled", "expected", { at: null, blockNumber: null, txHash: null }),
  ],
  related: [hit("send", "request-1")],
});

/** Returns an object, and null for the id that nothing has. */
const unless = <T>(id: unknown, object: T): T | null => (id === "nowhere" ? null : object);

/** Returns the fields of Dashboard, as resolvers without a parent. */
export const dashboardOf = (world: World): Readonly<Record<string, unknown>> => ({
  environment: () => ({ name: "staging", colour: "amber" }),
  me: () => ({ name: MARKUP, role: world.role, expiresAt: NOW + 86_400 }),
  auditEntries: (args: Args) =>
    connection(
      [
        {
          auditId: "1",
          actor: MARKUP,
          login: MARKUP,
          requestedBy: MARKUP,
          action: "key.revoke",
          subject: "pk",
          detail: { name: MARKUP },
          createdAt: NOW,
        },
      ],
      args,
    ),
  problems: () => [
    { severity: "critical", cause: "index", text: "Chain 31338 is not indexed", chainId: 31338 },
    {
      severity: "critical",
      cause: "halt",
      text: `Sending on chain 31338 is halted by an operator: ${MARKUP}`,
      chainId: 31338,
      since: NOW - 60,
    },
    {
      severity: "critical",
      cause: "wallet",
      text: `Wallet 0xcdcd…cdcd on chain 31337 is halted: ${MARKUP}`,
      chainId: 31337,
      wallet: WALLET,
    },
    { severity: "warning", cause: "webhooks", text: "2 webhooks fail", since: NOW - 7_200 },
  ],
  chains: () => [
    chain(31337, { indexedBlock: 7, indexedAt: NOW, lagSeconds: 3.14, lagBlocks: 0, headBlock: 7 }),
    chain(31338, {}),
  ],
  orders: (args: Args) => {
    const all = Array.from({ length: ORDERS }, (_, index) =>
      order(index, index === 0 ? world.newest : "New"),
    );
    const matching = all.filter(({ order: { status } }) => (args.status ? status === args.status : true));
    return connection(args.direction === "asc" ? matching.reverse() : matching, args);
  },
  operations: (args: Args) => connection([operation], args),
  sendRequests: (args: Args) => connection([send], args),
  balances: (args: Args) => connection([ledger], args),
  delegations: () => [
    {
      chainId: 31337,
      productType: "Spot",
      state: "blocked",
      delegatee: WALLET,
      wallet: WALLET,
      txHash: `0x${"0b".repeat(32)}`,
      updatedAt: NOW,
    },
  ],
  keys: (args: Args) => connection([key], args),
  key: () => key,
  keyUsage: () => ({
    windowSeconds: 10,
    reads: { limit: 100, used: 7 },
    writes: { limit: null, used: 0 },
    inFlight: 20,
    spent: "0.500000000000000001",
    routes: [
      {
        method: "GET",
        route: "/orders/:orderId",
        written: 0,
        refused: 4,
        lastAt: NOW - 30,
        lastErrCode: MARKUP,
      },
    ],
    streams: [
      {
        ...SCOPE,
        streamId: "stream-1",
        kind: "events",
        filter: null,
        openedAt: NOW - 60,
        sentAt: null,
        isBehind: true,
      },
      {
        ...SCOPE,
        streamId: "stream-2",
        kind: "prices",
        filter: ["AAPL", MARKUP],
        openedAt: NOW - 90,
        sentAt: NOW,
        isBehind: false,
      },
    ],
  }),
  requests: (args: Args) => connection([refused, written], args),
  request: ({ uuid }: Args) => [refused, written].find((one) => one.uuid === uuid) ?? unless(uuid, refused),
  webhooks: (args: Args) => connection([webhook], args),
  webhook: ({ webhookId }: Args) => unless(webhookId, webhook),
  deliveries: (args: Args) => connection([delivery], args),
  delivery: ({ deliveryId }: Args) => unless(deliveryId, delivery),
  orderSeries: () =>
    series((index) => ({
      count: index,
      byStatus: [{ status: "Filled", count: index }],
      volume: `${index}.000000000000000001`,
    })),
  sendSeries: () => ({
    ...series(() => ({ accepted: 2, final: 1, failed: 1, canceled: 0 })),
    failures: [{ errCode: MARKUP, count: 3, lastAt: NOW }],
  }),
  // Tests move the clock of the page on.
  chainSeries: () => ({
    ...series((index) => ({ lagSeconds: index % 7, lagBlocks: index % 3 })),
    lastAt: NOW + 3_600,
  }),
  // Its worker ended an hour ago.
  queueSeries: () => ({
    ...series((index) => ({ depth: index % 3, oldestSeconds: index / 2, balanceWei: "1500000000000000001" })),
    lastAt: NOW - 3_600,
  }),
  orderTotals: () => {
    const all = {
      count: 1_770,
      filled: 1_770,
      volume: "1770.00000000000000006",
      secondsToFill: 4.5,
      slippageBps: -1.25,
    };
    const none = { key: null, symbol: null, chainId: null };
    return {
      byKey: [{ ...none, ...all, key }],
      bySymbol: [{ ...none, ...all, symbol: MARKUP, secondsToFill: null }],
      byChain: [{ ...none, ...all, chainId: 31337 }],
    };
  },
  endpointTotals: () => [],
  refusalTotals: () => [{ key, errCode: MARKUP, count: 3, lastAt: NOW }],
  // Without any request: an empty state.
  requestSeries: () =>
    series(() => ({ requests: 0, clientErrors: 0, serverErrors: 0, p50Ms: null, p99Ms: null })),
  timeline: (args: Args) => (args.id === "nowhere" ? null : timeline(args)),
  search: ({ text }: Args) => {
    if (text === "nothing") return [];
    return text === "several"
      ? [hit("order", ORDER_ID), hit("user", USER), hit("request", "uuid-1")]
      : [hit("order", ORDER_ID)];
  },
  events: (args: Args) => connection([event], args),
});
