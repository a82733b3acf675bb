import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { freePort } from "../../packages/sandbox/src/ports.ts";
import { serverUser } from "../../packages/sandbox/src/postgres-home.ts";
import { present, until } from "../support/assert/until.ts";
import { createPartner, type Partner } from "../support/http/partner.ts";
import { readMetric } from "../support/http/read-metric.ts";
import { describeWhere } from "../support/program/describe-where.ts";
import { type Stack, type Started, startStack, untilReady } from "../support/sender/stack.ts";

/** A disk that is full (docs/faults.md, "Outages as partners see them"): that of the nonces' table, a small file system of its own. */
describeWhere("mounts", "a full disk", () => {
  let stack: Stack;
  let api: Started;
  let partner: Partner;
  let directory: string;
  let ballast: string;
  let operatorUrl: string;

  beforeAll(async () => {
    stack = await startStack({ ownServer: true });
    directory = mkdtempSync(join(tmpdir(), "partner-disk-"));
    chmodSync(directory, 0o755);
    const location = join(directory, "tablespace");
    ballast = join(directory, "ballast");
    expect(spawnSync("mount", ["-t", "tmpfs", "-o", "size=4m,mode=755", "tmpfs", directory]).status).toBe(0);
    mkdirSync(location);
    const user = serverUser();
    if (user) chownSync(location, user.uid, user.gid);
    await stack.pool.query(`CREATE TABLESPACE small LOCATION '${location}'`);
    await stack.pool.query("ALTER TABLE app.api_nonce SET TABLESPACE small");
    const port = await freePort();
    operatorUrl = `http://127.0.0.1:${port}`;
    api = await stack.startApi({ OPERATOR_PORT: String(port) });
    await stack.startWorker();
    await untilReady(api.url);
    partner = createPartner(api.url, await stack.sending.makeKey({ access: "READ_ONLY" }));
  });

  afterAll(async () => {
    await stack?.close();
    if (!directory) return;
    spawnSync("umount", [directory]);
    rmSync(directory, { recursive: true, force: true });
  });

  const diskFull = () => readMetric(operatorUrl, 'database_failures_total{cause="disk full"}');

  it("refuses requests, and log and metric name the cause while /readyz is well", async () => {
    expect(await diskFull()).toBe(0);
    fill(ballast);
    const refused = await until("a request finds no room for its nonce", async () => {
      const answer = await partner.get("/config");
      return answer.status === 200 ? undefined : answer;
    });
    expect(refused).toMatchObject({
      status: 503,
      body: { errCode: "DATABASE_UNAVAILABLE", retryable: true },
    });
    await until("the metric counts it", async () => ((await diskFull()) > 0 ? true : undefined));
    const line = api.program
      .output()
      .split("\n")
      .find((each) => each.includes('"request failed"') && each.includes(refused.body.uuid));
    expect(JSON.parse(present(line, "the request's line")).err).toMatchObject({
      code: "53100",
      database: "disk full",
      message: expect.stringContaining("No space left on device"),
    });
    // It reads: a probe of the database alone notices nothing.
    expect((await fetch(`${api.url}/readyz`)).status).toBe(200);
  });

  it("serves again by itself once there is room", async () => {
    rmSync(ballast);
    await until("a request is answered", async () =>
      (await partner.get("/config")).status === 200 ? true : undefined,
    );
  });
});

/** Writes a file until the file system has no room for a page more. */
function fill(file: string): void {
  try {
    for (;;) writeFileSync(file, Buffer.alloc(4096), { flag: "a" });
  } catch (error) {
    expect(error).toMatchObject({ code: "ENOSPC" });
  }
}
