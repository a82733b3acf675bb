import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { until } from "../support/assert/until.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { makeEnv, PRODUCT, type TestEnv } from "../support/http/api.ts";
import { createPartner } from "../support/http/partner.ts";
import { startProgram, urlOf } from "../support/program/program.ts";
import { type Collector, startCollector } from "./collector.ts";

// The program as it is built and shipped, with the SDK out of its bundle, and a collector that stops answering.

let database: TestDatabase;
let env: TestEnv;
let collector: Collector;
let answer = (response: ServerResponse): void => void response.writeHead(200).end("{}");

beforeAll(async () => {
  database = await createDatabase();
  env = makeEnv(database.url, "http://127.0.0.1:1");
  collector = await startCollector((response) => answer(response));
});
afterAll(async () => {
  await env?.dispose();
  await collector?.stop();
  await database?.drop();
});

it("exports the trace of a request, names it in the log, and ends in time while its collector hangs", async () => {
  const program = startProgram("src/bin/api.ts", {
    ...env.env,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=canary-of-a-header",
    OTEL_SERVICE_NAME: "partner-api-eu",
    OTEL_BSP_SCHEDULE_DELAY: "50",
  });
  const url = await urlOf(program);
  const partner = createPartner(url, {
    apiKey: "pk_x",
    apiSecret: "x",
    chainId: 31337,
    productType: PRODUCT,
  });
  const { body } = await partner.get("/config");
  expect(body).toMatchObject({ code: 401 });
  const root = await until("the request is exported", () =>
    collector.spans.find(({ name }) => name === "GET /config"),
  );
  expect(collector.resource).toMatchObject({ "service.name": "partner-api-eu" });
  expect(
    collector.spans.some(({ parentSpanId, name }) => parentSpanId === root.spanId && name === "authenticate"),
  ).toBe(true);
  expect(program.output()).toContain(`"trace_id":"${root.traceId}"`);

  answer = () => undefined;
  expect((await partner.get("/config")).body).toMatchObject({ code: 401 });
  const exported = collector.requests.length;
  await until("an export hangs", () => collector.requests.length > exported || undefined);
  program.kill("SIGTERM");
  expect(await program.exited).toBe(0);
  expect(program.output()).toContain('"msg":"stopped"');
  expect(program.output() + program.errors()).not.toContain("canary-of-a-header");
});
