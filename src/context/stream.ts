import type { z } from "zod";
import type { Caller } from "../auth/caller.ts";
import type { Cost } from "../protocol/costs.ts";
import type { ErrCode } from "../protocol/errors.ts";
import type { Route, Tag } from "./endpoint.ts";

/** Endpoints that answer with a stream of server-sent events: no resolver can, and no answer is ever complete. */

/** The client's end of a stream. Nothing here throws; writes after the end are discarded. */
export interface Sink {
  write(frames: readonly Buffer[]): void;
  /** Bytes that the system has not taken yet. */
  pendingBytes(): number;
  /** Settles once the system has taken everything, or the stream has ended. */
  drained(): Promise<void>;
  /** Ends the answer, and its connection, behind a last frame. */
  end(last: Buffer | null): void;
  /** Closes the connection, whatever it has not taken. */
  destroy(): void;
  /** Calls back once when the connection is gone; at once where it is already. */
  onClose(callback: () => void): void;
}

/** A request for a stream that passed authentication. */
export interface StreamRequest {
  caller: Caller;
  /** The query parameters as sent. */
  args: Record<string, unknown>;
  /** The header Last-Event-ID, or null. */
  lastEventId: string | null;
  /** Checks the request against its key as it is now. @returns what would refuse it, or null */
  recheck: () => Promise<string | null>;
}

/**
 * Prepares a stream. What it throws becomes an ordinary answer; what it returns writes the stream, and must be called.
 * @param Returned `ended` is called with why the stream ended, for the access log
 */
export type OpenStream = (
  request: StreamRequest,
) => Promise<(sink: Sink, onEnd: (cause: string) => void) => void>;

/** An endpoint that answers with a stream: what router, OpenAPI document, docs/endpoints.md and tests follow from. */
export interface StreamEndpoint extends Route {
  method: "GET";
  /** Field whose rows are streamed one by one, and whose arguments have the same meaning here. */
  field: `Query.${string}`;
  streams: true;
  operationId: string;
  /** As of an Endpoint. */
  title: string;
  summary: string;
  description: string;
  /** Of arguments that mean something else than to the field. */
  meanings: Readonly<Record<string, string>>;
  /** True where a client that connects again names the last id that it got. */
  resumes: boolean;
  /** Returns an example of the stream. @param row an example of what is streamed */
  example: (row: unknown) => string;
  cost: Cost;
  tag: Tag;
  input: z.ZodObject;
  /** Error codes of its refusals, beside EVERYWHERE. */
  refusals: readonly ErrCode[];
}
