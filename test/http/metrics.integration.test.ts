import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { Anvil } from "../../packages/sandbox/src/anvil.ts";
import { ROOT } from "../../src/config/root.ts";
import { start as startDeliverer } from "../../src/deliverer.ts";
import { start as startProber } from "../../src/prober.ts";
import { start as startWorker } from "../../src/worker.ts";
import { until } from "../support/assert/until.ts";
import { startAnvil } from "../support/chain/anvil.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { makeEnv, startTestApi, type TestEnv } from "../support/http/api.ts";

// Metrics of api, worker, deliverer and prober as they are served, held against docs/operations/metrics.md.

interface Metric {
  type: string;
  labels: string[];
}

const PAGE = readFileSync(`${ROOT}docs/operations/metrics.md`, "utf8");
/** Beginnings of names that prom-client gives to what it reports of every process. */
const DEFAULTS = /^(process|nodejs)_/;
const SECRET = "canary-of-an-rpc-url";

const SLOT = `metrics_${process.pid}`;

let anvil: Anvil;
let database: TestDatabase;
let env: TestEnv;
let pages: Record<string, string>;

beforeAll(async () => {
  [anvil, database] = await Promise.all([startAnvil(), createDatabase()]);
  env = makeEnv(database.url, `${anvil.rpcUrl}/?key=${SECRET}`);
  const api = await startTestApi(env.env);
  const worker = await startWorker(
    { ...env.env, SENDER_KEYS: `0x${"11".repeat(32)}` },
    { logTo: { write: () => undefined } },
  );
  const deliverer = await startDeliverer(env.env, { logTo: { write: () => undefined } });
  const key = await env.makeKey({ access: "READ_ONLY" });
  await env.makeKey({ name: "expires", expiresAt: new Date(Date.now() + 86_400_000) });
  await env.pool.query("SELECT pg_create_physical_replication_slot($1)", [SLOT]);
  const prober = await startProber(
    { ...env.env, PROBE_URL: api.url, PROBE_API_KEY: key.apiKey, PROBE_API_SECRET: key.apiSecret },
    { logTo: { write: () => undefined } },
  );
  await fetch(`${api.operatorUrl}/readyz`);
  await fetch(`${api.operatorUrl}/graphql`, { method: "POST" });
  const read = async (url: string) => (await fetch(`${url}/metrics`)).text();
  pages = {
    api: await read(api.operatorUrl),
    deliverer: await read(deliverer.url),
    prober: await until("the prober has been answered", async () => {
      const page = await read(prober.url);
      return /^probe_duration_seconds_count\{.*\} [1-9]/m.test(page) ? page : undefined;
    }),
    worker: await until("the worker has asked its node", async () => {
      const page = await read(worker.url);
      return /^rpc_requests_total\{.*method="eth_chainId",result="ok"/m.test(page) ? page : undefined;
    }),
  };
  await Promise.all([api.stop(), worker.stop(), deliverer.stop(), prober.stop()]);
});

afterAll(async () => {
  await env?.pool.query("SELECT pg_drop_replication_slot($1)", [SLOT]);
  await env?.dispose();
  await Promise.all([database?.drop(), anvil?.stop()]);
});

/** Returns the metrics of a page; the labels are those that its samples have, null where it has none. */
function metricsOf(page: string): Map<string, { type: string; labels: string[] | null }> {
  const types = [...page.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Map(
    types
      .filter(([, name = ""]) => !DEFAULTS.test(name))
      .map(([, name = "", type = ""]) => {
        const sample = new RegExp(`^${name}(?:_count)?(?:\\{(.*)\\})? \\S+$`, "m").exec(page);
        const labels = sample && [...(sample[1] ?? "").matchAll(/(\w+)="/g)].map(([, label = ""]) => label);
        return [name, { type, labels: labels?.sort() ?? null }];
      }),
  );
}

/** Returns the items of the page's lists that are of a program. */
function documented(program: string): Map<string, Metric> {
  const rows = [...PAGE.matchAll(/^- `(\w+)` (\w+)((?: by [`\w,\s]+?)?)(?:\s\(([\w,\s]+)\))?:/gm)];
  return new Map(
    rows
      .filter(([, , , , programs = "api, worker, deliverer, prober"]) =>
        programs.split(/,\s+/).includes(program),
      )
      .map(([, name = "", type = "", labels = ""]) => [
        name,
        { type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = ""]) => label).sort() },
      ]),
  );
}

it.each(["api", "worker", "deliverer", "prober"])(
  "documents every metric of the %s with its type and labels, and no other",
  (program) => {
    const served = metricsOf(pages[program] ?? "");
    const rows = documented(program);
    expect([...rows.keys()].sort()).toEqual([...served.keys()].sort());
    for (const [name, { type, labels }] of served) {
      const row = rows.get(name);
      // Labels are seen where there is a sample.
      expect({ name, ...row }).toEqual({ name, type, labels: labels ?? row?.labels });
    }
  },
);

it.each([
  ["api", "eth_getBlockByNumber"],
  ["worker", "eth_chainId"],
])("the %s counts what it asks its nodes, which are named by host and port alone", (program, method) => {
  const node = new URL(anvil.rpcUrl).host;
  const labels = `chain_id="31337",node="${node}",method="${method}"`;
  expect(pages[program]).toMatch(new RegExp(`^rpc_requests_total\\{${labels},result="ok"\\} [1-9]`, "m"));
  expect(pages[program]).toMatch(new RegExp(`^rpc_request_duration_seconds_count\\{${labels}\\} [1-9]`, "m"));
  expect(pages[program]).not.toContain(SECRET);
});

it("the prober shows no certificate where there is no TLS: 0 would have expired", () => {
  expect(pages.prober).toMatch(/^# TYPE probe_certificate_expiry_timestamp_seconds gauge$/m);
  expect(pages.prober).not.toMatch(/^probe_certificate_expiry_timestamp_seconds/m);
});

it.each(["api", "worker", "deliverer"])("the %s reports its connections to the database", (program) => {
  expect(pages[program]).toMatch(/^database_pool_connections\{pool="pg",state="total"\} [1-9]/m);
  expect(pages[program]).toMatch(/^database_pool_connections\{pool="pg",state="idle"\} \d/m);
  expect(pages[program]).not.toMatch(/^database_pool_connections\{pool="(?!pg")/m);
  expect(pages[program]).toMatch(/^database_pool_waiting\{pool="pg"\} 0$/m);
});
