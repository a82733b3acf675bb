import type { Args } from "../../context/input/fields.ts";
import type { RequestContext } from "../../context/request.ts";
import { loadersOf } from "../loaders.ts";
import { readProblems } from "../problems/watch.ts";
import { readChainSeries, readQueueSeries } from "./gauges.ts";
import { readOrderSeries, readOrderTotals } from "./orders.ts";
import { readEndpointTotals, readRefusalTotals, readRequestSeries } from "./requests.ts";
import { readSendSeries } from "./sends.ts";
import type { FundedWallet } from "./spending.ts";
import { readFailingWebhooks } from "./webhooks.ts";

type Root = unknown;

/** Fields of `Dashboard` in schema/dashboard-overview.graphql. */
export const overviewFields = {
  orderSeries: (_root: Root, args: Args, { deps }: RequestContext) => readOrderSeries(deps, args),
  sendSeries: (_root: Root, args: Args, { deps }: RequestContext) => readSendSeries(deps, args),
  chainSeries: (_root: Root, args: Args, { deps }: RequestContext) => readChainSeries(deps, args),
  queueSeries: (_root: Root, args: Args, { deps }: RequestContext) => readQueueSeries(deps, args),
  problems: (_root: Root, _args: Args, { deps }: RequestContext) => readProblems(deps),
  failingWebhooks: (_root: Root, _args: Args, { deps }: RequestContext) => readFailingWebhooks(deps),
  requestSeries: (_root: Root, args: Args, { deps }: RequestContext) => readRequestSeries(deps, args),
  orderTotals: (_root: Root, args: Args, { deps }: RequestContext) => readOrderTotals(deps, args),
  endpointTotals: (_root: Root, args: Args, { deps }: RequestContext) => readEndpointTotals(deps, args),
  refusalTotals: (_root: Root, args: Args, { deps }: RequestContext) => readRefusalTotals(deps, args),
};

/** Fields of `SendQueue` that are worked out of samples. */
export const queueFields = {
  daysLeft: (queue: FundedWallet, _args: Args, context: RequestContext) =>
    loadersOf(context).daysLeft.load(queue),
};
