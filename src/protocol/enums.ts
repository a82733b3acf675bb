import { OPERATION_KINDS, OPERATION_PATHS } from "./operations.ts";

/** Enumerated values of the wire (docs/api.md), shared by server, tests and client. */

export const SIDES = ["Buy", "Sell"] as const;
export type Side = (typeof SIDES)[number];

export const ORDER_TYPES = ["Market", "Limit"] as const;
export type OrderType = (typeof ORDER_TYPES)[number];

/** On-chain numbers of timeInForce; production contracts accept DAY only (docs/contracts.md#stockrouter). */
export const TIME_IN_FORCE = { DAY: 0, GTC: 1, OPG: 2, IOC: 3, FOK: 4, GTX: 5, GTD: 6, CLS: 7 } as const;
export type TimeInForce = keyof typeof TIME_IN_FORCE;

/** Statuses in which an order may end. */
export const ENDED_STATUSES = ["Filled", "Canceled", "Expired", "Rejected", "Failed"] as const;
export type EndedStatus = (typeof ENDED_STATUSES)[number];

export const ORDER_STATUSES = ["Init", "Pending", "New", "Partial filled", ...ENDED_STATUSES] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** Statuses of an order that has not ended. */
export const OPEN_STATUSES = ["placing", "open", "canceling"] as const;
export type OpenStatus = (typeof OPEN_STATUSES)[number];

export const ON_CHAIN_STATUSES = [...OPEN_STATUSES, "history"] as const;
export type OnChainStatus = (typeof ON_CHAIN_STATUSES)[number];

/** Statuses of an order by the contracts' events alone; callers see a status that follows from it (src/orders/status.ts). */
export const CHAIN_ORDER_STATUSES = [
  "open",
  "canceling",
  "filled",
  "canceled",
  "rejected",
  "expired",
] as const;
export type ChainOrderStatus = (typeof CHAIN_ORDER_STATUSES)[number];

export const OPERATION_STATUSES = ["pending", "processing", "completed", "failed", "canceled"] as const;
export type OperationStatus = (typeof OPERATION_STATUSES)[number];

/** Statuses of a cash operation by the contracts' events alone. */
export const CHAIN_OPERATION_STATUSES = ["processing", "completed", "failed"] as const;
export type ChainOperationStatus = (typeof CHAIN_OPERATION_STATUSES)[number];

export const OPERATION_TYPES = ["trade", ...OPERATION_KINDS] as const;
export type OperationType = (typeof OPERATION_TYPES)[number];

export const MAPPING_STATUSES = ["pending", "indexed", "reverted"] as const;
export type MappingStatus = (typeof MAPPING_STATUSES)[number];

/** Sources of a mapping: a send of this service, the calldata's suffix, a /tx endpoint. */
export const MAPPING_SOURCES = ["send", "attributed", "recorded"] as const;

/** Checks of a wallet by a calldata endpoint. */
export const PREFLIGHT_CHECKS = [
  "mUsdBalance",
  "exchangeBalance",
  "walletBalance",
  "walletAllowance",
] as const;
export type PreflightCheck = (typeof PREFLIGHT_CHECKS)[number];

export const SEND_STATUSES = ["accepted", "submitted", "confirmed", "failed"] as const;
export type SendStatus = (typeof SEND_STATUSES)[number];

/** Operations of requests to send, as policies name them. */
export const SEND_OPERATIONS = [
  "orders/send",
  "orders/with-deposit/send",
  "orders/cancel",
  ...OPERATION_PATHS,
  "1ct/enable",
  "1ct/disable",
] as const;
export type SendOperation = (typeof SEND_OPERATIONS)[number];

export const DELEGATION_STATUSES = ["enable", "disabled", "pending"] as const;
export type DelegationStatus = (typeof DELEGATION_STATUSES)[number];

export const ACTION_TYPES = ["split", "dividend", "spin-off"] as const;
export type ActionType = (typeof ACTION_TYPES)[number];

export const ACTION_STATUSES = ["PENDING", "IN_PROGRESS", "COMPLETE"] as const;
export type ActionStatus = (typeof ACTION_STATUSES)[number];

/** Types of events in the log (docs/events.md). */
export const EVENT_TYPES = [
  "order.mapped",
  "order.placed",
  "order.partially_filled",
  "order.filled",
  "order.canceling",
  "order.canceled",
  "order.rejected",
  "order.expired",
  "order.failed",
  "operation.pending",
  "operation.processing",
  "operation.completed",
  "operation.failed",
  "operation.canceled",
  "mapping.removed",
  "send.submitted",
  "send.confirmed",
  "send.failed",
  "delegation.enabled",
  "delegation.disabled",
  "corporate_action.applied",
  "distribution.applied",
  "webhook.disabled",
  "key.expiring",
  "maintenance.announced",
  "maintenance.canceled",
  "status.changed",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Resources of events, by the path that answers each: the list that an event folds into, or the object whose state it reports. */
export const EVENT_RESOURCES = [
  "orders",
  ...OPERATION_PATHS,
  "sends",
  "1ct/status",
  "corporate-action",
  "users/activities",
  "webhooks",
  "key",
  "status",
] as const;
export type EventResource = (typeof EVENT_RESOURCES)[number];

export const WEBHOOK_STATUSES = ["enabled", "disabled"] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

/** Causes of disabling a webhook: failures without a success, an answer 410, or the operator. */
export const WEBHOOK_DISABLED_REASONS = ["failing", "gone", "paused_by_operator"] as const;
export type WebhookDisabledReason = (typeof WEBHOOK_DISABLED_REASONS)[number];

export const DELIVERY_STATUSES = ["pending", "delivered", "dead"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Causes of changes of a user's ledger. */
export const ACTIVITY_KINDS = [
  "order-placed",
  "order-filled",
  "order-canceled",
  "order-rejected",
  "order-expired",
  "deposit",
  "withdraw",
  "withdraw-rejected",
  "stock-deposit",
  "stock-withdraw",
  "distribution",
  "other",
] as const;
export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

/** State of a chain, or of market data. */
export const HEALTHS = ["healthy", "behind", "unavailable"] as const;
export type Health = (typeof HEALTHS)[number];

export const SESSIONS = ["pre", "regular", "post", "overnight", "closed"] as const;
export type Session = (typeof SESSIONS)[number];

export const ACCESS_TYPES = ["READ_ONLY", "WRITABLE"] as const;
export type Access = (typeof ACCESS_TYPES)[number];

/** Roles of dashboard users. viewer: no user addresses and no audit log; operator: everything. */
export const DASHBOARD_ROLES = ["viewer", "operator"] as const;
export type DashboardRole = (typeof DASHBOARD_ROLES)[number];
