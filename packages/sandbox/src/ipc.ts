import { connect, type Socket } from "node:net";

/** JSON-RPC over anvil's unix socket: one call at a time on each connection, as many connections as calls in flight. */
export interface Ipc {
  /**
   * @param text one JSON-RPC call or batch, with an id
   * @returns anvil's answer, unchanged
   * @throws Error where the connection breaks
   */
  call(text: string): Promise<string>;
  close(): void;
}

export function createIpc(path: string): Ipc {
  const idle: Socket[] = [];
  const open = new Set<Socket>();

  function opened(): Socket {
    const socket = connect(path);
    open.add(socket);
    socket.setEncoding("utf8");
    socket.on("error", () => undefined);
    socket.once("close", () => {
      open.delete(socket);
      const index = idle.indexOf(socket);
      if (index >= 0) idle.splice(index, 1);
    });
    return socket;
  }

  return {
    call: (text) =>
      new Promise((resolve, reject) => {
        const socket = idle.pop() ?? opened();
        const parts: string[] = [];
        const onClose = () => reject(new Error("the chain has ended"));
        const onData = (part: string) => {
          parts.push(part);
          // Anvil ends each answer, and nothing within it, with a newline.
          if (!part.endsWith("\n")) return;
          socket.off("data", onData).off("close", onClose);
          idle.push(socket);
          resolve(parts.join("").trimEnd());
        };
        socket.on("data", onData).once("close", onClose);
        socket.write(text);
      }),
    close() {
      for (const socket of open) socket.destroy();
    },
  };
}
