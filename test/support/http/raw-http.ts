import { connect, type Socket } from "node:net";

/** An answer as read from a socket, in its parts. */
export interface RawAnswer {
  status: number;
  headers: Map<string, string>;
  body: string;
}

export interface RawConnection {
  socket: Socket;
  /** Returns the text received so far. */
  text(): string;
  /** Resolves when the peer has closed the connection. */
  closed: Promise<void>;
}

/** Opens a socket to a server. A reset by the peer counts as closed: tests look at what came before it. */
export async function openRaw(baseUrl: string): Promise<RawConnection> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ""));
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("error", () => undefined);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  return { socket, closed, text: () => Buffer.concat(chunks).toString("latin1") };
}

/** Sends bytes exactly as given, waits until the server closes, and returns what it said. */
export async function sendRaw(baseUrl: string, bytes: string | Buffer): Promise<RawAnswer> {
  const connection = await openRaw(baseUrl);
  connection.socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
  await connection.closed;
  return parseRaw(connection.text());
}

/** Returns the first answer in a text. @throws Error where there is none */
export function parseRaw(text: string): RawAnswer {
  const end = text.indexOf("\r\n\r\n");
  const [start = "", ...lines] = text.slice(0, Math.max(end, 0)).split("\r\n");
  const status = /^HTTP\/1\.1 (\d{3})/.exec(start)?.[1];
  if (!status) throw new Error(`no HTTP answer in ${JSON.stringify(text.slice(0, 200))}`);
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const length = Number(headers.get("content-length") ?? 0);
  return { status: Number(status), headers, body: text.slice(end + 4, end + 4 + length) };
}
