import { createHmac, randomUUID } from "node:crypto";
import { type IncomingMessage, request } from "node:http";
import { canary } from "../assert/logs.ts";
import type { PartnerKey } from "./partner.ts";

/** A frame of server-sent events, its fields as they came. */
export interface Frame {
  id: string | null;
  event: string | null;
  data: string | null;
  retry: string | null;
}

/** A stream of events as a partner reads it. */
export interface EventStream {
  response: IncomingMessage;
  /** Every frame so far. */
  frames: Frame[];
  /** Returns the frames that carry events of the log. */
  events(): Frame[];
  /** Returns the id of the last frame that had one. */
  lastId(): string | null;
  /** Settles when the connection is gone; true where the server ended the answer. */
  ended: Promise<boolean>;
  /** Reads no more, and leaves the connection open. */
  stall(): void;
  cut(): void;
}

export interface OpenOptions {
  /** /api/v1/events/stream where left out. */
  path?: string;
  query?: Record<string, string>;
  lastEventId?: string;
  /** Called with each frame. */
  onFrame?: (frame: Frame, stream: EventStream) => void;
}

function signedHeaders(uri: string, key: PartnerKey): Record<string, string> {
  const ts = String(Date.now());
  const nonce = randomUUID();
  const payload = ["GET", uri, ts, nonce, ""].join("\n");
  const signature = createHmac("sha256", key.apiSecret).update(payload, "utf8").digest("hex");
  return {
    "x-api-key": key.apiKey,
    "x-api-ts": ts,
    "x-api-nonce": nonce,
    "x-api-chain-id": String(key.chainId),
    "x-api-p": key.productType,
    "x-api-sign": canary("request signature", signature),
  };
}

/** Opens a stream of a key. @throws Error with the answer, where it is no stream */
export async function openStream(
  baseUrl: string,
  key: PartnerKey,
  { path = "/api/v1/events/stream", query = {}, lastEventId, onFrame }: OpenOptions = {},
): Promise<EventStream> {
  const search = new URLSearchParams(query);
  search.sort();
  const uri = `${path}${search.size > 0 ? `?${search}` : ""}`;
  const headers = {
    ...signedHeaders(uri, key),
    ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
  };
  return readStream(baseUrl + uri, headers, onFrame);
}

/** Opens a stream with any headers. */
export async function readStream(
  url: string,
  headers: Record<string, string>,
  onFrame: OpenOptions["onFrame"] = () => undefined,
): Promise<EventStream> {
  const sent = request(url, { headers, agent: false });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once("response", resolve).once("error", reject).end();
  });
  if (response.headers["content-type"] !== "text/event-stream; charset=utf-8") {
    const chunks: Buffer[] = await response.toArray();
    throw new Error(Buffer.concat(chunks).toString());
  }
  const frames: Frame[] = [];
  const stream: EventStream = {
    response,
    frames,
    events: () => frames.filter(({ event }) => event !== null && !["heartbeat", "closing"].includes(event)),
    lastId: () => frames.findLast(({ id }) => id !== null)?.id ?? null,
    ended: new Promise((resolve) => response.once("close", () => resolve(response.complete))),
    stall: () => response.pause(),
    cut: () => sent.destroy(),
  };
  let rest = "";
  response.setEncoding("utf8");
  response.on("data", (chunk: string) => {
    const parts = (rest + chunk).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const frame = parseFrame(part);
      frames.push(frame);
      onFrame(frame, stream);
    }
  });
  response.on("error", () => undefined);
  sent.on("error", () => undefined);
  return stream;
}

function parseFrame(text: string): Frame {
  const field = (name: string) =>
    text
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2) ?? null;
  return { id: field("id"), event: field("event"), data: field("data"), retry: field("retry") };
}
