import type { ListSpec } from "../table/list-spec.ts";
import { AUDIT } from "./audit.tsx";
import { BALANCES } from "./balances.tsx";
import { DELIVERIES } from "./deliveries.tsx";
import { EVENTS } from "./events.tsx";
import { KEYS } from "./keys.tsx";
import { OPERATIONS } from "./operations.tsx";
import { ORDERS } from "./orders.tsx";
import { REQUESTS } from "./requests.tsx";
import { SENDS } from "./sends.tsx";
import { WEBHOOKS } from "./webhooks.tsx";

/** A list with hidden types of its rows. */
export type AnyList = ListSpec<unknown, object>;

const LISTS = [
  ORDERS,
  OPERATIONS,
  SENDS,
  BALANCES,
  KEYS,
  REQUESTS,
  EVENTS,
  WEBHOOKS,
  DELIVERIES,
  AUDIT,
] as unknown as AnyList[];

export const listNamed = (name: string): AnyList | undefined => LISTS.find((list) => list.name === name);
