import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import { KILL_AFTER_MS } from "../../indexer/run.ts";
import { ENV_NAMES, type Program, parseEnv } from "../../src/config/env.ts";
import { ROOT } from "../../src/config/root.ts";
import { createHealth } from "../../src/http/health.ts";
import { GRACE_MS } from "../../src/http/lifecycle.ts";
import { createMetrics } from "../../src/http/metrics.ts";
import { environmentOf, filesOf, secretKeysOf } from "./kubernetes/environment.ts";
import { WORKLOADS, type Workload, workload } from "./kubernetes/manifests.ts";

const PROGRAMS = ["api", "worker", "deliverer", "indexer", "prober", "migrate"] as const;
const SERVERS = ["api", "worker", "deliverer", "indexer", "prober"] as const;

const health = createHealth({
  checks: [],
  metrics: createMetrics(() => new Map()),
  log: pino({ enabled: false }),
});
const pathsOf = ({ stack }: typeof health.router) => stack.map((layer) => layer.route?.path);
const indexerRoutes = readFileSync(`${ROOT}indexer/src/api/index.ts`, "utf8");

/** Returns the paths of health and metrics that a program serves on a port. */
function servedBy(component: string, port: string): unknown[] {
  // Ponder adds its metrics itself.
  if (component === "indexer")
    return ["/metrics", ...[...indexerRoutes.matchAll(/app\.get\("([^"]+)"/g)].map(([, path]) => path)];
  return pathsOf(port === "public" ? health.publicRouter : health.router);
}

describe.each(PROGRAMS)("the environment of %s", (program) => {
  const deployed = workload(program);
  const env = environmentOf(deployed);

  it("is accepted by the program, which the image starts by this command", () => {
    expect(() => parseEnv(program, env)).not.toThrow();
    expect(deployed.container.command).toEqual(["node", `dist/src/bin/${program}.js`]);
    expect(readdirSync(`${ROOT}src/bin`)).toContain(`${program}.ts`);
  });

  it("gives it variables and secrets of its own alone", () => {
    const own = (deployed.container.env ?? []).map(({ name }) => name);
    expect(own.filter((name) => !isVariableOf(program, name))).toEqual([]);
    const shared = Object.keys(env).filter((name) => !own.includes(name) && !name.startsWith("RPC_URL_"));
    const known = new Set(Object.values(ENV_NAMES).flat());
    expect(shared.filter((name) => !known.has(name))).toEqual([]);
  });

  it("names files that are mounted", () => {
    const values = Object.values(env);
    const named = values.flatMap((value) => value.match(/\/etc\/partner-trading\/[\w./-]+/g) ?? []);
    const files = filesOf(deployed);
    // These two read no deployments file, which the shared settings name.
    const ofProgram = ["migrate", "deliverer"].includes(program)
      ? named.filter((file) => file.includes("/database/"))
      : named;
    expect(ofProgram.length).toBeGreaterThan(0);
    expect(ofProgram.filter((file) => !files.has(file))).toEqual([]);
  });

  it("connects with TLS, to a verified server, as the program's own role", () => {
    // It knows no database.
    if (program === "prober") return expect(env).not.toHaveProperty("DATABASE_URL");
    const role = program === "migrate" ? "owner" : program;
    const urls = [env.DATABASE_URL, env.DATABASE_LISTEN_URL, env.DATABASE_READ_URLS].flatMap((url) =>
      url ? [new URL(url)] : [],
    );
    for (const url of urls) {
      expect(url.username).toBe(`partner_${role}`);
      expect(url.pathname).toBe("/trading");
      expect(url.searchParams.get("sslmode")).toBe("verify-full");
    }
    const pooled = ["api", "worker", "deliverer"].includes(program);
    expect(urls.map(({ host }) => host)).toEqual([
      ...(pooled ? ["trading-db-pooler:5432"] : []),
      "trading-db-rw:5432",
      ...(program === "api" ? ["trading-db-pooler-ro:5432"] : []),
    ]);
    const password = deployed.container.env?.find(({ name }) => name === "DATABASE_PASSWORD");
    expect(password?.valueFrom?.secretKeyRef).toMatchObject({ name: `database-${role}`, key: "password" });
  });
});

describe("secrets", () => {
  const holdersOf = (secret: string) =>
    WORKLOADS.filter((each) => secretKeysOf(each).some((key) => key.secret === secret)).map(
      ({ component }) => component,
    );

  it.each([
    ["master-keys", ["api", "operator"]],
    ["attribution-keys", ["api", "worker", "operator"]],
    ["webhook-keys", ["api", "deliverer", "operator"]],
    ["dashboard-tokens", ["api"]],
    ["market-data", ["api", "worker"]],
    ["sender-keys", ["worker"]],
    ["rpc-urls", ["api", "worker", "indexer", "prober", "operator"]],
    ["prober-key", ["prober"]],
    ["database-owner", ["migrate"]],
  ])("%s are given to %j", (secret, holders) => {
    expect(holdersOf(secret)).toEqual(holders);
  });

  it("of the operator's command are there while somebody works, and complete for each command", () => {
    const { container } = workload("operator");
    const env = environmentOf(workload("operator"));
    const commands = Object.keys(ENV_NAMES).filter((program) => program.startsWith("cli"));
    expect(commands.length).toBeGreaterThan(2);
    for (const program of commands as Program[]) expect(() => parseEnv(program, env)).not.toThrow();
    expect(filesOf(workload("operator"))).toContain(env.DEPLOYMENTS_FILE);
    // It runs nothing by itself.
    expect(container.command?.slice(0, 2)).toEqual(["node", "-e"]);
    expect(() => new Function(container.command?.[2] ?? "(")).not.toThrow();
  });
});

describe.each(SERVERS)("the probes of %s", (component) => {
  const { container } = workload(component);
  const ports = new Map((container.ports ?? []).map(({ name, containerPort }) => [name, containerPort]));

  it("ask for paths that the program serves, on ports where it listens", () => {
    const env = parseEnv(component, environmentOf(workload(component)));
    expect(env.HOST).toBe("0.0.0.0");
    const listening: unknown[] = [env.PORT, ...("OPERATOR_PORT" in env ? [env.OPERATOR_PORT] : [])];
    expect([...ports.values()]).toEqual(listening);
    const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
    expect(probes.map((probe) => probe?.httpGet?.path)).toEqual(["/livez", "/livez", "/readyz"]);
    for (const probe of probes) {
      const port = String(probe?.httpGet?.port);
      expect([...ports.keys()]).toContain(port);
      expect(servedBy(component, port)).toContain(probe?.httpGet?.path);
    }
  });

  it("ask for readiness of the api where partners are answered, and for life on the operator's port", () => {
    expect(container.readinessProbe?.httpGet?.port).toBe(component === "api" ? "public" : "operator");
    expect(container.livenessProbe?.httpGet?.port).toBe("operator");
  });

  it("leave a check of /readyz the time that it may take", () => {
    expect((container.readinessProbe?.timeoutSeconds ?? 1) * 1000).toBeGreaterThan(2_500);
  });
});

describe("the end of a pod", () => {
  const seconds = ({ pod, container }: Workload) =>
    (pod.terminationGracePeriodSeconds ?? 30) - (container.lifecycle?.preStop?.sleep?.seconds ?? 0);

  it.each([
    ["api", GRACE_MS],
    ["worker", GRACE_MS],
    ["deliverer", GRACE_MS],
    ["prober", GRACE_MS],
    ["indexer", KILL_AFTER_MS],
  ])("leaves %s the time that it takes to stop by itself", (component, limitMs) => {
    expect(seconds(workload(component)) * 1000).toBeGreaterThanOrEqual(limitMs + 5_000);
  });

  it("begins for the api when no proxy sends new connections any more", () => {
    expect(workload("api").container.lifecycle?.preStop?.sleep?.seconds).toBeGreaterThanOrEqual(5);
  });
});

/** Returns true for a variable of the program, and for DATABASE_PASSWORD, from which the manifests build URLs. */
function isVariableOf(program: Program, name: string): boolean {
  return name === "DATABASE_PASSWORD" || (ENV_NAMES[program] ?? []).includes(name);
}
