import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { z } from "zod";

/** A span as OTLP/JSON has it. */
const spanSchema = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
  attributes: z.array(z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) })),
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })),
  status: z.object({ code: z.number() }),
});
export type CollectedSpan = z.infer<typeof spanSchema>;

const bodySchema = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({
        attributes: z.array(z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) })),
      }),
      scopeSpans: z.array(z.object({ spans: z.array(spanSchema) })),
    }),
  ),
});

/** A collector of traces: OTLP over HTTP, as JSON. */
export interface Collector {
  url: string;
  spans: CollectedSpan[];
  /** The resource of the last export. */
  resource: Record<string, unknown>;
  /** Returns all posted bodies as text. */
  text(): string;
  /** Exports that arrived, with their headers. */
  requests: IncomingMessage[];
  stop(): Promise<void>;
}

/** @param answer of every export; left out, it is taken */
export async function startCollector(
  answer: (response: ServerResponse) => void = (response) => void response.writeHead(200).end("{}"),
): Promise<Collector> {
  const bodies: string[] = [];
  const collector: Collector = {
    url: "",
    spans: [],
    resource: {},
    text: () => bodies.join("\n"),
    requests: [],
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  const server = createServer(async (request, response) => {
    collector.requests.push(request);
    const body = (await buffer(request)).toString();
    bodies.push(body);
    for (const { resource, scopeSpans } of bodySchema.parse(JSON.parse(body)).resourceSpans) {
      collector.resource = Object.fromEntries(
        resource.attributes.map(({ key, value }) => [key, Object.values(value)[0]]),
      );
      collector.spans.push(...scopeSpans.flatMap(({ spans }) => spans));
    }
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  collector.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return collector;
}

/** Returns an attribute of a span. */
export const attribute = ({ attributes }: CollectedSpan, name: string): unknown =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0];

const VARIABLES = /^OTEL_/;

/** Sets variables of OpenTelemetry, which the SDK reads from the process. @returns what takes them back */
export function setVariables(variables: Record<string, string>): () => void {
  const clear = () => {
    for (const name of Object.keys(process.env)) if (VARIABLES.test(name)) delete process.env[name];
  };
  clear();
  Object.assign(process.env, variables);
  return clear;
}
