import type { Filter } from "../table/list-spec.ts";

/** Filters that several lists have. */
const CHAIN: Filter = { name: "chainId", title: "Chain", words: "chains", type: "number" };
const PRODUCT: Filter = { name: "productType", title: "Product", words: "products" };
const KEY: Filter = { name: "keyId", title: "Key", words: "keys" };
const USER: Filter = { name: "userAddress", title: "User", width: 18, placeholder: "0x…" };
const SYMBOL: Filter = { name: "symbol", title: "Symbol", width: 7 };
const TRANSACTION: Filter = { name: "txHash", title: "Transaction", width: 18, placeholder: "0x…" };
const FROM: Filter = { name: "from", title: "From (UTC)", type: "time" };
const TO: Filter = { name: "to", title: "To (UTC)", type: "time" };

// Words of the service; a test compares them.
const ORDER_STATUSES = [
  "Init",
  "Pending",
  "New",
  "Partial filled",
  "Filled",
  "Canceled",
  "Expired",
  "Rejected",
  "Failed",
] as const;
const ON_CHAIN_STATUSES = ["placing", "open", "canceling", "history"] as const;
const OPERATION_KINDS = ["deposit", "withdraw", "stock-deposit", "stock-withdraw"] as const;
const OPERATION_STATUSES = ["pending", "processing", "completed", "failed", "canceled"] as const;
const SEND_STATES = [
  "accepted",
  "reserved",
  "signed",
  "broadcast",
  "mined",
  "final",
  "failed",
  "canceled",
] as const;
const SEND_OPERATIONS = [
  "orders/send",
  "orders/with-deposit/send",
  "orders/cancel",
  "cash/deposits",
  "cash/withdrawals",
  "stock/deposits",
  "stock/withdrawals",
  "1ct/enable",
  "1ct/disable",
] as const;
const DELIVERY_STATUSES = ["pending", "delivered", "dead"] as const;
const KEY_STATUSES = ["active", "inactive", "expired", "revoked"] as const;

/** Filters of each list. A test compares them with the variables of the list's document. */
export const FILTERS = {
  orders: [
    { name: "status", title: "Status", words: ORDER_STATUSES },
    { name: "onChainStatus", title: "On chain", words: ON_CHAIN_STATUSES },
    CHAIN,
    PRODUCT,
    KEY,
    { name: "side", title: "Side", words: ["Buy", "Sell"] },
    { name: "type", title: "Type", words: ["Market", "Limit"] },
    SYMBOL,
    USER,
    TRANSACTION,
    FROM,
    TO,
  ],
  operations: [
    { name: "kind", title: "Kind", words: OPERATION_KINDS },
    { name: "status", title: "Status", words: OPERATION_STATUSES },
    CHAIN,
    PRODUCT,
    KEY,
    USER,
    TRANSACTION,
    FROM,
    TO,
  ],
  sends: [
    { name: "state", title: "State", words: SEND_STATES },
    { name: "operation", title: "Operation", words: SEND_OPERATIONS },
    CHAIN,
    PRODUCT,
    KEY,
    { name: "errCode", title: "Error", width: 18 },
    { name: "wallet", title: "Wallet", width: 18, placeholder: "0x…" },
    SYMBOL,
    USER,
    TRANSACTION,
    FROM,
    TO,
  ],
  balances: [CHAIN, PRODUCT, KEY, USER, SYMBOL],
  keys: [
    { name: "name", title: "Name", width: 14 },
    { name: "status", title: "Status", words: KEY_STATUSES },
    CHAIN,
    PRODUCT,
    USER,
  ],
  events: [
    { name: "types", title: "Types", width: 18, placeholder: "order.*, send.failed" },
    CHAIN,
    PRODUCT,
    KEY,
    { name: "objectId", title: "Order or operation", width: 18, placeholder: "0x…" },
    { name: "eventId", title: "Event", width: 18 },
  ],
  requests: [
    { name: "outcome", title: "Outcome", words: ["refused", "written"] },
    CHAIN,
    PRODUCT,
    KEY,
    { name: "errCode", title: "Error", width: 18 },
    { name: "route", title: "Path", width: 18, placeholder: "/orders/send" },
    FROM,
    TO,
  ],
  webhooks: [
    { name: "state", title: "State", words: ["enabled", "failing", "disabled"] },
    CHAIN,
    PRODUCT,
    KEY,
  ],
  deliveries: [
    { name: "webhookId", title: "Webhook", width: 18 },
    { name: "state", title: "State", words: DELIVERY_STATUSES },
  ],
  audit: [
    { name: "actor", title: "User" },
    { name: "login", title: "Login" },
    { name: "action", title: "Action", width: 16 },
    { name: "subject", title: "Subject", width: 18 },
    FROM,
    TO,
  ],
} as const satisfies Record<string, readonly Filter[]>;
