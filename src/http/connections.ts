import type { Server } from "node:http";
import type { Socket } from "node:net";

export interface Connections {
  /** Marks a connection as used just now; `known` where the request was authenticated. */
  touch(socket: Socket, known: boolean): void;
}

/**
 * Bounds a server's connections. Where one more comes in, the one that was used longest ago and has no request at work
 * is closed; those that never carried an authenticated request go first. So silent and slow callers lose theirs, and
 * partners keep the ones that they reuse. There is no limit per address, because callers behind a proxy share one.
 * @param isBusy true where an answer is being made
 */
export function boundConnections(
  server: Server,
  max: number,
  isBusy: (socket: Socket) => boolean,
  onOverflow: (socket: Socket) => void,
): Connections {
  // Both in order of last use.
  const strangers = new Set<Socket>();
  const partners = new Set<Socket>();
  const remove = (socket: Socket) => strangers.delete(socket) || partners.delete(socket);

  function closeOne(): void {
    for (const open of [strangers, partners]) {
      for (const socket of open) {
        if (isBusy(socket)) continue;
        remove(socket);
        onOverflow(socket);
        return;
      }
    }
  }

  server.on("connection", (socket: Socket) => {
    strangers.add(socket);
    socket.once("close", () => remove(socket));
    if (strangers.size + partners.size > max) closeOne();
  });
  return {
    touch: (socket, known) => {
      const wasPartner = partners.has(socket);
      if (remove(socket)) (known || wasPartner ? partners : strangers).add(socket);
    },
  };
}
