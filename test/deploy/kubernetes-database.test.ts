import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import type { ICluster, IPooler } from "@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1";
import type { IDeployment } from "kubernetes-models/apps/v1";
import type { IHorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2";
import { parseEnv } from "../../src/config/env.ts";
import { ROOT } from "../../src/config/root.ts";
import { ROLES } from "../../src/db/roles.ts";
import { environmentOf } from "./kubernetes/environment.ts";
import { configMap, ofKind, workload } from "./kubernetes/manifests.ts";

const [cluster] = ofKind<ICluster>("Cluster");
const [pooler, readPooler] = ofKind<IPooler>("Pooler");
if (!cluster?.spec || !pooler?.spec || !readPooler?.spec) throw new Error("no database");
const { spec } = cluster;
const parameters = pooler.spec.pgbouncer?.parameters ?? {};
const poolers = pooler.spec.instances ?? 1;

/** Processes at most: of the api what the autoscaler allows, and as many again that end while others replace them. */
const APIS = 2 * (ofKind<IHorizontalPodAutoscaler>("HorizontalPodAutoscaler")[0]?.spec?.maxReplicas ?? 0);
const processesOf = (name: string): number =>
  2 * (ofKind<IDeployment>("Deployment").find(({ metadata }) => metadata.name === name)?.spec?.replicas ?? 0);
const WORKERS = processesOf("worker");
const DELIVERERS = processesOf("deliverer");

describe("PostgreSQL by CloudNativePG", () => {
  it("is made of prisma/roles.sql itself, which the superuser runs in the programs' database", () => {
    const { initdb } = spec.bootstrap ?? {};
    expect(initdb).toMatchObject({ database: "trading" });
    expect(initdb?.postInitApplicationSQLRefs?.configMapRefs).toEqual([
      { name: "database-roles", key: "roles.sql" },
    ]);
    expect(configMap("database-roles")["roles.sql"]).toBe(readFileSync(`${ROOT}prisma/roles.sql`, "utf8"));
    expect(spec.enableSuperuserAccess).toBeUndefined();
    expect(Object.values(ROLES)).not.toContain(initdb?.owner);
  });

  it("gives each program's role a password of its own, and nothing else", () => {
    const expected = Object.entries(ROLES).map(([program, name]) => ({
      name,
      login: true,
      passwordSecret: { name: `database-${program}` },
    }));
    const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);
    expect([...(spec.managed?.roles ?? [])].sort(byName)).toEqual(expected.sort(byName));
  });

  it("acknowledges what two instances have, promotes none that may lack it, and refuses connections without TLS", () => {
    expect(spec.instances).toBeGreaterThanOrEqual(3);
    expect(spec.postgresql?.synchronous).toEqual({
      method: "any",
      number: 1,
      dataDurability: "required",
      failoverQuorum: true,
    });
    expect(spec.postgresql?.pg_hba).toEqual(["hostnossl all all all reject"]);
    expect(parameters.client_tls_sslmode).toBe("require");
  });

  it("has the hosts that the programs name, and certificates with those names", () => {
    const hosts = ["api", "worker", "deliverer", "indexer", "migrate", "operator"].flatMap((component) => {
      const { DATABASE_URL, DATABASE_LISTEN_URL, DATABASE_READ_URLS } = environmentOf(workload(component));
      const urls = [DATABASE_URL, DATABASE_LISTEN_URL, DATABASE_READ_URLS];
      return urls.flatMap((url) => (url ? [new URL(url).hostname] : []));
    });
    // CloudNativePG makes the Service `-rw` and puts its name into the certificate; the poolers' are added.
    const certified = [`${cluster.metadata.name}-rw`, ...(spec.certificates?.serverAltDNSNames ?? [])];
    expect(certified).toEqual(
      expect.arrayContaining([pooler, readPooler].map(({ metadata }) => metadata.name)),
    );
    expect(hosts.filter((host) => !certified.includes(host))).toEqual([]);
    expect(pooler.spec).toMatchObject({ cluster: { name: cluster.metadata.name }, type: "rw" });
    expect(readPooler.spec).toMatchObject({ cluster: { name: cluster.metadata.name }, type: "ro" });
  });

  it("has standbys whose reads end before the api gives them up", () => {
    expect(spec.postgresql?.parameters).toMatchObject({
      hot_standby_feedback: "on",
      max_standby_streaming_delay: "1s",
    });
    expect(spec.postgresql?.parameters).not.toHaveProperty("synchronous_commit");
  });

  it("has enough connections for the pooler, for LISTEN, two indexers, and who administers", () => {
    // A standby that was promoted keeps the connections of the pooler for reads.
    const { instances = 1, pgbouncer } = readPooler.spec ?? {};
    const reads = instances * Number(pgbouncer?.parameters?.default_pool_size);
    const pooled = poolers * Number(parameters.default_pool_size) * 3 + reads;
    // An api and a deliverer listen on one connection, a worker on two. Ponder's pools take 30; 15 are for how it starts.
    const direct = APIS + DELIVERERS + 2 * WORKERS + 2 * 30 + 15;
    expect(pooled + direct + 20).toBeLessThanOrEqual(Number(spec.postgresql?.parameters?.max_connections));
  });

  it("has a pooler that takes the connections of all processes, also when one instance of it is left", () => {
    const poolOf = (program: "api" | "worker" | "deliverer") =>
      parseEnv(program, environmentOf(workload(program))).DATABASE_POOL_MAX;
    const pooled = APIS * poolOf("api") + WORKERS * poolOf("worker") + DELIVERERS * poolOf("deliverer");
    expect(pooled).toBeLessThanOrEqual(Number(parameters.max_client_conn));
    expect(APIS * poolOf("api")).toBeLessThanOrEqual(
      Number(readPooler.spec?.pgbouncer?.parameters?.max_client_conn),
    );
  });

  it("pools transactions with a PgBouncer that keeps prepared statements", () => {
    for (const each of [pooler, readPooler]) {
      const name = each.metadata?.name;
      const { poolMode, parameters } = each.spec?.pgbouncer ?? {};
      const image = each.spec?.template?.spec?.containers?.[0]?.image ?? "";
      const [, minor] = /:1\.(\d+)\.\d+$/.exec(image) ?? [];
      expect({
        name,
        poolMode,
        image,
        isCurrent: Number(minor) >= 21,
        parameters,
        keepsStatements: Number(parameters?.max_prepared_statements) > 500,
      }).toEqual({
        name,
        poolMode: "transaction",
        image,
        isCurrent: true,
        parameters: { ...parameters, client_tls_sslmode: "require" },
        keepsStatements: true,
      });
    }
  });

  it("has poolers that reach a new primary within a second or two, and leave a node that is gone within seconds", () => {
    for (const each of [pooler, readPooler]) {
      const numbers = Object.entries(each.spec?.pgbouncer?.parameters ?? {}).map(
        ([name, value]) => [name, Number(value)] as const,
      );
      const of = Object.fromEntries(numbers);
      const keepaliveSeconds = (of.tcp_keepidle ?? 7_200) + (of.tcp_keepintvl ?? 75) * (of.tcp_keepcnt ?? 9);
      expect({
        name: each.metadata?.name,
        loginRetry: of.server_login_retry,
        userTimeout: of.tcp_user_timeout,
        isTimeoutShort: (of.tcp_user_timeout ?? Number.POSITIVE_INFINITY) <= 5_000,
        keepaliveSeconds,
        isKeepaliveShort: keepaliveSeconds < 15,
      }).toEqual({
        name: each.metadata?.name,
        // Its default of 15 s is as long as every request is refused after the new primary has come.
        loginRetry: 1,
        userTimeout: of.tcp_user_timeout,
        isTimeoutShort: true,
        keepaliveSeconds,
        isKeepaliveShort: true,
      });
    }
  });

  it("backs up to the store that it archives to", () => {
    const [store] = ofKind("ObjectStore");
    expect(spec.plugins).toEqual([
      {
        name: "barman-cloud.cloudnative-pg.io",
        isWALArchiver: true,
        parameters: { barmanObjectName: store?.metadata.name },
      },
    ]);
    const [schedule] = ofKind<{ spec: object }>("ScheduledBackup");
    expect(schedule?.spec).toMatchObject({
      cluster: { name: cluster.metadata.name },
      method: "plugin",
      pluginConfiguration: { name: "barman-cloud.cloudnative-pg.io" },
    });
  });
});
