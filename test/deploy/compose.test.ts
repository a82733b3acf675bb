import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { loadDeployments } from "../../src/config/deployments.ts";
import { type Program, parseEnv } from "../../src/config/env.ts";
import { ROOT } from "../../src/config/root.ts";
import { parseEnvFile, readServices, type Service, VARIABLES } from "./compose-file.ts";

/** deploy/ as an operator has it after `deploy/compose/new-env.sh`. */
let deploy: string;
const run = () => execFileSync("sh", [join(deploy, "compose/new-env.sh")], { encoding: "utf8" });
const read = (file: string) => readFileSync(join(deploy, file), "utf8");

beforeAll(() => {
  deploy = mkdtempSync(join(tmpdir(), "partner-deploy-"));
  cpSync(`${ROOT}deploy`, deploy, { recursive: true });
  for (const made of [".env", "deployments.json", "sender-keys"]) rmSync(join(deploy, made), { force: true });
  run();
});
afterAll(() => rmSync(deploy, { recursive: true, force: true }));

/** Programs among the services, by the file that each runs. */
const PROGRAMS: Record<string, Program> = {
  "api-1": "api",
  "api-2": "api",
  worker: "worker",
  deliverer: "deliverer",
  indexer: "indexer",
  prober: "prober",
  migrate: "migrate",
  admin: "cli keys",
  "backup-check": "backup check",
};
const services = () => readServices(parseEnvFile(read(".env")));
const service = (name: string): Service => {
  const found = services()[name];
  if (!found) throw new Error(`compose.yaml has no service ${name}`);
  return found;
};

describe(".env.example", () => {
  it("has every variable of compose.yaml, and no other", () => {
    const example = parseEnvFile(readFileSync(`${ROOT}deploy/.env.example`, "utf8"));
    expect(Object.keys(example).toSorted()).toEqual(VARIABLES.toSorted());
  });

  it("holds no secret: each is made anew", () => {
    const env = parseEnvFile(read(".env"));
    const secrets = Object.values(env).filter((value) => /[0-9a-f]{64}/.test(value));
    expect(secrets).toHaveLength(11);
    expect(new Set(secrets).size).toBe(11);
    expect(readFileSync(`${ROOT}deploy/.env.example`, "utf8")).not.toMatch(/[0-9a-f]{64}/);
    expect(read(".env")).not.toContain("=<random>");
  });

  it.each([".env", "sender-keys"])("%s may be read by its owner alone", (file) => {
    expect(statSync(join(deploy, file)).mode & 0o777).toBe(0o600);
  });

  it("stays as it is when it is made again", () => {
    const before = read(".env") + read("sender-keys");
    writeFileSync(join(deploy, "deployments.json"), "mine");
    expect(run()).toBe("");
    expect(read(".env") + read("sender-keys")).toBe(before);
    expect(read("deployments.json")).toBe("mine");
  });
});

describe("compose.yaml", () => {
  it.each(Object.entries(PROGRAMS))("gives %s a valid environment", (name, program) => {
    // Keys of the prober are made later.
    const made = program === "prober" ? { PROBE_API_KEY: "pk_1", PROBE_API_SECRET: "made later" } : {};
    expect(() => parseEnv(program, { ...service(name).environment, ...made })).not.toThrow();
  });

  it("names what is missing in .env, where Docker Compose would", () => {
    expect(() => readServices({ ...parseEnvFile(read(".env")), MASTER_KEYS: "" })).toThrow(
      "MASTER_KEYS must be set",
    );
  });

  it("connects each program as its own role", () => {
    const connected = Object.keys(PROGRAMS).filter((name) => name !== "prober");
    const roles = connected.map((name) => new URL(service(name).environment?.DATABASE_URL ?? "").username);
    expect(service("prober").environment).not.toHaveProperty("DATABASE_URL");
    expect(roles).toEqual([
      "partner_api",
      "partner_api",
      "partner_worker",
      "partner_deliverer",
      "partner_indexer",
      "partner_owner",
      "partner_operator",
      // Of the server that backups are restored into, which is on a network of its own.
      "postgres",
    ]);
  });

  it("gives secrets only to the programs that read them", () => {
    const has = (variable: string) =>
      Object.keys(PROGRAMS).filter((name) => service(name).environment?.[variable] !== undefined);
    expect(has("MASTER_KEYS")).toEqual(["api-1", "api-2", "admin"]);
    expect(has("ATTRIBUTION_KEYS")).toEqual(["api-1", "api-2", "worker", "admin"]);
    expect(has("WEBHOOK_KEYS")).toEqual(["api-1", "api-2", "deliverer", "admin"]);
    expect(has("RPC_URL_1")).toEqual([
      "api-1",
      "api-2",
      "worker",
      "indexer",
      "prober",
      "admin",
      "backup-check",
    ]);
    expect(has("PROBE_API_SECRET")).toEqual(["prober"]);
    expect(has("SENDER_KEYS_FILE")).toEqual(["worker"]);
    expect(has("POSTGRES_PASSWORD")).toEqual([]);
  });

  it.each([
    ["api-1", "api"],
    ["api-2", "api"],
    ["worker", "worker"],
    ["deliverer", "deliverer"],
    ["indexer", "indexer"],
    ["prober", "prober"],
    ["migrate", "migrate"],
    ["admin", "operator"],
  ])("limits the memory of %s as Kubernetes does", (name, manifest) => {
    const kubernetes = readFileSync(`${ROOT}deploy/kubernetes/base/${manifest}.yaml`, "utf8");
    const [, amount, unit] = /limits: { memory: (\d+)(M|G)i }/.exec(kubernetes) ?? [];
    expect(service(name).mem_limit).toBe(`${amount}${unit?.toLowerCase()}`);
  });

  it("builds the image once: a build of each service would leave as many images", () => {
    const building = Object.entries(services()).filter(([, { build }]) => build !== undefined);
    expect(building.map(([name]) => name)).toEqual(["migrate"]);
  });

  it("publishes the proxy alone, and the operator's port on the machine itself", () => {
    const published = Object.entries(services()).flatMap(([name, { ports = [] }]) =>
      ports.map((port) => [name, port]),
    );
    expect(published).toEqual([
      ["proxy", "127.0.0.1:8080:8080"],
      ["proxy", "127.0.0.1:8083:8083"],
    ]);
  });

  it("lets backup and backup-check alone reach the server that asks for no password", () => {
    const reaching = Object.entries(services()).filter(
      ([, { networks }]) => Array.isArray(networks) && networks.includes("scratch"),
    );
    expect(reaching.map(([name]) => name)).toEqual(["backup", "scratch", "backup-check"]);
    expect(service("scratch").networks).toEqual(["scratch"]);
  });

  it.each([...Object.keys(PROGRAMS), "backup"])(
    "runs %s without privileges, on a file system that it cannot write",
    (name) => {
      expect(service(name)).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
    },
  );

  it("trusts the address that the proxy has, and no other", () => {
    const { networks } = service("proxy");
    expect(networks).toEqual({ public: { ipv4_address: service("api-1").environment?.TRUSTED_PROXIES } });
  });
});

describe("haproxy.cfg", () => {
  const sections = new Map(
    readFileSync(`${ROOT}deploy/compose/haproxy.cfg`, "utf8")
      .split(/^(?=\w)/m)
      .map((section) => [section.split("\n")[0], section]),
  );

  it("gives partners apis that are ready, and where there is none, one that lives and names the cause", () => {
    expect(sections.get("frontend partners")).toContain("use_backend unready if { nbsrv(api) eq 0 }");
    expect(sections.get("backend api")).toContain("GET uri /readyz");
    expect(sections.get("backend unready")).toContain("GET uri /livez");
  });

  it("lets operators ask an api that is not ready what is missing", () => {
    expect(sections.get("backend operator")).toContain("GET uri /livez");
  });
});

it("deployments.example.json is a valid deployments file", () => {
  const file = `${ROOT}deploy/deployments.example.json`;
  const { chains } = loadDeployments(file, { RPC_URL_1: "https://rpc.example.com" });
  expect({ chainIds: chains.map(({ chainId }) => chainId) }).toEqual({ chainIds: [1] });
});
