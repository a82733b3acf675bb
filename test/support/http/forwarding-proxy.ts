import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Starts a proxy as operators put it in front. It passes every request on, and appends its peer's address to X-Forwarded-For.
 * @param from the address it connects from, such as 127.0.0.2
 */
export async function startForwardingProxy(to: string, from: string) {
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers, socket } = incoming;
    const sent = headers["x-forwarded-for"];
    const forwarded = [...(sent ? [sent].flat() : []), socket.remoteAddress].join(", ");
    const options = { method, headers: { ...headers, "x-forwarded-for": forwarded }, localAddress: from };
    const passed = request(`${to}${url}`, options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.writeHead(502).end());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
