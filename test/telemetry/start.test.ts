/** @jest-environment node */
// Keeps no modules: an SDK that ends after the last test resets the global state of OpenTelemetry, which the next file would share.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { ROOT } from "../../src/config/root.ts";
import { exportersOf, startTracing, type Tracing } from "../../src/telemetry/start.ts";
import { activeSpan, inSpan, inSpans, isTracing, startSpan } from "../../src/telemetry/tracing.ts";
import { until } from "../support/assert/until.ts";
import { builtScript } from "../support/program/built.ts";
import { type Collector, setVariables, startCollector } from "./collector.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
});

const ENDPOINT = "http://127.0.0.1:4318";

describe("traces are asked for by the standard variables", () => {
  it.each([
    [{}, []],
    [{ OTEL_SERVICE_NAME: "x", OTEL_TRACES_SAMPLER: "always_on" }, []],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT }, ["otlp"]],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ENDPOINT }, ["otlp"]],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: " " }, []],
    [{ OTEL_TRACES_EXPORTER: "otlp" }, ["otlp"]],
    [{ OTEL_TRACES_EXPORTER: "console" }, ["console"]],
    [{ OTEL_TRACES_EXPORTER: "otlp, console" }, ["otlp", "console"]],
    [{ OTEL_TRACES_EXPORTER: "none", OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT }, []],
    [{ OTEL_SDK_DISABLED: "true", OTEL_TRACES_EXPORTER: "otlp", OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT }, []],
    [{ OTEL_SDK_DISABLED: "false", OTEL_TRACES_EXPORTER: "console" }, ["console"]],
  ])("%j: %j", (environment, exporters) => {
    expect(exportersOf(environment)).toEqual({ exporters });
  });

  it.each([
    [{ OTEL_TRACES_EXPORTER: "zipkin" }, "OTEL_TRACES_EXPORTER"],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, "http/json only"],
  ])("what cannot be done is logged, and the program starts: %j", async (environment, reason) => {
    const lines: string[] = [];
    const tracing = await startTracing("test", "1", environment);
    tracing.reportTo({
      warn: (fields: unknown) => void lines.push(String(Reflect.get(fields as object, "err"))),
    });
    expect(lines).toEqual([expect.stringContaining(reason)]);
    expect(isTracing()).toBe(false);
  });
});

describe("without them", () => {
  it("nothing is made, and work runs as it is", async () => {
    await startTracing("test", "1", {});
    expect(isTracing()).toBe(false);
    expect(startSpan("a", { parent: "root" })).toBeNull();
    expect(activeSpan()).toBeNull();
    expect(await inSpan("a", { parent: "root" }, async (span) => span)).toBeNull();
    expect(
      await inSpans(
        "a",
        [{ traceparent: `00-${"1".repeat(32)}-${"1".repeat(16)}-01`, attributes: {} }],
        async () => 7,
      ),
    ).toBe(7);
  });

  describe("a built program", () => {
    // This project has no global setup that builds; a build that is current is left as it is.
    beforeAll(() => void execFileSync(process.execPath, ["build.mjs"], { cwd: ROOT }));

    it.each(["src/bin/api.ts", "src/bin/worker.ts", "packages/admin/src/main.ts"])(
      "%s does not load OpenTelemetry's SDK",
      (script) => {
        const files = new Map<string, string>();
        const load = (file: string): void => {
          if (files.has(file)) return;
          const source = readFileSync(file, "utf8");
          files.set(file, source);
          for (const [, path = ""] of source.matchAll(
            /^(?:import|\} from|import .* from|export .* from)\s*"(\.[^"]+)";$/gm,
          ))
            load(join(dirname(file), path));
        };
        load(builtScript(script));
        expect(files.size).toBeGreaterThan(1);
        for (const source of files.values()) expect(source).not.toContain("class BatchSpanProcessor");
        const later = [...files.values()].some((source) => /import\("\.[^"]*otel-\w+\.js"\)/.test(source));
        expect(later).toBe(script !== "packages/admin/src/main.ts");
      },
    );
  });
});

/** Starts traces that go to a collector which answers as a test wants. */
async function exporting(answer?: (response: ServerResponse) => void) {
  const collector: Collector = await startCollector(answer);
  stops.push(collector.stop);
  stops.push(
    setVariables({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=canary-of-a-header",
      OTEL_BSP_SCHEDULE_DELAY: "10",
    }),
  );
  const tracing: Tracing = await startTracing("test", "1", process.env);
  const lines: object[] = [];
  tracing.reportTo({ warn: (fields: object) => void lines.push(fields) });
  return { collector, tracing, lines };
}

describe("spans", () => {
  it("are children of the active one, and none where there is none", async () => {
    const { collector, tracing } = await exporting();
    expect(startSpan("alone")).toBeNull();
    await inSpan("root", { parent: "root" }, async (root) => {
      expect(activeSpan()?.traceparent).toBe(root?.traceparent);
      await inSpan("child", {}, async () => startSpan("leaf", { kind: "client" })?.end());
    });
    await tracing.stop();
    const [leaf, child, root] = ["leaf", "child", "root"].map((name) =>
      collector.spans.find((span) => span.name === name),
    );
    expect(leaf).toMatchObject({ parentSpanId: child?.spanId, traceId: root?.traceId, kind: 3 });
    expect(child).toMatchObject({ parentSpanId: root?.spanId });
  });

  it("name what failed, and nothing of its message", async () => {
    const { collector, tracing } = await exporting();
    const fail = () => Promise.reject(new TypeError("canary"));
    await expect(inSpan("root", { parent: "root" }, fail)).rejects.toThrow("canary");
    await tracing.stop();
    expect(collector.spans).toMatchObject([{ name: "root", status: { code: 2 } }]);
    expect(collector.text()).toContain("TypeError");
    expect(collector.text()).not.toContain("canary");
  });

  it("of a step that serves several traces are in each of them", async () => {
    const { collector, tracing } = await exporting();
    const traceparents = ["a", "b"].map((digit) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`);
    const subjects = [...traceparents, null, "no traceparent"].map((traceparent) => ({
      traceparent,
      attributes: {},
    }));
    await inSpans("step", subjects, async () => startSpan("call")?.end());
    await tracing.stop();
    const steps = collector.spans.filter(({ name }) => name === "step");
    expect(steps.map(({ traceId, parentSpanId }) => `${traceId[0]}${parentSpanId?.[0]}`).sort()).toEqual([
      "aa",
      "bb",
    ]);
    expect(collector.spans.find(({ name }) => name === "call")?.traceId).toBe("a".repeat(32));
  });

  it("are not made of a trace that is not sampled", async () => {
    stops.push(setVariables({ OTEL_TRACES_EXPORTER: "otlp", OTEL_TRACES_SAMPLER: "always_off" }));
    const tracing = await startTracing("test", "1", process.env);
    expect(isTracing()).toBe(true);
    expect(startSpan("root", { parent: "root" })).toBeNull();
    await tracing.stop();
  });
});

describe("a collector that fails", () => {
  it("is reported once, without the headers that were sent to it, and disturbs no work", async () => {
    const { collector, tracing, lines } = await exporting((response) =>
      response.writeHead(500).end("canary-of-an-answer"),
    );
    for (let count = 0; count < 3; count++) {
      expect(await inSpan("root", { parent: "root" }, async () => count)).toBe(count);
      await until("it was exported", () => collector.spans.length > count || undefined);
    }
    await until("it is reported", () => lines.length > 0 || undefined);
    await tracing.stop();
    expect(lines).toHaveLength(1);
    expect(String(Reflect.get(lines[0] ?? {}, "err"))).not.toContain("canary");
  });

  it("that hangs keeps the end of a process no longer than three seconds", async () => {
    const { collector, tracing } = await exporting(() => undefined);
    expect(await inSpan("root", { parent: "root" }, async () => 1)).toBe(1);
    await until("it was exported", () => collector.spans.length > 0 || undefined);
    const stopped = tracing.stop().then(() => "stopped");
    // Timers fire in their order, also those that a busy machine is late for.
    expect(await Promise.race([stopped, sleep(3_500, "late", { ref: false })])).toBe("stopped");
  });
});
