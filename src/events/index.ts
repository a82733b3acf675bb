import { requireCaller } from "../auth/viewer.ts";
import { endpointsOf, unindexed } from "../context/endpoint.ts";
import type { StreamEndpoint } from "../context/stream.ts";
import { LIST_COST, STREAM_COST } from "../protocol/costs.ts";
import { eventListShape, eventStreamShape } from "./input.ts";
import { listEvents } from "./list.ts";

const TAG = {
  name: "Events",
  description: "What happened to the orders and operations of the calling key, in order.",
};
const endpoint = endpointsOf(TAG);

export const endpoints = [
  endpoint({
    method: "GET",
    path: "/events",
    field: "Query.events",
    title: "List events",
    cost: LIST_COST,
    input: eventListShape,
    refusals: ["CURSOR_EXPIRED"],
    resolve: unindexed(requireCaller, listEvents),
  }),
];

export const streams: readonly StreamEndpoint[] = [
  {
    method: "GET",
    path: "/events/stream",
    field: "Query.events",
    streams: true,
    operationId: "eventStream",
    title: "Stream events",
    summary: "Events of the calling API key as they happen, as server-sent events",
    description: `The answer goes on until either side ends it. \`id\` of each event is its cursor, \`event\` its type, and \`data\` the event as GET /events answers it, as JSON on one line.

Without \`after\` and \`Last-Event-ID\` it begins at the end of the log. Whoever connects again with the last id misses nothing and gets nothing twice; the header goes before \`after\`.

\`event: heartbeat\` comes at once and then every 15 s, with \`{"indexedBlock","t"}\`. Where nothing comes for longer, the stream is broken: connect again. \`event: closing\` is the last one of a stream that the server ends, with \`{"reason"}\`: shutdown, access, or expired. A client that does not read is disconnected.`,
    meanings: {
      after:
        "A cursor: nextCursor of GET /events, X-Event-Cursor of a list, or the id of a streamed event. Events behind it come first. Left out: the stream begins at the end of the log.",
    },
    resumes: true,
    example: (event) => `retry: 1000

id: WzE2XQ
event: heartbeat
data: {"indexedBlock":48210377,"t":1795226400000}

id: WzE3XQ
event: order.filled
data: ${JSON.stringify(event)}
`,
    cost: STREAM_COST,
    tag: TAG,
    input: eventStreamShape,
    refusals: ["CURSOR_EXPIRED", "TOO_MANY_STREAMS"],
  },
];
