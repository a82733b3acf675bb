// Spans as the rest of the code makes them. OpenTelemetry is behind `Tracer` (otel.ts), which is loaded only where the environment
// asks for traces: without them, each of these functions costs one comparison.

export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface SpanOptions {
  kind?: "internal" | "server" | "client" | "producer" | "consumer";
  /** Nothing that a caller sent, no address of a user, no call data, no signature: a collector is another system. */
  attributes?: Attributes;
  /**
   * `root` begins a trace, and a `traceparent` (W3C) continues one. Left out, the span is a child of the active one, and is not
   * made where none is active: what a program does by itself, such as polling, is no trace.
   */
  parent?: string;
  /** A `traceparent` of each trace that this span also serves. */
  links?: readonly string[];
  /** Begin, Unix ms; now by default. */
  startMs?: number;
}

/** A span that is recorded. */
export interface Span {
  readonly traceId: string;
  /** Names the span to the program that continues the trace (W3C Trace Context). */
  readonly traceparent: string;
  set(attributes: Attributes): void;
  rename(name: string): void;
  /** Ends the span, once. @param error what failed, as a code or the name of a class */
  end(error?: string): void;
  /** Runs work with this span as the active one. */
  run<T>(work: () => T): T;
}

export interface Tracer {
  /** Returns null where the span is not recorded. */
  start(name: string, options: SpanOptions): Span | null;
  /** Returns the active span. The code that made it ends it. */
  active(): Span | null;
  /** Returns a function that runs with the span that is active now. */
  bind<F extends (...args: never[]) => unknown>(work: F): F;
}

let tracer: Tracer | null = null;

/** Sets what makes spans from now on, for the whole process; null: none are made. */
export function setTracer(to: Tracer | null): void {
  tracer = to;
}

export const isTracing = (): boolean => tracer !== null;

/** Begins a span. Returns null where it is not recorded. */
export function startSpan(name: string, options: SpanOptions = {}): Span | null {
  return tracer === null ? null : tracer.start(name, options);
}

/** Runs work in a span, which ends with it. A failure is named by its errCode or class, never by its message. */
export function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: Span | null) => Promise<T>,
): Promise<T> {
  const span = tracer === null ? null : tracer.start(name, options);
  return span === null ? work(null) : span.run(() => endAfter([span], () => work(span)));
}

/**
 * Runs a step that serves several traces, in a span of each: the same step takes part in all of them. What it does itself is
 * part of the first.
 */
export function inSpans<T>(
  name: string,
  subjects: readonly { traceparent: string | null; attributes: Attributes }[],
  work: () => Promise<T>,
): Promise<T> {
  if (tracer === null) return work();
  const spans = subjects.flatMap(({ traceparent, attributes }) =>
    traceparent === null ? [] : (startSpan(name, { parent: traceparent, attributes }) ?? []),
  );
  const [first] = spans;
  return first ? first.run(() => endAfter(spans, work)) : work();
}

async function endAfter<T>(spans: readonly Span[], work: () => Promise<T>): Promise<T> {
  let failure: string | undefined;
  try {
    return await work();
  } catch (error) {
    failure = nameOf(error);
    throw error;
  } finally {
    for (const span of spans) span.end(failure);
  }
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return "errCode" in error && typeof error.errCode === "string" ? error.errCode : error.name;
}

/** Returns the active span; null where there is none. */
export const activeSpan = (): Span | null => (tracer === null ? null : tracer.active());

/** Returns a function that runs with the span that is active now, from wherever it is called. */
export function bindSpan<F extends (...args: never[]) => unknown>(work: F): F {
  return tracer === null ? work : tracer.bind(work);
}
