import type { RequestContext } from "../context/request.ts";
import type { Resolvers } from "../context/schema-types.ts";
import { ApiError } from "../protocol/errors.ts";
import { listAudit } from "./audit.ts";
import { type Ledger, listBalances } from "./balances.ts";
import { listChains } from "./chains.ts";
import { listOperations, listOrders } from "./claims.ts";
import { listDelegations } from "./delegations.ts";
import { listEvents } from "./events.ts";
import { getKey, listKeys } from "./keys.ts";
import { loadersOf } from "./loaders.ts";
import { overviewFields, queueFields } from "./overview/index.ts";
import { getRequest, listRequests } from "./requests/list.ts";
import { getKeyUsage } from "./requests/usage.ts";
import { search } from "./search/search.ts";
import { listSends, readSendQueues } from "./sends.ts";
import { timeline } from "./timeline/timeline.ts";
import { getDelivery, getWebhook, listDeliveries, listWebhooks } from "./webhooks.ts";

type Args = Record<string, unknown>;
type Root = unknown;

/** A node with the key and the claim that it was found through. */
interface Owned {
  keyId: string;
  claimId: string;
}

const owned = {
  key: ({ keyId }: Owned, _args: Args, context: RequestContext) => loadersOf(context).key.load(keyId),
  sendRequest: ({ claimId }: Owned, _args: Args, context: RequestContext) =>
    loadersOf(context).sendOfClaim.load(claimId),
};

const keyed = {
  key: ({ keyId }: { keyId: string }, _args: Args, context: RequestContext) =>
    loadersOf(context).key.load(keyId),
};

/** GraphQL fields of schema/dashboard.graphql, and the queues of schema/sends.graphql. */
export const resolvers = {
  Query: {
    dashboard: (_root: Root, _args: Args, context: RequestContext) => open(context),
    sendQueues: (_root: Root, _args: Args, context: RequestContext) =>
      readSendQueues(context.deps, context.caller, context.scope.chainId),
  },
  Dashboard: {
    me: (_root: Root, _args: Args, context: RequestContext) => presentMe(context),
    environment: (_root: Root, _args: Args, { deps }: RequestContext) => deps.environment ?? null,
    auditEntries: (_root: Root, args: Args, { deps }: RequestContext) => listAudit(deps, args),
    chains: (_root: Root, args: Args, { deps }: RequestContext) => listChains(deps, args),
    keys: (_root: Root, args: Args, { deps }: RequestContext) => listKeys(deps, args),
    key: (_root: Root, args: Args, { deps }: RequestContext) => getKey(deps, args),
    orders: (_root: Root, args: Args, { deps }: RequestContext) => listOrders(deps, args),
    operations: (_root: Root, args: Args, { deps }: RequestContext) => listOperations(deps, args),
    balances: (_root: Root, args: Args, { deps }: RequestContext) => listBalances(deps, args),
    delegations: (_root: Root, args: Args, { deps }: RequestContext) => listDelegations(deps, args),
    sendRequests: (_root: Root, args: Args, { deps }: RequestContext) => listSends(deps, args),
    events: (_root: Root, args: Args, { deps }: RequestContext) => listEvents(deps, args),
    webhooks: (_root: Root, args: Args, { deps }: RequestContext) => listWebhooks(deps, args),
    webhook: (_root: Root, args: Args, { deps }: RequestContext) => getWebhook(deps, args),
    deliveries: (_root: Root, args: Args, { deps }: RequestContext) => listDeliveries(deps, args),
    delivery: (_root: Root, args: Args, { deps }: RequestContext) => getDelivery(deps, args),
    requests: (_root: Root, args: Args, { deps }: RequestContext) => listRequests(deps, args),
    request: (_root: Root, args: Args, { deps }: RequestContext) => getRequest(deps, args),
    keyUsage: (_root: Root, args: Args, { deps }: RequestContext) => getKeyUsage(deps, args),
    ...overviewFields,
    search: (_root: Root, args: Args, context: RequestContext) => search(context, args),
    timeline: (_root: Root, args: Args, { deps }: RequestContext) => timeline(deps, args),
  },
  ChainState: {
    sendQueues: ({ chainId }: { chainId: number }, _args: Args, { deps }: RequestContext) =>
      readSendQueues(deps, null, chainId),
  },
  SendQueue: queueFields,
  OwnedOrder: owned,
  OwnedOperation: owned,
  OwnedEvent: keyed,
  RefusalTotal: keyed,
  OrderTotal: {
    key: ({ keyId }: { keyId: string | null }, _args: Args, context: RequestContext) =>
      keyId === null ? null : loadersOf(context).key.load(keyId),
  },
  KeptRequest: keyed,
  DashboardWebhook: keyed,
  WebhookDeliveryState: {
    webhook: ({ webhookId }: { webhookId: string }, _args: Args, context: RequestContext) =>
      loadersOf(context).webhook.load(webhookId),
  },
  SendRequest: {
    ...keyed,
    attempts: ({ requestId }: { requestId: string }, _args: Args, context: RequestContext) =>
      loadersOf(context).attempts.load(requestId),
  },
  Ledger: {
    stocks: (ledger: Ledger, _args: Args, context: RequestContext) => loadersOf(context).stocks.load(ledger),
    keys: ({ user }: Ledger, _args: Args, context: RequestContext) =>
      loadersOf(context).keysOfUser.load(user),
  },
} satisfies Resolvers;

/** Refuses API keys, which see only their own data. No route has this field. */
function open({ caller }: RequestContext): object {
  if (caller) throw new ApiError("ROUTE_NOT_FOUND");
  return {};
}

/** GraphQL `Dashboard.me`. */
function presentMe({ user }: RequestContext) {
  if (!user) throw new Error("a request for a dashboard without its user");
  const { name, role, expiresAt } = user;
  return { name, role, expiresAt: expiresAt === null ? null : Math.floor(expiresAt / 1000) };
}
