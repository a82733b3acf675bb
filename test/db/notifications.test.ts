import { type AddressInfo, createServer, Socket } from "node:net";
import { expect, it, jest } from "@jest/globals";
import { CHANNELS, listen } from "../../src/db/notifications.ts";
import { createLog } from "../../src/telemetry/log.ts";
import { until } from "../support/assert/until.ts";

it("a connection that only listens notices within seconds that the server's machine is gone", async () => {
  const keepAlive = jest.spyOn(Socket.prototype, "setKeepAlive");
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stream = listen(`postgresql://a@127.0.0.1:${port}/none`, CHANNELS.index, createLog("test", "silent"));
  try {
    await until("it connects", () => keepAlive.mock.calls.length > 0);
    const [isOn, delayMs] = keepAlive.mock.calls[0] ?? [];
    expect(isOn).toBe(true);
    expect(delayMs).toBeGreaterThan(0);
    expect(delayMs).toBeLessThanOrEqual(10_000);
  } finally {
    keepAlive.mockRestore();
    await stream.close();
    await new Promise((resolve) => server.close(resolve));
  }
});
