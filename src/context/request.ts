import type { Logger } from "pino";
import type { Caller } from "../auth/caller.ts";
import type { DashboardUser } from "../auth/dashboard/user.ts";
import type { Deps } from "./deps.ts";

/** Request that a resolver works for; the same over REST and over /graphql. */
export interface RequestContext {
  deps: Deps;
  /** API key that signed the request; null for a dashboard, whose lists then cover all keys of the scope. */
  caller: Caller | null;
  /** The dashboard user of a request to /graphql; null for a partner's request. */
  user?: DashboardUser;
  scope: { chainId: number; productType: string };
  /** The response's uuid, on every log line of this request. */
  uuid: string;
  log: Logger;
  /** Lowest block that this answer's data was read at; sent as X-Indexed-Block. */
  indexedBlock: bigint | null;
  /** Version that the answer was read at, where it was read with one; null where its reads are of several. */
  version?: string | null;
  /** Position of the event log when a list was read; sent as X-Event-Cursor. */
  eventCursor?: string | null;
  /** The header Idempotency-Key as sent, or null. */
  idempotencyKey?: string | null;
}

/** A value, and the block that it was read at; null where no index was read. */
export interface BlockRead<T> {
  block: { number: bigint } | null;
  data: T;
  version?: string | null;
  /** Of a list that the log of events goes on from. */
  eventCursor?: string | null;
}

/** Returns what was read, without its block, which X-Indexed-Block keeps: the lowest of all. */
export function unwrapAtBlock<T>(context: RequestContext, read: BlockRead<T>): T {
  const { block, data, version = null, eventCursor } = read;
  context.version = context.version === undefined || context.version === version ? version : null;
  if (eventCursor) context.eventCursor = eventCursor;
  if (block && (context.indexedBlock === null || block.number < context.indexedBlock)) {
    context.indexedBlock = block.number;
  }
  return data;
}

/**
 * Returns the scope of a request. Over /graphql `scope` is a getter, which throws where a dashboard names none.
 * @throws ApiError VALIDATION_FAILED
 */
export const scopeOf = ({ scope }: RequestContext): RequestContext["scope"] => scope;
