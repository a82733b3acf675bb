import type { JsonSchema } from "../graphql/scalars.ts";

const header = (name: string) => ({ [name]: { $ref: `#/components/headers/${name}` } });

/** Response headers, for `components.headers`. */
export const HEADER_COMPONENTS: Readonly<Record<string, JsonSchema>> = {
  "X-Request-Id": {
    description: "The envelope's uuid, also on every log line of the request.",
    required: true,
    schema: { type: "string", format: "uuid" },
    example: "6f1c0d6e-2b8e-4f0a-8f57-2f2a4d5b9c11",
  },
  "X-Indexed-Block": {
    description:
      "The block that the answer's data was read at. Where it read none, as on a refusal, the block that the indexer had about reached. Never on an Unauthorized.",
    schema: { type: "string", pattern: "^\\d+$" },
    example: "48210377",
  },
  "X-Key-Expires-At": {
    description: "When the API key ends, Unix seconds. From 14 days before that on.",
    schema: { type: "string", pattern: "^\\d+$" },
    example: "1795226400",
  },
  ETag: {
    description: "Names the data of the answer. Weak: uuid and t differ from answer to answer.",
    required: true,
    schema: { type: "string", pattern: '^W/"[A-Za-z0-9_-]+"$' },
    example: 'W/"GKfZ0S6QhTGyOuXlG9sNXBuUcSQ"',
  },
  "X-Event-Cursor": {
    description:
      "Of lists of orders and operations: where the log of events was when the list was read. GET /events with it as `after` answers what happened since.",
    schema: { type: "string" },
    example: "WzE3XQ",
  },
  "X-Accel-Buffering": {
    description: "Tells nginx, and proxies like it, to hand on each event as it comes.",
    schema: { type: "string", const: "no" },
    example: "no",
  },
  "X-Sandbox-Auth-Cause": {
    description: "Why an authentication failed. Sandboxes alone send it.",
    schema: { type: "string" },
    example: "signature wrong",
  },
  "Retry-After": {
    description: "Seconds until a request is taken again.",
    schema: { type: "string", pattern: "^\\d+$" },
    example: "1",
  },
  "RateLimit-Limit": {
    description:
      "Cost units of the key per window of ten seconds, reads and writes apart, over all replicas.",
    schema: { type: "string", pattern: "^\\d+$" },
    example: "5000",
  },
  "RateLimit-Remaining": {
    description: "Cost units left in this window.",
    schema: { type: "string", pattern: "^\\d+$" },
    example: "4998",
  },
  "RateLimit-Reset": {
    description: "Seconds until the window ends.",
    schema: { type: "string", pattern: "^\\d+$" },
    example: "1",
  },
};

const rateLimit = {
  ...header("RateLimit-Limit"),
  ...header("RateLimit-Remaining"),
  ...header("RateLimit-Reset"),
};

/** The headers of each kind of answer. */
export const HEADERS = {
  always: header("X-Request-Id"),
  authenticated: { ...header("X-Indexed-Block"), ...header("X-Key-Expires-At"), ...rateLimit },
  tagged: header("ETag"),
  logged: header("X-Event-Cursor"),
  streamed: header("X-Accel-Buffering"),
  unauthorized: header("X-Sandbox-Auth-Cause"),
  rateLimited: {
    ...header("Retry-After"),
    ...header("X-Indexed-Block"),
    ...header("X-Key-Expires-At"),
    ...rateLimit,
  },
} as const;

/** Request headers beside those of authentication, for `components.parameters`. */
export const HEADER_PARAMETERS: Readonly<Record<string, JsonSchema>> = {
  MinBlock: {
    name: "x-min-block",
    in: "header",
    description:
      "Answer from this block or a later one: waits up to 5 s for the indexer, else 503 INDEXER_BEHIND. Send the block of a transaction's receipt to read your own writes.",
    schema: { type: "string", pattern: "^\\d{1,15}$" },
    example: "48210377",
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description:
      "The ETag of an answer that you have. Where the data is still the same, the answer is 304 without a body. The request counts, and consumes its nonce, as any other.",
    schema: { type: "string" },
    example: 'W/"GKfZ0S6QhTGyOuXlG9sNXBuUcSQ"',
  },
  LastEventId: {
    name: "Last-Event-ID",
    in: "header",
    description:
      "The id of the last event that you have, as clients of server-sent events send it when they connect again. It goes before `after`.",
    schema: { type: "string" },
    example: "WzE3XQ",
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "1 to 255 printable ASCII characters. A repeat under the same key sends nothing again: it answers the request's present state under the same requestId. With another method, path or input it is refused.",
    schema: { type: "string", pattern: "^[!-~]{1,255}$" },
    example: "5d0c2c0e-1f4e-4c55-8d2c-3f2b9e1a7c40",
  },
};
