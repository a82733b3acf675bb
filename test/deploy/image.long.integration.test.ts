import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { Anvil } from "../../packages/sandbox/src/anvil.ts";
import { freePort } from "../../packages/sandbox/src/ports.ts";
import { ROOT } from "../../src/config/root.ts";
import { until } from "../support/assert/until.ts";
import { startAnvil } from "../support/chain/anvil.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { makeEnv, type TestEnv } from "../support/http/api.ts";
import { type Program, startProgram, urlOf } from "../support/program/program.ts";
import { parseEnvFile, readServices } from "./compose-file.ts";

/**
 * Starts the programs from the files that deploy/Dockerfile copies into the image, and from nothing else: a file that a
 * program reads and the image lacks shows here, also where no Docker is.
 */
let image: string;
let anvil: Anvil;
let database: TestDatabase;
let env: TestEnv;
const programs: Program[] = [];

beforeAll(async () => {
  image = mkdtempSync(join(tmpdir(), "partner-image-"));
  for (const [from, to] of copiesOf(readFileSync(`${ROOT}deploy/Dockerfile`, "utf8"))) {
    cpSync(join(ROOT, from), join(image, to), { recursive: true });
  }
  [anvil, database] = await Promise.all([startAnvil(), createDatabase({ empty: true })]);
  env = makeEnv(database.url, anvil.rpcUrl);
});

afterAll(async () => {
  for (const program of programs) program.kill("SIGTERM");
  const codes = await Promise.all(programs.map(({ exited }) => exited));
  await env?.dispose();
  await Promise.all([database?.drop(), anvil?.stop()]);
  rmSync(image, { recursive: true, force: true });
  expect(codes).toEqual(programs.map(() => 0));
});

/** Returns what the last stage takes from the build, and where to, below /app; what lies elsewhere is left out. */
function copiesOf(dockerfile: string): [from: string, to: string][] {
  const copies = [...dockerfile.matchAll(/^COPY --from=build \/app\/(\S+) (\S+)$/gm)];
  expect(copies.length).toBeGreaterThan(5);
  return copies.flatMap(([, from = "", to = ""]) =>
    to.startsWith("/") ? [] : [[from, to === "./" ? from : to] as [string, string]],
  );
}

function start(name: string, extra: NodeJS.ProcessEnv = {}): Program {
  const program = startProgram(`src/bin/${name}.ts`, { ...env.env, NODE_ENV: "production", ...extra }, image);
  programs.push(program);
  return program;
}

/** Returns the exit code of a service's health check in deploy/compose.yaml, asked of a program that listens elsewhere. */
function checkHealth(service: string, url: string): number | null {
  const example = readFileSync(`${ROOT}deploy/.env.example`, "utf8");
  const [, bash = "", ...args] = readServices(parseEnvFile(example))[service]?.healthcheck?.test ?? [];
  // Compose reads "$$" as "$".
  const local = args.map((arg) =>
    arg.replace(/(127\.0\.0\.1\/)\d+/, `$1${new URL(url).port}`).replaceAll("$$", "$"),
  );
  return spawnSync(bash, local, { timeout: 10_000 }).status;
}

it("migrates the database", async () => {
  expect(await start("migrate").exited).toBe(0);
});

it("runs the api: its document, the reference, pages of errors and the dashboard", async () => {
  const operatorPort = await freePort();
  const operatorUrl = `http://127.0.0.1:${operatorPort}`;
  const publicUrl = await urlOf(start("api", { OPERATOR_PORT: String(operatorPort) }));
  const statusOf = async (url: string) => (await fetch(url)).status;
  for (const path of [
    "/livez",
    "/openapi.json",
    "/openapi-3.0.json",
    "/docs",
    "/docs/reference",
    "/llms.txt",
    "/docs/errors/BODY_TOO_LARGE",
  ])
    expect({ path, status: await statusOf(`${publicUrl}${path}`) }).toEqual({ path, status: 200 });
  for (const path of ["/livez", "/metrics", "/dashboard"])
    expect({ path, status: await statusOf(`${operatorUrl}${path}`) }).toEqual({ path, status: 200 });
  await until("the api is ready", async () => ((await fetch(`${publicUrl}/readyz`)).ok ? true : undefined));
  expect(checkHealth("api-1", publicUrl)).toBe(0);
  expect(checkHealth("api-1", `http://127.0.0.1:${await freePort()}`)).toBe(1);
});

it("runs the worker, which finds its database migrated", async () => {
  const url = await urlOf(start("worker"));
  await until("the worker is ready", async () => ((await fetch(`${url}/readyz`)).ok ? true : undefined));
  expect(checkHealth("worker", url)).toBe(0);
});

it("runs the deliverer, which knows no chain", async () => {
  const url = await urlOf(start("deliverer"));
  await until("the deliverer is ready", async () => ((await fetch(`${url}/readyz`)).ok ? true : undefined));
  expect(checkHealth("deliverer", url)).toBe(0);
});

it("runs the prober, which knows no database", async () => {
  const url = await urlOf(
    start("prober", { PROBE_URL: anvil.rpcUrl, PROBE_API_KEY: "pk_1", PROBE_API_SECRET: "any" }),
  );
  await until("the prober is ready", async () => ((await fetch(`${url}/readyz`)).ok ? true : undefined));
  expect(checkHealth("prober", url)).toBe(0);
});

it("runs the indexer until its backfill is done", async () => {
  const indexer = start("indexer");
  await until("the indexer has backfilled", () =>
    indexer.output().includes("Completed backfill") || indexer.ended() ? indexer.output() : undefined,
  );
  expect(indexer.errors()).toBe("");
  expect(indexer.ended()).toBe(false);
});

it("has the operator's command", async () => {
  const command = startProgram("packages/admin/src/main.ts", { DATABASE_URL: database.url }, image);
  expect(await command.exited).toBe(2);
  expect(command.errors()).toContain("Usage: partner-trading-admin");
});
