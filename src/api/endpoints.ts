import type { Endpoint } from "../context/endpoint.ts";
import type { StreamEndpoint } from "../context/stream.ts";
import * as events from "../events/index.ts";
import * as key from "../key/index.ts";
import * as market from "../market/index.ts";
import * as status from "../market/status/index.ts";
import * as oneclick from "../oneclick/index.ts";
import * as operations from "../operations/index.ts";
import * as orders from "../orders/index.ts";
import * as portfolio from "../portfolio/index.ts";
import * as sending from "../sending/index.ts";
import * as webhooks from "../webhooks/index.ts";

/** Every endpoint of the partner API, in the order in which partners meet them: that of the OpenAPI document and of docs/endpoints.md. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...key.endpoints,
  ...portfolio.configuration,
  ...market.endpoints,
  ...oneclick.endpoints,
  ...orders.endpoints,
  ...operations.endpoints,
  ...portfolio.endpoints,
  ...sending.endpoints,
  ...events.endpoints,
  ...webhooks.endpoints,
  ...status.endpoints,
];

/** Those that answer with a stream. */
export const STREAMS: readonly StreamEndpoint[] = [...market.streams, ...events.streams];
