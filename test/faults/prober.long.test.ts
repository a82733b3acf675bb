import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { runPromtool } from "../deploy/promtool.ts";
import { PROMETHEUS } from "../deploy/rules.ts";
import { canary } from "../support/assert/logs.ts";
import { present, until } from "../support/assert/until.ts";
import { type Balancer, startBalancer } from "../support/http/balancer.ts";
import type { PartnerKey } from "../support/http/partner.ts";
import { readMetric } from "../support/http/read-metric.ts";
import { describeWhere } from "../support/program/describe-where.ts";
import { type Stack, type Started, startStack, untilReady } from "../support/sender/stack.ts";

/** Prober against a whole service behind a balancer, whose only api dies (docs/faults.md, "Outages as partners see them"). */
let stack: Stack;
let balancer: Balancer;
let api: Started;
let key: PartnerKey;
let prober: Started;

const startProber = (url: string, env: NodeJS.ProcessEnv = {}) =>
  stack.startProber({
    PROBE_URL: url,
    PROBE_API_KEY: key.apiKey,
    PROBE_API_SECRET: canary("API secret of the prober", key.apiSecret),
    PROBE_INTERVAL_SECONDS: "1",
    ...env,
  });

beforeAll(async () => {
  stack = await startStack();
  balancer = await startBalancer();
  [api] = await Promise.all([stack.startApi(), stack.startWorker()]);
  await untilReady(api.url);
  balancer.backends.add(api.url);
  key = await stack.sending.makeKey({ access: "READ_ONLY" });
  prober = await startProber(balancer.url);
});
afterAll(async () => {
  await stack?.close();
  await balancer?.close();
});

const blockAge = () => readMetric(prober.url, "probe_block_age_seconds{");

function count(check: string, result: string, of = prober): Promise<number> {
  const labels = `chain_id="${key.chainId}",product_type="${key.productType}",check="${check}",result="${result}"`;
  return readMetric(of.url, `probe_duration_seconds_count{${labels}}`);
}

/** Waits until so many more requests have this result. */
async function more(check: string, result: string, requests: number, of = prober): Promise<void> {
  const before = await count(check, result, of);
  await until(`${requests} more requests (${check}) are ${result}`, async () =>
    (await count(check, result, of)) >= before + requests ? true : undefined,
  );
}

/** Returns the last line about a read that was not answered right. */
function lastLine(of = prober): Record<string, unknown> {
  const lines = of.program.output().split("\n");
  const last = lines.filter((line) => line.includes('"probe not answered right"') && line.includes('"read"'));
  return JSON.parse(present(last.at(-1), "a line"));
}

it("finds reads answered right, what is signed wrongly refused, and the block on the chain", async () => {
  await more("read", "ok", 3);
  await more("refusal", "ok", 3);
  await until("the block's time is known", async () => ((await blockAge()) > 0 ? true : undefined));
  for (const check of ["read", "refusal"]) {
    const others = ["wrong", "failed", "unreachable"].map((result) => count(check, result));
    expect({ check, others: await Promise.all(others) }).toEqual({ check, others: [0, 0, 0] });
  }
  expect(Math.abs(await readMetric(prober.url, "probe_clock_offset_seconds"))).toBeLessThan(10);
});

describeWhere("openssl", "an address with TLS", () => {
  it("shows when its certificate expires; one that is not trusted is unreachable, and the log says why", async () => {
    const directory = mkdtempSync(join(tmpdir(), "partner-prober-"));
    const files = ["-keyout", "front.key", "-out", "front.crt", "-days", "2"];
    const name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
    execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...files, ...name], {
      cwd: directory,
      stdio: "ignore",
    });
    const file = (each: string) => join(directory, each);
    const front = await startTlsFront(
      readFileSync(file("front.crt")),
      readFileSync(file("front.key")),
      api.url,
    );
    const url = `https://localhost:${(front.address() as AddressInfo).port}`;
    const trusting = await startProber(url, { NODE_EXTRA_CA_CERTS: file("front.crt") });
    await more("read", "ok", 2, trusting);
    const expiry = await readMetric(trusting.url, "probe_certificate_expiry_timestamp_seconds");
    expect(Math.round((expiry - Date.now() / 1000) / 86_400)).toBe(2);
    const strict = await startProber(url);
    await more("read", "unreachable", 2, strict);
    expect(lastLine(strict)).toMatchObject({ err: { code: "DEPTH_ZERO_SELF_SIGNED_CERT" } });
    for (const { program } of [trusting, strict]) program.kill("SIGTERM");
    expect(await Promise.all([trusting, strict].map(({ program }) => program.exited))).toEqual([0, 0]);
    front.closeAllConnections();
    await new Promise((resolve) => front.close(resolve));
    rmSync(directory, { recursive: true });
  });
});

/** Starts a proxy that ends TLS in front of an api. */
async function startTlsFront(cert: Buffer, tlsKey: Buffer, backend: string): Promise<Server> {
  const front = createServer({ cert, key: tlsKey }, (incoming, outgoing) => {
    const { method, headers, url } = incoming;
    const passed = request(`${backend}${url}`, { method, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  return front;
}

/** Values of each series of probes by the time of the scrape, as promtool takes them. */
const scraped = new Map<string, string[]>();

async function scrape(): Promise<void> {
  const page = await (await fetch(`${prober.url}/metrics`)).text();
  for (const [, name = "", value = ""] of page.matchAll(/^(probe_duration_seconds_count\{.*\}) (\S+)$/gm))
    scraped.set(name, [...(scraped.get(name) ?? []), value]);
}

it("counts reads as failed while the api is dead, where no api counts anything, and the block grows old", async () => {
  const age = await blockAge();
  await scrape();
  await more("read", "ok", 1);
  await scrape();
  api.program.kill("SIGKILL");
  await more("read", "failed", 2);
  const ok = await count("read", "ok");
  for (let scrapes = 0; scrapes < 12; scrapes += 1) {
    await more("read", "failed", 1);
    await scrape();
  }
  expect(await count("read", "ok")).toBe(ok);
  expect(await blockAge()).toBeGreaterThan(age);
  expect(lastLine()).toMatchObject({ result: "failed", status: expect.any(Number) });
});

describeWhere("promtool", "Prometheus, with these scrapes 15 s apart", () => {
  it("fires ProbesFailing for the chain, and not at first", async () => {
    const expr = 'count by (alertname, chain_id) (ALERTS{alertname=~"Probe.*",alertstate="firing"})';
    const labels = `{alertname="ProbesFailing", chain_id="${key.chainId}"}`;
    const test = {
      interval: "15s",
      input_series: [...scraped].map(([series, values]) => ({ series, values: values.join(" ") })),
      promql_expr_test: [
        { expr, eval_time: "15s", exp_samples: [] },
        { expr, eval_time: `${13 * 15}s`, exp_samples: [{ labels, value: 1 }] },
      ],
    };
    expect(test.input_series.length).toBeGreaterThan(4);
    const file = join(mkdtempSync(join(tmpdir(), "partner-probes-")), "test.yml");
    const rule_files = [`${PROMETHEUS}/rules/prober.yml`];
    writeFileSync(file, JSON.stringify({ rule_files, evaluation_interval: "15s", tests: [test] }));
    const output = await runPromtool(["test", "rules", file], dirname(file));
    rmSync(dirname(file), { recursive: true });
    expect(output).toContain("SUCCESS");
  });
});

it("counts them as unreachable where nothing listens at the public address", async () => {
  await balancer.close();
  await more("read", "unreachable", 3);
  expect(lastLine()).toMatchObject({ result: "unreachable", err: { code: "ECONNREFUSED" } });
});
