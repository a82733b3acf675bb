import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { freePort } from "../../src/sandbox/ports.ts";
import { until } from "../support/assert/until.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { makeEnv, type TestEnv } from "../support/http/api.ts";
import { openRaw } from "../support/http/raw-http.ts";
import { type Program, startProgram, urlOf } from "../support/program/program.ts";

// A program of its own, so that the memory is the server's.
let database: TestDatabase;
let env: TestEnv;
let program: Program;
let url: string;
let operatorUrl: string;
beforeAll(async () => {
  const port = await freePort();
  database = await createDatabase();
  env = makeEnv(database.url, "http://127.0.0.1:1");
  program = startProgram("src/bin/api.ts", { ...env.env, OPERATOR_PORT: String(port) });
  operatorUrl = `http://127.0.0.1:${port}`;
  url = await urlOf(program);
});
afterAll(async () => {
  program?.kill("SIGTERM");
  await program?.exited;
  await env?.dispose();
  await database?.drop();
});

async function readMetric(name: string): Promise<number> {
  const text = await (await fetch(`${operatorUrl}/metrics`)).text();
  const line = text.split("\n").find((candidate) => candidate.startsWith(name));
  return Number(line?.split(" ").at(-1) ?? 0);
}

const CONNECTIONS = 10;
const MIB = 1024 * 1024;

it("costs little memory, whoever pipelines 1,500 GETs of the OpenAPI document and reads nothing", async () => {
  const before = await readMetric("process_resident_memory_bytes");
  const request = `GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n`;
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => openRaw(url)));
  for (const { socket } of connections) {
    socket.pause();
    socket.write(request.repeat(1_500));
  }
  await until(
    "all are closed",
    async () => (await readMetric("http_connections_closed_total")) === CONNECTIONS || undefined,
  );
  expect((await fetch(`${url}/livez`)).status).toBe(200);
  // Copies of all answers of one connection alone would be 750 MiB.
  expect((await readMetric("process_resident_memory_bytes")) - before).toBeLessThan(150 * MIB);
  for (const { socket } of connections) socket.destroy();
});
