/**
 * Ids that requests of a collection take from earlier ones: a run places an order, reads that order and cancels it, and takes back its transfers.
 * Scripts see `data` of the answer, `get(name)`, `keep(name, value)`, which keeps no empty value, and `again()`, which repeats the request a moment later.
 */
export interface Link {
  /** In the place of the document's example. */
  body?: object;
  /** Parameters of the path: names of variables. */
  path?: Readonly<Record<string, string>>;
  /** Runs after the answer. */
  after?: string;
}

const DEADLINE = 1_924_992_000;
/** Rests: no stock is that cheap. */
const LIMIT_BUY = {
  symbol: "AAPL",
  side: "Buy",
  type: "Limit",
  quantity: "2",
  price: "1",
  timeInForce: "DAY",
  deadline: DEADLINE,
};
const keepsMapping = (name: string) =>
  `keep("${name}Mapping", data?.mapping?.mappingId);\nkeep("${name}Tx", data?.txHash);`;
/** Finds the row of a send, and waits until it is indexed. */
const keepsRow = (name: string, id: string) =>
  `const ${name} = data?.rows.find(({ mapping }) => mapping.mappingId === get("${name}Mapping"));
if (${name} && !${name}.${id}) again();
keep("${name}Id", ${name}?.${id});
keep("${name}Tx", ${name}?.txHash);`;

function movement(path: string, name: string, body: object): [string, Link][] {
  const moved = { userAddress: "{{userAddress}}", ...body };
  return [
    [`POST /api/v1/${path}/calldata`, { body: moved }],
    [`POST /api/v1/${path}/send`, { body: moved, after: keepsMapping(name) }],
    [`POST /api/v1/${path}/tx`, { body: { txHash: `{{${name}Tx}}` } }],
    [`GET /api/v1/${path}`, { after: keepsRow(name, "operationId") }],
    [`GET /api/v1/${path}/{operationId}`, { path: { operationId: `${name}Id` } }],
  ];
}

const cash = (tokenAmount: string) => ({ tokenAddress: "{{cashToken}}", tokenAmount });
const STOCK = { tokenAddress: "{{stockToken}}", tokenAmount: "1" };
const ofUser = { path: { userId: "userAddress" } };
const ofOrder = { path: { orderId: "orderId" } };
const ofWebhook = { path: { webhookId: "webhookId" } };

/** Links by method and path. */
export const LINKS: ReadonlyMap<string, Link> = new Map<string, Link>([
  ["GET /api/v1/key", { after: `keep("userAddress", data?.userAddress);` }],
  ["GET /api/v1/config", { after: `keep("cashToken", data?.cashierTokenConfig[0]?.tokenAddress);` }],
  [
    "GET /api/v1/symbols",
    { after: `keep("stockToken", data?.find(({ symbol }) => symbol === "AAPL")?.contractAddress);` },
  ],
  ["POST /api/v1/1ct/prepare", { body: { userAddress: "{{userAddress}}", deadline: DEADLINE } }],
  [
    "POST /api/v1/orders/send",
    {
      body: { ...LIMIT_BUY, clientOrderId: "{{$guid}}" },
      after: `${keepsMapping("order")}\nkeep("requestId", data?.requestId);\nkeep("clientOrderId", data?.mapping?.clientOrderId);`,
    },
  ],
  [
    "POST /api/v1/orders/with-deposit/send",
    { body: { ...LIMIT_BUY, ...cash("10") }, after: keepsMapping("depositOrder") },
  ],
  ["POST /api/v1/orders/with-deposit/calldata", { body: { ...LIMIT_BUY, ...cash("10") } }],
  ["POST /api/v1/orders/tx", { body: { txHash: "{{orderTx}}" } }],
  [
    "GET /api/v1/orders",
    { after: `${keepsRow("order", "orderId")}\n${keepsRow("depositOrder", "orderId")}` },
  ],
  ["GET /api/v1/orders/tx/{txHash}", { path: { txHash: "orderTx" } }],
  ["GET /api/v1/orders/client/{clientOrderId}", { path: { clientOrderId: "clientOrderId" } }],
  ["GET /api/v1/orders/{orderId}", ofOrder],
  ["DELETE /api/v1/orders/{orderId}/calldata", ofOrder],
  ["DELETE /api/v1/orders/{orderId}/send", ofOrder],
  ...movement("cash/deposits", "cashDeposit", cash("10")),
  // That of the order with a deposit, too.
  ...movement("cash/withdrawals", "cashWithdrawal", cash("20")),
  ...movement("stock/deposits", "stockDeposit", STOCK),
  ...movement("stock/withdrawals", "stockWithdrawal", STOCK),
  ["GET /api/v1/users/{userId}/balance", ofUser],
  ["GET /api/v1/users/{userId}/positions", ofUser],
  ["GET /api/v1/users/{userId}/activities", ofUser],
  ["GET /api/v1/users/{userId}/statement", ofUser],
  ["GET /api/v1/sends/{requestId}", { path: { requestId: "requestId" } }],
  [
    "POST /api/v1/webhooks",
    {
      body: { url: "{{webhookUrl}}", types: "order.*,operation.completed" },
      after: `keep("webhookId", data?.webhook.webhookId);`,
    },
  ],
  ["POST /api/v1/webhooks/{webhookId}/test", ofWebhook],
  ["POST /api/v1/webhooks/{webhookId}/enable", ofWebhook],
  [
    "GET /api/v1/webhooks/{webhookId}/deliveries",
    { ...ofWebhook, after: `keep("deliveryId", data?.rows[0]?.deliveryId);` },
  ],
  [
    "POST /api/v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver",
    { path: { webhookId: "webhookId", deliveryId: "deliveryId" } },
  ],
  ["POST /api/v1/webhooks/{webhookId}/rotate", ofWebhook],
  ["DELETE /api/v1/webhooks/{webhookId}", ofWebhook],
]);

/** Order that came with a deposit is canceled by another request of the same operation. */
export const SECOND_CANCEL = {
  of: "DELETE /api/v1/orders/{orderId}/send",
  suffix: " that came with a deposit",
  path: { orderId: "depositOrderId" },
};
