import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type PostgresServer, startPostgres } from "../support/db/postgres.ts";
import { query, type Standby, startStandby } from "../support/db/standby.ts";

// The standby of the tests is a real one: what tests of replicas rest on.

let primary: PostgresServer;
let standby: Standby;

beforeAll(async () => {
  primary = await startPostgres();
  await query(primary.adminUrl, "CREATE TABLE t (n int)");
  standby = await startStandby(primary);
});

afterAll(async () => {
  await standby?.stop();
  await primary?.stop();
});

test("the standby shows what the primary committed, once it has caught up", async () => {
  await insert(1);
  await standby.catchUp();
  expect({ rows: await rows() }).toEqual({ rows: [1] });
  await expect(query(standby.urlOf(primary.adminUrl), "INSERT INTO t VALUES (0)")).rejects.toThrow(
    "read-only",
  );
});

test("a paused standby stands still until it is resumed", async () => {
  await standby.pauseReplay();
  await insert(2);
  expect({ rows: await rows() }).toEqual({ rows: [1] });
  await standby.resumeReplay();
  await standby.catchUp();
  expect({ rows: await rows() }).toEqual({ rows: [1, 2] });
});

test("a killed standby catches up when it is back, and takes writes when it is promoted", async () => {
  await standby.kill();
  await insert(3);
  await standby.restart();
  await standby.catchUp();
  expect({ rows: await rows() }).toEqual({ rows: [1, 2, 3] });
  const second = await startStandby(primary, { name: "second" });
  try {
    await primary.kill();
    await standby.promote();
    await second.follow(standby);
    await query(standby.adminUrl, "INSERT INTO t VALUES (4)");
    await second.catchUp(standby);
    expect({ rows: await rows(second) }).toEqual({ rows: [1, 2, 3, 4] });
  } finally {
    await second.stop();
  }
});

const insert = (n: number) => query(primary.adminUrl, `INSERT INTO t VALUES (${n})`);
const rows = async (server: PostgresServer = standby) =>
  (await query(server.adminUrl, "SELECT n FROM t ORDER BY n")).map(({ n }) => n);
