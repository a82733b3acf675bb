import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { until } from "../../../test/support/assert/until.ts";
import { parseSandboxEnv } from "../src/env.ts";
import { choosePorts, freePort, PORT_NAMES } from "../src/ports.ts";

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "partner-ports-"));
  file = join(directory, "ports.json");
});
afterEach(() => rmSync(directory, { recursive: true }));

function take(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}

describe("the ports of the sandbox", () => {
  it("are all different, and none that the system lends to outgoing connections", async () => {
    const ports = Object.values(await choosePorts(parseSandboxEnv({}), file));
    expect(new Set(ports).size).toBe(PORT_NAMES.length);
    for (const port of [...ports, await freePort()]) {
      expect(port).toBeGreaterThanOrEqual(20_000);
      expect(port).toBeLessThan(32_768);
    }
  });

  it("stay those of last time, but for one that somebody took", async () => {
    // Another program of this machine may take one of the ports meanwhile: then it is tried again.
    await until("a moment in which nobody else takes a port", async () => {
      const before = await choosePorts(parseSandboxEnv({}), file);
      const taker = await take(before.control);
      const after = await choosePorts(parseSandboxEnv({}), file);
      await new Promise((resolve) => taker.close(resolve));
      expect(after.control).not.toBe(before.control);
      return isDeepStrictEqual({ ...after, control: 0 }, { ...before, control: 0 });
    });
  });

  it("are those that the environment names", async () => {
    const port = await freePort();
    expect((await choosePorts(parseSandboxEnv({ PORT: `${port}` }), file)).api).toBe(port);
  });
});
