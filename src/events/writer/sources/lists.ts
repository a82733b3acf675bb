import { OPERATIONS } from "./operations.ts";
import { ORDERS } from "./orders.ts";

/** Orders and operations that claims own: the owner is decided for both together. */
export const LISTS = [ORDERS, OPERATIONS] as const;

/** Tables of the index that have it. */
export const LISTED = LISTS.flatMap(({ tables }) => tables);
