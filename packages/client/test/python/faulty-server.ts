import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as received. */
export interface Received {
  method: string;
  uri: string;
  headers: IncomingHttpHeaders;
  body: string;
}

type Behaviour = (response: ServerResponse, received: Received) => void;

/** Answers with an envelope of this API. */
export const answer =
  (status: number, fields: object, headers: Record<string, string> = {}): Behaviour =>
  (response) => {
    const envelope = { code: status, errMsg: "", data: null, uuid: "u-1", t: Date.now(), ...fields };
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(envelope));
  };

/** Closes the connection without an answer: the caller cannot know the outcome. */
export const cut: Behaviour = (response) => void response.destroy();

/** Begins an answer and closes the connection within its body. */
export const cutWithin: Behaviour = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"code":200,"data":', () => response.destroy());
};

/** Answers with server-sent events; cut behind the text, or left open. */
export const stream =
  (text: string, end: "cut" | "open"): Behaviour =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(text, () => {
      if (end === "cut") response.destroy();
    });
  };

/** Starts a server that answers each request with the next of its behaviours, and keeps the requests. */
export async function startFaultyServer() {
  const received: Received[] = [];
  let script: Behaviour[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = "", url: uri = "", headers } = request;
    const one = { method, uri, headers, body: Buffer.concat(chunks).toString() };
    received.push(one);
    const behave = script.shift() ?? answer(500, { errCode: "INTERNAL", errMsg: "no behaviour is left" });
    behave(response, one);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Sets the behaviours for the next requests. Returns the array that will hold the requests. */
    expect(...behaviours: Behaviour[]): Received[] {
      script = behaviours;
      received.length = 0;
      return received;
    },
    close(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}

export type FaultyServer = Awaited<ReturnType<typeof startFaultyServer>>;
