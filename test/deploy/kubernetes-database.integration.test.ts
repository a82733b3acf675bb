// The database as the Cluster of deploy/kubernetes makes it: owned by a role that no program uses, with prisma/roles.sql run by
// the superuser, passwords set afterwards, and a certificate of its own authority.
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import pg from "pg";
import { pino } from "pino";
import { serverUser } from "../../packages/sandbox/src/postgres-home.ts";
import { ROOT } from "../../src/config/root.ts";
import { createPool, createPrisma } from "../../src/db/client.ts";
import { migrate } from "../../src/db/migrate.ts";
import { ROLES, type RoleName } from "../../src/db/roles.ts";
import { canary } from "../support/assert/logs.ts";
import { type PostgresServer, startPostgres } from "../support/db/postgres.ts";
import { describeWhere } from "../support/program/describe-where.ts";
import { environmentOf } from "./kubernetes/environment.ts";
import { workload } from "./kubernetes/manifests.ts";

const PASSWORD = canary("password of a role", "cd".repeat(24));

describeWhere("openssl", "the programs' URLs", () => {
  let server: PostgresServer;
  let directory: string;

  beforeAll(async () => {
    directory = makeCertificates();
    const at = (file: string) => join(directory, file);
    const files = [`ssl_cert_file=${at("server.crt")}`, `ssl_key_file=${at("server.key")}`];
    server = await startPostgres({ flags: ["ssl=on", ...files].flatMap((flag) => ["-c", flag]) });
    const run = async (url: string, statements: string[]) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      for (const statement of statements) await client.query(statement);
      await client.end();
    };
    await run(server.adminUrl, ["CREATE ROLE trading LOGIN", "CREATE DATABASE trading OWNER trading"]);
    await run(server.adminUrl.replace(/\/postgres$/, "/trading"), [
      readFileSync(`${ROOT}prisma/roles.sql`, "utf8"),
      ...Object.values(ROLES).map((role) => `ALTER ROLE ${role} WITH LOGIN PASSWORD '${PASSWORD}'`),
    ]);
  });

  afterAll(async () => {
    await server?.stop();
    if (directory) rmSync(directory, { recursive: true });
  });

  /** Returns a URL of the manifests, for this server and its authority. */
  function urlOf(component: string, hostname = "localhost"): string {
    const url = new URL(environmentOf(workload(component)).DATABASE_URL ?? "");
    Object.assign(url, { hostname, port: String(server.port), password: PASSWORD });
    url.searchParams.set("sslrootcert", join(directory, "ca.crt"));
    return url.href;
  }

  it("let the owner migrate, and each program read what it needs, over TLS", async () => {
    const applied = await migrate(urlOf("migrate"), pino({ enabled: false }));
    expect(applied.length).toBeGreaterThan(20);
    const read: Record<Exclude<RoleName, "owner">, string> = {
      api: "SELECT count(*) FROM app.api_key",
      worker: "SELECT count(*) FROM app.send_request",
      deliverer: "SELECT count(*) FROM app.webhook_delivery",
      operator: "SELECT count(*) FROM app.audit_entry",
      indexer: "CREATE SCHEMA onchain_0000000000",
    };
    for (const [component, statement] of Object.entries(read)) {
      const pool = createPool(urlOf(component), { max: 1 });
      await pool.query(statement);
      const { rows } = await pool.query("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
      expect({ component, statement, rows }).toEqual({ component, statement, rows: [{ ssl: true }] });
      await pool.end();
    }
    const prisma = createPrisma(urlOf("api"), { max: 1 });
    expect(await prisma.$queryRaw`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`).toEqual([
      { ssl: true },
    ]);
    await prisma.$disconnect();
  });

  it("refuse a server whose certificate has another name", async () => {
    const pool = createPool(urlOf("api", "127.0.0.1"), { max: 1 });
    await expect(pool.query("SELECT 1")).rejects.toThrow(/does not match certificate's altnames/);
    await pool.end();
  });

  it("refuse a server whose certificate is of another authority", async () => {
    const url = new URL(urlOf("api"));
    url.searchParams.set("sslrootcert", join(directory, "other.crt"));
    const pool = createPool(url.href, { max: 1 });
    await expect(pool.query("SELECT 1")).rejects.toThrow(/certificate/);
    await pool.end();
  });
});

/** Makes an authority, another one, and the certificate of a server named localhost, which PostgreSQL's user may read. */
function makeCertificates(): string {
  const directory = mkdtempSync(join(tmpdir(), "partner-certificates-"));
  const openssl = (...options: string[]) =>
    execFileSync("openssl", options, { cwd: directory, stdio: ["ignore", "ignore", "pipe"] });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  for (const name of ["ca", "other"]) {
    const files = ["-keyout", `${name}.key`, "-out", `${name}.crt`];
    openssl("req", "-x509", ...key, "-days", "2", ...files, "-subj", `/CN=${name}`);
  }
  openssl("req", ...key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=server");
  writeFileSync(join(directory, "names"), "subjectAltName=DNS:localhost");
  const authority = ["-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial"];
  openssl("x509", "-req", "-in", "server.csr", ...authority, "-out", "server.crt", "-extfile", "names");
  const user = serverUser();
  chmodSync(directory, 0o755);
  for (const file of ["server.key", "server.crt"]) {
    chmodSync(join(directory, file), 0o600);
    if (user) chownSync(join(directory, file), user.uid, user.gid);
  }
  return directory;
}
