import perfHooks from "node:perf_hooks";
import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { VERSION } from "../../src/config/version.ts";
import { createApp } from "../../src/http/app.ts";
import { createHealth } from "../../src/http/health.ts";
import { createMetrics } from "../../src/http/metrics.ts";
import { type Check, requireFresh } from "../../src/http/readiness.ts";
import { createHttpServer, type HttpServer } from "../../src/http/server.ts";
import { createLog } from "../../src/telemetry/log.ts";
import { until } from "../support/assert/until.ts";

const servers: HttpServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));

async function start(checks: Check[], timeoutMs = 100, partial?: Check[], chains?: Check[]) {
  const lines: string[] = [];
  const log = createLog("test", "info", { write: (line) => void lines.push(line) });
  const metrics = createMetrics(() => new Map([[31337, 2.5]]));
  const health = createHealth({
    checks,
    ...(chains && { chains }),
    ...(partial && { partial }),
    metrics,
    log,
    timeoutMs,
    maxAgeMs: 0,
    metricsMaxAgeMs: 60_000,
  });
  const server = createHttpServer({
    log,
    metrics,
    now: Date.now,
    prefix: "",
    timeouts: { shutdownDelay: 0 },
    app: createApp([health.router], ["/livez", "/readyz", "/metrics"], Date.now),
  });
  servers.push(server);
  const baseUrl = await server.listen(0, "127.0.0.1");
  const get = async (path: string) => {
    const response = await fetch(`${baseUrl}${path}`);
    return { status: response.status, text: await response.text() };
  };
  return { get, health, lines, metrics };
}

const passes: Check = { name: "fine", run: async () => undefined };

describe("/readyz", () => {
  it("is 200 while every check passes", async () => {
    const { get } = await start([passes]);
    expect(await get("/readyz")).toEqual({ status: 200, text: '{"status":"ready"}' });
  });

  it("names what is missing, and tells why only to the log", async () => {
    const fails: Check = {
      name: "database",
      run: () => Promise.reject(new Error("connect to postgres://user:canary@db:5432/x failed")),
    };
    const hangs: Check = { name: "migrations", run: () => new Promise(() => undefined) };
    const { get, lines } = await start([passes, fails, hangs]);
    expect(await get("/readyz")).toEqual({
      status: 503,
      text: '{"status":"not ready","missing":["database","migrations"]}',
    });
    expect(lines.join("")).toContain("connect to postgres://db:5432 failed");
    expect(lines.join("")).not.toContain("canary");
    expect((await get("/livez")).status).toBe(200);
  });

  it("writes no line in the access log, like /livez and /metrics: a proxy's checks would push out those of partners", async () => {
    const { get, lines } = await start([passes]);
    for (const path of ["/livez", "/readyz", "/metrics", "/none"]) await get(path);
    await until("the last request has its line", () => lines.some((line) => line.includes('"status":404')));
    expect(lines.filter((line) => line.includes('"msg":"request"'))).toHaveLength(1);
  });

  it("is 200 and degraded while only a partial check fails, and names what is missing rather where more does", async () => {
    const fails = (name: string): Check => ({
      name,
      run: () => Promise.reject(new Error(`${name} is down`)),
    });
    const { get, lines } = await start([passes], 100, [passes, fails("quotes")]);
    expect(await get("/readyz")).toEqual({ status: 200, text: '{"status":"ready","degraded":["quotes"]}' });
    expect(lines.join("")).toContain("quotes is down");
    const both = await start([fails("database")], 100, [fails("quotes")]);
    expect(await both.get("/readyz")).toEqual({
      status: 503,
      text: '{"status":"not ready","missing":["database"]}',
    });
  });

  it("is 200 and degraded while a chain's node hangs", async () => {
    const hangs: Check = { name: "chain 1", run: () => new Promise(() => undefined) };
    const { get } = await start([passes], 100, [], [hangs, { ...passes, name: "chain 2" }]);
    expect(await get("/readyz")).toEqual({ status: 200, text: '{"status":"ready","degraded":["chain 1"]}' });
  });

  it("is 503 at once when the program is told to stop", async () => {
    const { get, health } = await start([passes]);
    health.shutDown();
    expect(await get("/readyz")).toMatchObject({ status: 503 });
    expect((await get("/livez")).status).toBe(200);
  });

  it("asks once for many who ask at the same time", async () => {
    // Long enough for all of them to arrive meanwhile.
    const run = jest.fn(async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    });
    const { get } = await start([{ name: "slow", run }], 10_000);
    await Promise.all(Array.from({ length: 20 }, () => get("/readyz")));
    expect(run.mock.calls.length).toBeLessThan(5);
  });
});

it.each(["/Livez", "/livez/", "/Readyz", "/readyz/"])(
  "a probe has one spelling: %s is not there",
  async (path) => {
    const { get } = await start([passes]);
    expect((await get(path)).status).toBe(404);
  },
);

describe("requireFresh", () => {
  const indexed = { number: 5n, timestamp: 1_000n };
  it("measures against the chain's head", () => {
    expect(() => requireFresh(indexed, { timestamp: 1_060n })).not.toThrow();
    expect(() => requireFresh(indexed, { timestamp: 1_061n })).toThrow(/behind/);
    expect(() => requireFresh(undefined, { timestamp: 0n })).toThrow(/nothing is indexed/);
  });
});

describe("/metrics", () => {
  it("is rendered once for all who ask before it is too old", async () => {
    const { get, metrics } = await start([passes]);
    const render = jest.spyOn(metrics.registry, "metrics");
    const texts = await Promise.all(Array.from({ length: 20 }, async () => (await get("/metrics")).text));
    expect(render).toHaveBeenCalledTimes(1);
    expect(new Set(texts).size).toBe(1);
  });

  it("shows for each check of /readyz whether it passes, and none of what may fail", async () => {
    let isDown = true;
    const node: Check = {
      name: "chain 1",
      run: async () => {
        if (isDown) throw new Error("down");
      },
    };
    const { get, metrics } = await start([passes], 100, [{ ...node, name: "quotes" }], [node]);
    const { text } = await get("/metrics");
    expect(text).toContain('readiness_check_up{check="fine"} 1\nreadiness_check_up{check="chain 1"} 0\n');
    expect(text).not.toContain("quotes");
    isDown = false;
    await until("the check passes", async () =>
      (await metrics.registry.metrics()).includes('readiness_check_up{check="chain 1"} 1'),
    );
  });

  it("samples the event loop seldom: each sample wakes a program that is idle", () => {
    const monitor = jest.spyOn(perfHooks, "monitorEventLoopDelay");
    createMetrics(() => new Map());
    expect(monitor.mock.calls).toEqual([[{ resolution: 100 }]]);
  });

  it("counts requests by route, and labels nothing that a caller sent", async () => {
    const { get, metrics } = await start([passes]);
    await get("/livez");
    await get("/canary-path?canary=1");
    metrics.authenticationFailed("signature");
    const { status, text } = await get("/metrics");
    expect(status).toBe(200);
    expect(text).toContain(
      'http_request_duration_seconds_count{method="GET",route="/livez",status="200",code="none"} 1',
    );
    expect(text).toContain('route="none",status="404",code="404"');
    expect(text).toContain('authentication_failures_total{cause="signature"} 1');
    expect(text).toContain('indexer_block_age_seconds{chain_id="31337"} 2.5');
    expect(text).toContain("nodejs_eventloop_lag_seconds");
    expect(text).toContain(`build_info{version="${VERSION}",commit="unknown"} 1`);
    expect(text).not.toContain("canary");
  });
});
