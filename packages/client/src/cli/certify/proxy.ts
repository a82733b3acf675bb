import { createServer, type IncomingMessage, request as openRequest, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Envelope, parseEnvelope } from "../../answer.ts";
import { causeOf } from "../exchange.ts";
import { relayFrames, type StreamFault } from "./stream.ts";

/** A request of the program, and what became of it. */
export interface HttpExchange {
  /** Unix milliseconds. */
  atMs: number;
  /** When the answer was complete, or its connection broke; null until then. */
  answeredAtMs: number | null;
  method: string;
  /** Path and query as sent. */
  uri: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Its fault, such as "answer dropped"; null without one. */
  fault: string | null;
  /** Status of the service's answer, or of the one given instead; null until there is one. */
  status: number | null;
  envelope: Envelope | null;
}

/** A fault of one request; that of a stream acts on its frames. */
export type Fault =
  /** The service acts on it, and the connection breaks before the answer. */
  | { kind: "drop" }
  /** The same in the middle of the answer. */
  | { kind: "cut" }
  /** It is answered without the service. */
  | { kind: "answer"; status: number; headers?: Record<string, string>; body: string }
  /** It reaches the service once this has happened. */
  | { kind: "hold"; until: () => Promise<void> }
  /** The text of the answer is another one. */
  | { kind: "rewrite"; text: (text: string) => string; headers?: Record<string, string> }
  | { kind: "stream"; fault: StreamFault };

/** Returns the fault of a request; null where it passes. The exchange is already among the proxy's. */
export type Faults = (exchange: HttpExchange) => Fault | null;

/** Stands between the program and the service; passes signed bytes unchanged. */
export interface FaultProxy {
  url: string;
  exchanges: readonly HttpExchange[];
  /** All that the program was sent, as text. */
  delivered: readonly string[];
  setFaults(faults: Faults): void;
  close(): Promise<void>;
}

const NAMES: Readonly<Record<Fault["kind"], string>> = {
  drop: "acted on, answer dropped",
  cut: "acted on, answer cut in the middle",
  answer: "answered without the service",
  hold: "held",
  rewrite: "answer with additions",
  stream: "stream with faults",
};
/** Headers of one connection, which a proxy does not pass on. */
const OF_CONNECTION = new Set(["connection", "keep-alive", "transfer-encoding", "content-length"]);

/** Starts a proxy on the loopback interface. @param baseUrl of the service */
export async function startProxy(baseUrl: string): Promise<FaultProxy> {
  const exchanges: HttpExchange[] = [];
  const delivered: string[] = [];
  let faults: Faults = () => null;
  const server = createServer(async (request, response) => {
    const exchange = await record(request);
    exchanges.push(exchange);
    response.once("close", () => {
      exchange.answeredAtMs = Date.now();
    });
    const fault = faults(exchange);
    exchange.fault = fault && NAMES[fault.kind];
    try {
      await pass({ baseUrl, exchange, response, deliver: (text) => delivered.push(text) }, fault);
    } catch (error) {
      exchange.fault = `the service did not answer: ${causeOf(error)}`;
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    exchanges,
    delivered,
    setFaults: (wanted) => {
      faults = wanted;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function record(request: IncomingMessage): Promise<HttpExchange> {
  const atMs = Date.now();
  const body = await textOf(request);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(", ")]),
  );
  const { method = "", url: uri = "" } = request;
  return { atMs, answeredAtMs: null, method, uri, headers, body, fault: null, status: null, envelope: null };
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

interface Passage {
  baseUrl: string;
  exchange: HttpExchange;
  response: ServerResponse;
  deliver: (text: string) => void;
}

async function pass(passage: Passage, fault: Fault | null): Promise<void> {
  const { exchange, response, deliver } = passage;
  if (fault?.kind === "answer") {
    exchange.status = fault.status;
    response.writeHead(fault.status, { "content-type": "application/json", ...fault.headers });
    return void response.end(fault.body);
  }
  if (fault?.kind === "hold") await fault.until();
  const upstream = await forward(passage);
  exchange.status = upstream.statusCode ?? null;
  const headers = headersOf(upstream);
  if (fault?.kind === "drop") return await drop(passage, upstream);
  if (headers["content-type"]?.startsWith("text/event-stream")) {
    response.on("close", () => upstream.destroy());
    response.writeHead(200, headers);
    return relayFrames(upstream, response, fault?.kind === "stream" ? fault.fault : null, deliver);
  }
  const text = await textOf(upstream);
  exchange.envelope = parseEnvelope(text);
  const sent = fault?.kind === "rewrite" ? fault.text(text) : text;
  const more = fault?.kind === "rewrite" ? fault.headers : {};
  const bytes = Buffer.from(sent);
  response.writeHead(exchange.status ?? 502, { ...headers, ...more, "content-length": bytes.length });
  if (fault?.kind === "cut") {
    response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
    return;
  }
  deliver(sent);
  response.end(bytes);
}

/** Ends the connection where the answer would begin. The answer is kept: it is evidence. */
async function drop({ exchange, response }: Passage, upstream: IncomingMessage): Promise<void> {
  response.destroy();
  // A stream has no end.
  if (upstream.headers["content-type"]?.startsWith("text/event-stream")) upstream.destroy();
  else exchange.envelope = parseEnvelope(await textOf(upstream));
}

/** Sends the request to the service as it came. */
function forward({ baseUrl, exchange }: Passage): Promise<IncomingMessage> {
  const { method, uri, body } = exchange;
  const target = new URL(baseUrl);
  const headers = Object.fromEntries(
    Object.entries(exchange.headers).filter(([name]) => !OF_CONNECTION.has(name) && name !== "host"),
  );
  // An answer in plain text can be compared and changed.
  delete headers["accept-encoding"];
  const { hostname: host, port, pathname } = target;
  const path = `${pathname.replace(/\/$/, "")}${uri}`;
  const length = method === "GET" ? {} : { "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const outgoing = openRequest({ host, port, path, method, headers: { ...headers, ...length } }, resolve);
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !OF_CONNECTION.has(name))
      .map(([name, value]) => [name, [value].flat().join(", ")]),
  );
