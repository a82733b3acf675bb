import type { ServerResponse } from "node:http";

/** One frame of a stream, as text between blank lines. */
export interface StreamFrame {
  text: string;
  id: string | null;
  /** Type of the event, "heartbeat" or "closing"; null of a frame with a pause alone. */
  type: string | null;
}

/** Texts that the program gets for a frame, and the state of the connection afterwards. */
export interface FrameFate {
  send: readonly string[];
  connection: "open" | "break" | "end";
}

/** Decides the fate of each frame of one connection. */
export type StreamFault = (frame: StreamFrame) => FrameFate;

/** Sends the frames of the service on to the program; ends where the fault says so. */
export async function relayFrames(
  upstream: AsyncIterable<Buffer>,
  response: ServerResponse,
  fault: StreamFault | null,
  deliver: (text: string) => void,
): Promise<void> {
  let rest = "";
  try {
    for await (const chunk of upstream) {
      const parts = (rest + chunk.toString("utf8")).split("\n\n");
      rest = parts.pop() ?? "";
      for (const text of parts) {
        const { send, connection } = fault?.(frameOf(text)) ?? { send: [`${text}\n\n`], connection: "open" };
        for (const each of send) deliver(each);
        await new Promise<void>((resolve) => response.write(send.join(""), () => resolve()));
        if (connection === "break") return void response.destroy();
        if (connection === "end") return void response.end();
      }
    }
    response.end();
  } catch {
    // The program closed the connection, or the service did.
    response.destroy();
  }
}

function frameOf(text: string): StreamFrame {
  const field = (name: string) =>
    text
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2) ?? null;
  return { text, id: field("id"), type: field("event") };
}
