/** Server-sent events as they go over the wire. No value holds a line break: ids are cursors, data is JSON on one line. */

const frame = (lines: readonly string[]): Buffer => Buffer.from(`${lines.join("\n")}\n\n`);

/** Returns the frame of an event of the log. @param json the event on one line */
export const eventFrame = (id: string, type: string, json: string): Buffer =>
  frame([`id: ${id}`, `event: ${type}`, `data: ${json}`]);

/** Returns a heartbeat. Its id moves on the cursor of a stream that sends only some types of events. */
export const heartbeatFrame = (id: string, data: object): Buffer =>
  frame([`id: ${id}`, "event: heartbeat", `data: ${JSON.stringify(data)}`]);

/** Returns the first frame: how long a client is to wait before it connects again, milliseconds. */
export const retryFrame = (retryMs: number): Buffer => frame([`retry: ${retryMs}`]);

/** Why the server ends a stream that it can still write to. */
export type ClosingReason = "shutdown" | "access" | "expired";

/** Returns the last frame. The client connects again after `retryMs`, and gets the reason as an answer where there is one. */
export const closingFrame = (reason: ClosingReason, retryMs: number): Buffer =>
  frame([`retry: ${retryMs}`, "event: closing", `data: ${JSON.stringify({ reason })}`]);
