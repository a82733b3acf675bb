/** Server-sent events as they go over the wire. No value holds a line break: ids are cursors, data is JSON on one line. */

const frame = (lines: readonly string[]): Buffer => Buffer.from(`${lines.join("\n")}\n\n`);

/** Returns the frame of an event of the log. @param json the event on one line */
export const eventFrame = (id: string, type: string, json: string): Buffer =>
  frame([`id: ${id}`, `event: ${type}`, `data: ${json}`]);

/** Returns a frame without an id: a client that connects again does not name it. @param json the data on one line */
export const plainFrame = (type: string, json: string): Buffer => frame([`event: ${type}`, `data: ${json}`]);

/** Returns a heartbeat. Its id moves on the cursor of a stream that sends only some types of events. */
export const heartbeatFrame = (id: string, data: object): Buffer =>
  frame([`id: ${id}`, "event: heartbeat", `data: ${JSON.stringify(data)}`]);

/** Returns the first frame: how long a client is to wait before it connects again, milliseconds. */
export const retryFrame = (): Buffer => frame([`retry: ${RETRY_MS}`]);

/** Why the server ends a stream that it can still write to. */
export type ClosingReason = "shutdown" | "access" | "expired";

/** Delay before a client reconnects, milliseconds. */
export const RETRY_MS = 1_000;
/** At a shutdown all clients of a replica connect again: spread over this, milliseconds. */
const SHUTDOWN_SPREAD_MS = 2_000;

/** Returns the last frame of a stream that ends. */
export const lastFrame = (reason: ClosingReason): Buffer =>
  closingFrame(reason, reason === "shutdown" ? Math.floor(Math.random() * SHUTDOWN_SPREAD_MS) : RETRY_MS);

/** Returns the last frame. The client connects again after `retryMs`, and gets the reason as an answer where there is one. */
const closingFrame = (reason: ClosingReason, retryMs: number): Buffer =>
  frame([`retry: ${retryMs}`, "event: closing", `data: ${JSON.stringify({ reason })}`]);
