import { AsyncLocalStorage } from "node:async_hooks";
import { type Attributes, type Span, setTracer } from "../../src/telemetry/tracing.ts";

/** A recorded span. */
export interface RecordedSpan {
  name: string;
  /** Id of the parent span, or of the traceparent that the trace began with. */
  parent: string;
  attributes: Attributes;
  error: string | null;
  ended: boolean;
}

/** Records spans instead of exporting them. @returns them, and what ends that */
export function recordSpans(): { spans: RecordedSpan[]; stop(): void } {
  const spans: RecordedSpan[] = [];
  const active = new AsyncLocalStorage<{ recorded: RecordedSpan; span: Span }>();
  setTracer({
    active: () => active.getStore()?.span ?? null,
    bind: (work) => AsyncLocalStorage.bind(work),
    start: (name, { parent, attributes = {} }) => {
      const above = parent ?? active.getStore()?.recorded.name;
      if (above === undefined) return null;
      const recorded: RecordedSpan = { name, parent: above, attributes, error: null, ended: false };
      spans.push(recorded);
      const span: Span = {
        traceId: "0".repeat(32),
        traceparent: `span ${name}`,
        set: (more) => Object.assign(recorded, { attributes: { ...recorded.attributes, ...more } }),
        rename: (to) => Object.assign(recorded, { name: to }),
        end: (error) => Object.assign(recorded, { ended: true, error: error ?? null }),
        run: (work) => active.run({ recorded, span }, work),
      };
      return span;
    },
  });
  return { spans, stop: () => setTracer(null) };
}
