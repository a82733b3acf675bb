import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startTracing, type Tracing } from "../../src/telemetry/start.ts";
import { canariesOfThisProcess } from "../support/assert/logs.ts";
import { present, until } from "../support/assert/until.ts";
import type { Send } from "../support/http/answers.ts";
import type { Partner } from "../support/http/partner.ts";
import { chainClient } from "../support/sender/chain-fixture.ts";
import { CONFIRMATIONS, enableUser, marketBuy } from "../support/sender/sending.ts";
import { type SendingApi, startSendingApi } from "../support/sender/sending-api.ts";
import { attribute, type CollectedSpan, type Collector, setVariables, startCollector } from "./collector.ts";

// One trace of a request to send, from its HTTP request to its final block, as a collector receives it. Api and worker share this
// process, and are joined by nothing but the database all the same.

const FOREIGN = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

let collector: Collector;
let tracing: Tracing;
let stage: SendingApi;
let partner: Partner;
let clearVariables: () => void;
/** The trace of one /send, and the answer. */
let spans: CollectedSpan[];
let uuid: string;
let sent: Send;

beforeAll(async () => {
  collector = await startCollector();
  clearVariables = setVariables({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20of-the-collector",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    OTEL_BSP_SCHEDULE_DELAY: "20",
  });
  tracing = await startTracing("test", "1.2.3", process.env);
  stage = await startSendingApi();
  partner = await enableUser(stage.sending, stage.api.url, present(stage.product.users[0], "a user"));
  const answer = await partner.post<Send>("/orders/send", marketBuy(stage.sending, "10"), {
    headers: { traceparent: FOREIGN },
  });
  expect(answer.body).toMatchObject({ code: 200 });
  uuid = answer.body.uuid;
  sent = answer.body.data as Send;
  await chainClient(stage.product.rpcUrl).mine({ blocks: CONFIRMATIONS + 1 });
  spans = await until("the whole trace is exported", () => {
    const root = collector.spans.find((span) => attribute(span, "request_uuid") === uuid);
    const all = collector.spans.filter(({ traceId }) => traceId === root?.traceId);
    return all.some(({ name }) => name === "final") ? all : undefined;
  });
});

afterAll(async () => {
  await stage?.close();
  await tracing?.stop();
  clearVariables?.();
  await collector?.stop();
});

const named = (name: string): CollectedSpan => {
  const found = spans.filter((span) => span.name === name);
  expect(found.map((span) => span.name)).toEqual([name]);
  return found[0] as CollectedSpan;
};
const parentOf = ({ parentSpanId }: CollectedSpan) => spans.find(({ spanId }) => spanId === parentSpanId);
const childrenOf = ({ spanId }: CollectedSpan) => spans.filter(({ parentSpanId }) => parentSpanId === spanId);

/** Returns the names from a span up to the root of its trace. */
function ancestry(span: CollectedSpan): string[] {
  const parent = parentOf(span);
  return parent ? [span.name, ...ancestry(parent)] : [span.name];
}

describe("the trace of a request to send", () => {
  it("begins with the HTTP request, and names route, status and uuid", () => {
    const root = named("POST /orders/send");
    expect(root).toMatchObject({ kind: 2 });
    expect(root.parentSpanId ?? "").toBe("");
    expect(attribute(root, "http.route")).toBe("/orders/send");
    expect(String(attribute(root, "http.response.status_code"))).toBe("200");
    expect(attribute(root, "request_uuid")).toBe(uuid);
  });

  it("is a trace of our own: a caller's traceparent is linked", () => {
    const root = named("POST /orders/send");
    expect(root.traceId).not.toBe(FOREIGN.split("-")[1]);
    expect(root.links).toMatchObject([{ traceId: FOREIGN.split("-")[1], spanId: FOREIGN.split("-")[2] }]);
  });

  it("has authentication and the field beside each other, with statements and calls to the node below", () => {
    const root = named("POST /orders/send");
    expect(parentOf(named("authenticate"))).toBe(root);
    const field = present(
      childrenOf(root).find(({ name }) => name.startsWith("Mutation.")),
      "the field",
    );
    const below = (name: string) =>
      spans.filter((span) => span.name === name && ancestry(span).includes(field.name));
    expect(below("eth_estimateGas").length).toBeGreaterThan(0);
    const inserted = spans.filter(({ name }) => name.startsWith("INSERT app.send_request"));
    expect({ isBelowField: inserted.map((span) => ancestry(span).includes(field.name)) }).toEqual({
      isBelowField: [true],
    });
    const nonce = spans.find(({ name }) => name.includes("app.api_nonce"));
    expect(ancestry(present(nonce, "the nonce's statement"))).toContain("authenticate");
  });

  it.each([
    ["sign", "UPDATE app.send_request"],
    ["broadcast", "eth_sendRawTransaction"],
  ])("goes on in the worker: %s, with what that does below it", (step, call) => {
    const span = named(step);
    expect(ancestry(span).at(-1)).toBe("POST /orders/send");
    expect(
      spans.some(({ parentSpanId, name }) => parentSpanId === span.spanId && name.startsWith(call)),
    ).toBe(true);
  });

  it("ends with the confirmation, which names the transaction, and its finality", () => {
    const confirm = named("confirm");
    expect(attribute(confirm, "tx_hash")).toBe(String(sent.txHash).toLowerCase());
    for (const span of [confirm, named("final")]) expect(ancestry(span).at(-1)).toBe("POST /orders/send");
    expect(BigInt(confirm.startTimeUnixNano)).toBeLessThanOrEqual(BigInt(confirm.endTimeUnixNano));
    expect(BigInt(named("broadcast").startTimeUnixNano)).toBeLessThanOrEqual(
      BigInt(named("final").endTimeUnixNano),
    );
  });

  it("is in the log: the request's line has its id", () => {
    const line = stage.api.lines
      .map((text) => JSON.parse(text))
      .find((each) => each.uuid === uuid && each.route);
    expect(line).toMatchObject({ trace_id: spans[0]?.traceId, msg: "request" });
  });
});

describe("what a collector receives", () => {
  it("holds no secret, no signature, no user's address, no call data, and nothing of how the node is reached", async () => {
    const text = collector.text();
    const secrets = canariesOfThisProcess();
    expect(secrets.length).toBeGreaterThan(5);
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    const user = present(stage.product.users[0], "a user").address;
    expect(text.toLowerCase()).not.toContain(user.slice(2).toLowerCase());
    const { rows } = await stage.sending.pool.query("SELECT call_data FROM app.send_request");
    for (const { call_data } of rows) expect(text).not.toContain(call_data.toString("hex").slice(0, 72));
    // No value is longer than a hash.
    expect(text).not.toMatch(/[0-9a-f]{65,}/i);
  });

  it("comes with the headers and the resource of the environment", () => {
    expect(collector.requests[0]?.headers.authorization).toBe("Bearer of-the-collector");
    expect(collector.resource).toMatchObject({
      "service.name": "partner-trading-test",
      "service.version": "1.2.3",
      "deployment.environment.name": "test",
    });
    expect(stage.api.lines.join("")).not.toContain("of-the-collector");
  });

  it("is no trace of what the programs do by themselves", () => {
    const roots = collector.spans.filter(({ parentSpanId }) => !parentSpanId);
    expect(roots.filter(({ kind }) => kind !== 2).map(({ name }) => name)).toEqual([]);
  });
});
