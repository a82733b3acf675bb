import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { Webhook } from "standardwebhooks";
import { z } from "zod";

/** A request that a receiver got. */
export interface Received {
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface Receiver {
  /** A URL with the loopback address. */
  url: string;
  port: number;
  received: Received[];
  /** Answers each request; 200 by default. */
  answer: (request: Received, response: ServerResponse) => void;
  close(): Promise<void>;
}

const flat = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

/** Starts a partner's server, which keeps what it receives. */
export async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const got = { path: request.url ?? "", headers: flat(request.headers), body };
      receiver.received.push(got);
      receiver.answer(got, response);
    });
    // Requests may be cut off.
    request.on("error", () => undefined);
    response.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = z.object({ port: z.number() }).parse(server.address());
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received: [],
    answer: (_request, response) => void response.end(),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return receiver;
}

/** Verifies a request with the reference library of Standard Webhooks, and returns the event. @throws where it is not signed */
export const verify = (secret: string, { body, headers }: Received): { sequence: number; type: string } =>
  z.looseObject({ sequence: z.number(), type: z.string() }).parse(new Webhook(secret).verify(body, headers));
