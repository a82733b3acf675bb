import type { Server } from "node:http";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { type WebSocket, WebSocketServer } from "ws";
import { type Allowed, refusalOf } from "./browser-guard.ts";

/** Functions of a chain's RPC server that answer messages, except for subscriptions. */
export interface SocketCalls {
  /** Anvil's unix socket. */
  ipcPath: string;
  allowed: Allowed;
  bytesMax: number;
  /** Returns true for calls that anvil answers over a connection of their own, where it sends notifications. */
  isSubscription(text: string): boolean;
  answer(text: string): Promise<string>;
}

/**
 * Serves WebSockets beside HTTP, to programs alone: pages have HTTP.
 * @returns a function that ends all of them
 */
export function serveSockets(server: Server, calls: SocketCalls): () => void {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: calls.bytesMax,
    perMessageDeflate: false,
  });
  server.on("upgrade", (request, socket, head) => {
    if (request.headers.origin !== undefined || refusalOf(request, calls.allowed) !== null)
      return void socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n");
    sockets.handleUpgrade(request, socket, head, (client) => serve(client, calls));
  });
  return () => {
    for (const client of sockets.clients) client.terminate();
  };
}

function serve(client: WebSocket, { ipcPath, isSubscription, answer }: SocketCalls): void {
  const chain = connect(ipcPath);
  const end = () => {
    chain.destroy();
    client.terminate();
  };
  chain.on("error", end).on("close", end);
  client.on("error", end).on("close", end);
  // Anvil ends each message with a newline.
  createInterface({ input: chain }).on("line", (line) => client.send(line));
  client.on("message", (data) => {
    const text = `${data}`;
    if (isSubscription(text)) chain.write(`${text}\n`);
    else answer(text).then((reply) => client.send(reply), end);
  });
}
