import {
  type Context,
  context,
  DiagLogLevel,
  diag,
  isSpanContextValid,
  type Link,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { setGlobalErrorHandler } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ConsoleSpanExporter,
  SimpleSpanProcessor,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import type { Span, SpanOptions, Tracer } from "./tracing.ts";

export type Exporter = "otlp" | "console";

export interface SdkOptions {
  exporters: readonly Exporter[];
  /** Defaults of the resource; OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES come before them. */
  service: { name: string; version: string };
  /** Called where spans cannot be exported. */
  onFailure: (failure: unknown) => void;
}

export interface Sdk {
  tracer: Tracer;
  /** Exports what is left. */
  shutdown(): Promise<void>;
}

/** Starts OpenTelemetry. Sampler, limits, batches, headers and resource are read from the standard variables by the SDK itself. */
export function startSdk({ exporters, service, onFailure }: SdkOptions): Sdk {
  const report = (message: unknown) => onFailure(message);
  diag.setLogger(
    { error: report, warn: report, info: () => undefined, debug: () => undefined, verbose: () => undefined },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  setGlobalErrorHandler(onFailure);
  const contexts = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(contexts);
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": service.name, "service.version": service.version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: exporters.map(processorOf),
  });
  const otel = provider.getTracer("partner-trading", service.version);
  return {
    tracer: {
      start: (name, options) => {
        const parent = parentOf(options.parent);
        if (parent === null) return null;
        const span = otel.startSpan(name, spanOptions(options), parent);
        return span.isRecording() ? wrap(span, parent) : null;
      },
      active: () => {
        const span = trace.getActiveSpan();
        return span ? wrap(span, context.active()) : null;
      },
      bind: (work) => context.bind(context.active(), work),
    },
    shutdown: async () => {
      await provider.shutdown();
      contexts.disable();
      context.disable();
      diag.disable();
    },
  };
}

const processorOf = (exporter: Exporter): SpanProcessor =>
  exporter === "otlp"
    ? new BatchSpanProcessor(new OTLPTraceExporter())
    : new SimpleSpanProcessor(new ConsoleSpanExporter());

/** Returns null where there is nothing to be part of. */
function parentOf(parent: SpanOptions["parent"]): Context | null {
  if (parent === "root") return ROOT_CONTEXT;
  if (parent === undefined) return trace.getActiveSpan() ? context.active() : null;
  const spanContext = parseTraceparent(parent);
  return spanContext && trace.setSpanContext(ROOT_CONTEXT, spanContext);
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

function parseTraceparent(text: string) {
  const [, traceId = "", spanId = "", flags = ""] = TRACEPARENT.exec(text) ?? [];
  const spanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(spanContext) ? spanContext : null;
}

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

function spanOptions({ kind = "internal", attributes = {}, links = [], startMs }: SpanOptions) {
  return {
    kind: KINDS[kind],
    attributes: { ...attributes } as Record<string, string>,
    links: links.flatMap((traceparent): Link[] => {
      const linked = parseTraceparent(traceparent);
      return linked ? [{ context: linked }] : [];
    }),
    ...(startMs === undefined ? {} : { startTime: startMs }),
  };
}

function wrap(span: OtelSpan, parent: Context): Span {
  const { traceId, spanId, traceFlags } = span.spanContext();
  const own = trace.setSpan(parent, span);
  return {
    traceId,
    traceparent: `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, "0")}`,
    set: (attributes) => void span.setAttributes({ ...attributes } as Record<string, string>),
    rename: (name) => void span.updateName(name),
    end: (error) => {
      if (error !== undefined)
        span.setAttribute("error.type", error).setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
    run: (work) => context.with(own, work),
  };
}
