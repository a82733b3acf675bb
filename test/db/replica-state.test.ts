import { expect, it } from "@jest/globals";
import type pg from "pg";
import { pino } from "pino";
import type { PrismaClient } from "../../src/db/generated/client.ts";
import { execute, type Statement } from "../../src/db/query.ts";
import { guardReplica, markVersioned } from "../../src/db/replica-source.ts";
import { createReplicaState, type ReplicaOutcome } from "../../src/db/replica-state.ts";
import { sql } from "../../src/db/sql.ts";

// The choice of a replica for a read. Real standbys: test/http/read-replicas.integration.test.ts.

function makeState() {
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  const clock = { now: 0 };
  const state = createReplicaState({ name: "one:5432", log, now: () => clock.now });
  const use = (outcome: ReplicaOutcome) => {
    const permit = state.take();
    permit?.report(outcome);
    return permit !== null;
  };
  return { state, clock, lines, use };
}

it("a replica that failed is tried once a second, and serves again after one success", () => {
  const { state, clock, lines, use } = makeState();
  expect({ beforeFailure: use("served"), failure: use("failed"), afterFailure: use("served") }).toEqual({
    beforeFailure: true,
    failure: true,
    afterFailure: false,
  });
  clock.now = 1_000;
  expect({ trial: use("failed"), afterTrial: use("served") }).toEqual({ trial: true, afterTrial: false });
  clock.now = 1_999;
  expect(state.take()).toBeNull();
  clock.now = 2_000;
  expect({ trial: use("served"), afterTrial: use("served"), condition: state.condition() }).toEqual({
    trial: true,
    afterTrial: true,
    condition: "serving",
  });
  expect(lines).toEqual([
    "a read replica failed: the primary serves its reads",
    "a read replica serves again",
  ]);
});

it("a replica that is behind for a moment goes on; one that serves nothing meanwhile is passed over", () => {
  const { state, clock, lines, use } = makeState();
  for (const ms of [0, 100, 249]) {
    clock.now = ms;
    expect({ ms, isServed: use("behind") }).toEqual({ ms, isServed: true });
  }
  use("served");
  clock.now = 400;
  use("behind");
  clock.now = 649;
  use("behind");
  expect(state.condition()).toBe("serving");
  clock.now = 650;
  expect({ isLastServed: use("behind"), isServed: use("behind"), condition: state.condition() }).toEqual({
    isLastServed: true,
    isServed: false,
    condition: "behind",
  });
  expect(lines).toEqual(["a read replica is behind: the primary serves its reads"]);
});

it("a read that began before the replica failed says nothing of what holds since", () => {
  const { state, use } = makeState();
  const early = state.take();
  use("failed");
  early?.report("served");
  expect({ condition: state.condition(), isServed: use("served") }).toEqual({
    condition: "failed",
    isServed: false,
  });
});

it("a refusal says nothing of the replica", () => {
  const { state, clock, use } = makeState();
  use("behind");
  clock.now = 1_000;
  expect({ isServed: use("refused"), condition: state.condition() }).toEqual({
    isServed: true,
    condition: "serving",
  });
});

it("nothing is read of a replica but what names its version", async () => {
  const texts: string[] = [];
  const run = async ({ text }: Statement) => {
    texts.push(text);
    return { rows: [] };
  };
  const shown = { findMany: async () => ["rows"], create: run };
  const client = { $queryRaw: run, shownOrder: shown, shownOperation: shown };
  const real = { prisma: client as unknown as PrismaClient, pool: { query: run } as unknown as pg.Pool };
  const { prisma, pool } = guardReplica(real);
  await expect(execute(pool, sql`SELECT 1`)).rejects.toThrow("reads no version");
  await expect(pool.query("SELECT 1")).rejects.toThrow("reads no version");
  for (const name of ["$queryRaw", "$executeRaw", "$transaction", "apiKey", "onchainStockToken"] as const)
    expect(() => Reflect.get(prisma, name)).toThrow(`prisma.${name} is not for replicas`);
  // Rows of these views name their version.
  expect({
    orders: await prisma.shownOrder.findMany(),
    operations: await prisma.shownOperation.findMany(),
  }).toEqual({ orders: ["rows"], operations: ["rows"] });
  expect(() => prisma.shownOrder.count).toThrow("prisma.shownOrder.count is not for replicas");
  expect(() => pool.connect).toThrow("pool.connect is not for replicas");
  expect(texts).toEqual([]);
  await execute(pool, markVersioned(sql`SELECT 2`));
  expect(texts).toEqual(["SELECT 2"]);
});
