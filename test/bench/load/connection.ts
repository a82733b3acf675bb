import { connect, type Socket } from "node:net";

/** One answer. */
export interface Answer {
  status: number;
  body: string;
}

/** A keep-alive connection that carries one request at a time. */
export interface Connection {
  send(request: Buffer): Promise<Answer>;
  close(): void;
}

/**
 * Opens a connection. It parses no more of HTTP than answers need here, so that the generator takes little of the
 * machine's time.
 */
export async function openConnection(host: string, port: number): Promise<Connection> {
  let received: Buffer = Buffer.alloc(0);
  let waiting: { resolve(answer: Answer): void; reject(error: Error): void } | null = null;
  let isClosed = false;
  let socket = await open();

  async function open(): Promise<Socket> {
    const opened = connect({ host, port, noDelay: true });
    await new Promise((resolve, reject) => opened.once("connect", resolve).once("error", reject));
    opened.on("data", receive);
    opened.on("error", (error) => fail(error));
    opened.on("close", () => fail(new Error("the server closed the connection before it answered")));
    return opened;
  }

  function receive(chunk: Buffer): void {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const answer = parseAnswer(received);
    if (!answer || !waiting) return;
    received = Buffer.alloc(0);
    const { resolve } = waiting;
    waiting = null;
    resolve(answer);
  }

  function fail(error: Error): void {
    waiting?.reject(error);
    waiting = null;
  }

  return {
    send: async (request) => {
      if (isClosed) throw new Error("this connection was closed");
      if (socket.destroyed || !socket.writable) socket = await open();
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(request);
      });
    },
    close: () => {
      isClosed = true;
      socket.destroy();
    },
  };
}

const HEAD_END = "\r\n\r\n";
const LAST_CHUNK = "\r\n0\r\n\r\n";

/** Returns an answer once all of it is there. */
export function parseAnswer(received: Buffer): Answer | null {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd === -1) return null;
  const head = received.toString("latin1", 0, headEnd).toLowerCase();
  const status = Number(head.slice(9, 12));
  const start = headEnd + HEAD_END.length;
  const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
  if (length !== undefined) {
    const end = start + Number(length);
    return received.length < end ? null : { status, body: received.toString("utf8", start, end) };
  }
  if (!head.includes("\r\ntransfer-encoding: chunked")) return { status, body: "" };
  const body = received.subarray(headEnd + 2);
  return body.indexOf(LAST_CHUNK) === -1 ? null : { status, body: joinChunks(body.subarray(2)) };
}

function joinChunks(chunked: Buffer): string {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = chunked.indexOf("\r\n", at);
    const size = Number.parseInt(chunked.toString("latin1", at, lineEnd), 16);
    if (size === 0 || Number.isNaN(size)) return Buffer.concat(parts).toString();
    parts.push(chunked.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}
