import { z } from "zod";
import type { Deps } from "../context/deps.ts";
import { eventTypes } from "../context/input/event-types.ts";
import { address, hash, integer, oneOf, parseInput, text, unixSeconds } from "../context/input/fields.ts";
import type {
  DashboardAuditEntriesArgs,
  DashboardBalancesArgs,
  DashboardDeliveriesArgs,
  DashboardEventsArgs,
  DashboardKeysArgs,
  DashboardOperationsArgs,
  DashboardOrdersArgs,
  DashboardRequestsArgs,
  DashboardSendRequestsArgs,
  DashboardWebhooksArgs,
} from "../context/schema-types.ts";
import { operationFilters } from "../operations/input.ts";
import { orderFilters } from "../orders/input.ts";
import { DELIVERY_STATUSES } from "../protocol/enums.ts";
import { OPERATION_KINDS } from "../protocol/operations.ts";
import { SEND_STATES } from "../sending/outbox/rows.ts";

/** The arguments of every connection of a dashboard: schema/dashboard.graphql. */
const FIRST_DEFAULT = 20;
const FIRST_MAX = 100;

export const uuid = z.uuid("must be a UUID").transform((value) => value.toLowerCase());
export const chainId = integer.refine(
  (value) => value >= 1 && value <= 2_147_483_647,
  "must be a chain's number",
);

const pageFields = {
  first: integer
    .refine((value) => value >= 1 && value <= FIRST_MAX, `must be 1 to ${FIRST_MAX}`)
    .default(FIRST_DEFAULT),
  after: text.optional(),
};

/** A list is sorted by what an index has, in either direction. */
const direction = oneOf(["asc", "desc"]).default("desc");
const byEither = { orderBy: oneOf(["createdAt", "updatedAt"]).default("createdAt"), direction };
const byCreation = { orderBy: oneOf(["createdAt"]).default("createdAt"), direction };

const scopeFields = { chainId: chainId.optional(), productType: text.optional() };
export type ScopeFilter = z.output<z.ZodObject<typeof scopeFields>>;

/** A check for each argument that schema/dashboard.graphql gives a list: the compiler finds one that is left out. */
type ShapeOf<A> = Record<Extract<keyof A, string>, z.ZodType>;

const ownedFields = { ...pageFields, ...scopeFields, keyId: uuid.optional() };

const orderShape = z.object({
  ...ownedFields,
  ...byEither,
  ...orderFilters,
} satisfies ShapeOf<DashboardOrdersArgs>);
const operationShape = z.object({
  ...ownedFields,
  ...byEither,
  kind: oneOf(OPERATION_KINDS).optional(),
  ...operationFilters,
} satisfies ShapeOf<DashboardOperationsArgs>);
const keyShape = z.object({
  ...pageFields,
  ...byCreation,
  ...scopeFields,
  status: oneOf(["active", "inactive", "expired", "revoked"]).optional(),
  name: text.optional(),
  userAddress: address.optional(),
} satisfies ShapeOf<DashboardKeysArgs>);
const balanceShape = z.object({
  ...ownedFields,
  userAddress: address.optional(),
  symbol: text.optional(),
  stockAddress: address.optional(),
} satisfies ShapeOf<DashboardBalancesArgs>);
const sendShape = z.object({
  ...ownedFields,
  ...byCreation,
  state: oneOf(SEND_STATES).optional(),
  operation: text.optional(),
  symbol: text.optional(),
  userAddress: address.optional(),
  wallet: address.optional(),
  txHash: orderFilters.txHash,
  errCode: text.optional(),
  from: unixSeconds.optional(),
  to: unixSeconds.optional(),
} satisfies ShapeOf<DashboardSendRequestsArgs>);

const eventShape = z.object({
  ...ownedFields,
  types: eventTypes.optional(),
  objectId: hash.optional(),
  eventId: uuid.optional(),
} satisfies ShapeOf<DashboardEventsArgs>);

const requestShape = z.object({
  ...ownedFields,
  route: text.optional(),
  outcome: oneOf(["refused", "written"]).optional(),
  errCode: text.optional(),
  from: unixSeconds.optional(),
  to: unixSeconds.optional(),
} satisfies ShapeOf<DashboardRequestsArgs>);

const webhookShape = z.object({
  ...ownedFields,
  state: oneOf(["enabled", "failing", "disabled"]).optional(),
} satisfies ShapeOf<DashboardWebhooksArgs>);
const deliveryShape = z.object({
  ...pageFields,
  webhookId: uuid,
  state: oneOf(DELIVERY_STATUSES).optional(),
} satisfies ShapeOf<DashboardDeliveriesArgs>);

const auditShape = z.object({
  ...pageFields,
  actor: text.optional(),
  login: text.optional(),
  action: text.optional(),
  subject: text.optional(),
  from: unixSeconds.optional(),
  to: unixSeconds.optional(),
} satisfies ShapeOf<DashboardAuditEntriesArgs>);

export type KeyListInput = z.output<typeof keyShape>;
export type BalanceListInput = z.output<typeof balanceShape>;
export type SendListInput = z.output<typeof sendShape>;
export type RequestListInput = z.output<typeof requestShape>;
export type WebhookListInput = z.output<typeof webhookShape>;
export type EventListInput = z.output<typeof eventShape>;

type Args = Record<string, unknown>;

/** @throws ApiError VALIDATION_FAILED, as all of these */
export const parseOrders = (args: Args) => parseInput(orderShape, args);
export const parseOperations = (args: Args) => parseInput(operationShape, args);
export const parseKeys = (args: Args): KeyListInput => parseInput(keyShape, args);
export const parseBalances = (args: Args): BalanceListInput => parseInput(balanceShape, args);
export const parseSends = (args: Args): SendListInput => parseInput(sendShape, args);
export const parseEvents = (args: Args): EventListInput => parseInput(eventShape, args);
export const parseRequests = (args: Args): RequestListInput => parseInput(requestShape, args);
export const parseUuid = (args: Args): string => parseInput(z.object({ uuid }), args).uuid;
export const parseWebhooks = (args: Args): WebhookListInput => parseInput(webhookShape, args);
export const parseDeliveries = (args: Args) => parseInput(deliveryShape, args);
export const parseWebhookId = (args: Args): string =>
  parseInput(z.object({ webhookId: uuid }), args).webhookId;
export const parseDeliveryId = (args: Args): string =>
  parseInput(z.object({ deliveryId: uuid }), args).deliveryId;
export const parseAudit = (args: Args) => parseInput(auditShape, args);
export const parseUser = (args: Args): string =>
  parseInput(z.object({ userAddress: address }), args).userAddress;
export const parseKeyId = (args: Args): string => parseInput(z.object({ keyId: uuid }), args).keyId;

/** Returns the chains that an answer may be about: the one that was asked for, else all that this installation serves. */
export function chainsOf({ deployments }: Deps, { chainId: asked }: ScopeFilter): number[] {
  const served = deployments.chains.map((chain) => chain.chainId);
  return asked === undefined ? served : served.filter((id) => id === asked);
}
