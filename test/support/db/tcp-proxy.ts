import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface TcpProxy {
  port: number;
  /** The target port of new connections. */
  targetPort: number;
  /** Looks at what a client sends, and on which connection; true cuts that one once it has been passed on. */
  cutAfter: ((data: Buffer, connection: Socket) => boolean) | null;
  /** Cuts every connection. */
  cut(): void;
  close(): Promise<void>;
}

/** Forwards connections between a program and a server of any protocol, and cuts connections on demand. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(proxy.targetPort, "127.0.0.1");
    const end = (): void => {
      client.destroy();
      target.destroy();
    };
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.on("error", end);
      socket.on("close", () => {
        sockets.delete(socket);
        end();
      });
    }
    let cutting = false;
    client.on("data", (data) => {
      cutting ||= proxy.cutAfter?.(data, client) ?? false;
      target.write(data);
    });
    // The server did what it was asked; its answer is lost.
    target.on("data", (data) => (cutting ? end() : client.write(data)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy: TcpProxy = {
    port: (server.address() as AddressInfo).port,
    targetPort,
    cutAfter: null,
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return proxy;
}
