/** Enumerated values of the wire (API.md), shared by server, tests and client. */

export const SIDES = ["Buy", "Sell"] as const;
export type Side = (typeof SIDES)[number];

export const ORDER_TYPES = ["Market", "Limit"] as const;
export type OrderType = (typeof ORDER_TYPES)[number];

/** On-chain numbers of timeInForce; production contracts accept DAY only (SPEC 2.3). */
export const TIME_IN_FORCE = { DAY: 0, GTC: 1, OPG: 2, IOC: 3, FOK: 4, GTX: 5, GTD: 6, CLS: 7 } as const;

export const ORDER_STATUSES = [
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
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const ON_CHAIN_STATUSES = ["placing", "open", "canceling", "history"] as const;
export type OnChainStatus = (typeof ON_CHAIN_STATUSES)[number];

export const OPERATION_STATUSES = ["pending", "processing", "completed", "failed", "canceled"] as const;
export type OperationStatus = (typeof OPERATION_STATUSES)[number];

export const OPERATION_TYPES = ["trade", "deposit", "withdraw", "stock-deposit", "stock-withdraw"] as const;
export type OperationType = (typeof OPERATION_TYPES)[number];

export const MAPPING_STATUSES = ["pending", "indexed", "reverted"] as const;
export type MappingStatus = (typeof MAPPING_STATUSES)[number];

export const SESSIONS = ["pre", "regular", "post", "overnight", "closed"] as const;
export type Session = (typeof SESSIONS)[number];

export const ACCESS_TYPES = ["READ_ONLY", "WRITABLE"] as const;
export type Access = (typeof ACCESS_TYPES)[number];
