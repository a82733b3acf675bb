import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import type { Exporter, Sdk } from "./otel.ts";
import { setTracer } from "./tracing.ts";

/** Traces of one process. */
export interface Tracing {
  /** Logs from now on where spans cannot be exported, at most once a minute. */
  reportTo(log: Pick<Logger, "warn">): void;
  /** Exports what is left, for three seconds at most. Never throws. */
  stop(): Promise<void>;
}

/** Longest time for the last spans. The process has longer to stop (lifecycle.ts). */
const FLUSH_MS = 3_000;
const REPORT_EVERY_MS = 60_000;

/**
 * Starts traces where the standard variables of OpenTelemetry ask for them (docs/configuration.md#tracing). The SDK is loaded only
 * then, and reads its other variables from the process itself. Whatever fails is reported, and no traces are made.
 * @param program such as "api"; the service is then "partner-trading-api" unless the environment names it
 */
export async function startTracing(
  program: string,
  version: string,
  environment: NodeJS.ProcessEnv,
): Promise<Tracing> {
  const { exporters, refused } = exportersOf(environment);
  const failures = createReports();
  if (refused) failures.report(refused);
  if (exporters.length === 0) return { reportTo: failures.reportTo, stop: async () => undefined };
  const sdk = await load(exporters, { name: `partner-trading-${program}`, version }, failures.report);
  setTracer(sdk?.tracer ?? null);
  return {
    reportTo: failures.reportTo,
    stop: async () => {
      setTracer(null);
      const late = new AbortController();
      const limit = delay(FLUSH_MS, undefined, { signal: late.signal }).catch(() => undefined);
      await Promise.race([sdk?.shutdown().catch(failures.report), limit]).finally(() => late.abort());
    },
  };
}

async function load(
  exporters: readonly Exporter[],
  service: { name: string; version: string },
  onFailure: (failure: unknown) => void,
): Promise<Sdk | null> {
  try {
    const { startSdk } = await import("./otel.ts");
    return startSdk({ exporters, service, onFailure });
  } catch (error) {
    onFailure(error);
    return null;
  }
}

/** Returns what spans are exported by; none where nothing asks for traces, and what was asked for in vain. */
export function exportersOf(environment: NodeJS.ProcessEnv): { exporters: Exporter[]; refused?: string } {
  const read = (name: string): string => environment[name]?.trim() ?? "";
  if (read("OTEL_SDK_DISABLED").toLowerCase() === "true") return { exporters: [] };
  const hasEndpoint =
    read("OTEL_EXPORTER_OTLP_ENDPOINT") !== "" || read("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") !== "";
  const named = read("OTEL_TRACES_EXPORTER") || (hasEndpoint ? "otlp" : "none");
  const names = named.split(",").map((name) => name.trim());
  const exporters = names.filter((name): name is Exporter => name === "otlp" || name === "console");
  const unknown = names.filter((name) => name !== "none" && !exporters.some((known) => known === name));
  if (unknown.length > 0) return { exporters, refused: "OTEL_TRACES_EXPORTER must be otlp, console or none" };
  const protocol = read("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") || read("OTEL_EXPORTER_OTLP_PROTOCOL");
  if (exporters.includes("otlp") && protocol === "grpc")
    return {
      exporters: [],
      refused: "OTEL_EXPORTER_OTLP_PROTOCOL=grpc: spans are exported by http/json only",
    };
  return { exporters };
}

/** Keeps the first failure until there is a log. */
function createReports() {
  let log: Pick<Logger, "warn"> | null = null;
  let early: unknown = null;
  let reportedAt = Number.NEGATIVE_INFINITY;
  const report = (failure: unknown): void => {
    if (!log) early ??= failure;
    if (!log || performance.now() - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = performance.now();
    // Of an error of the exporter nothing but its name, message and code is written; it also holds what the collector answered.
    log.warn({ err: typeof failure === "string" ? new Error(failure) : failure }, "traces are not exported");
  };
  return {
    report,
    reportTo: (to: Pick<Logger, "warn">) => {
      log = to;
      if (early !== null) report(early);
    },
  };
}
