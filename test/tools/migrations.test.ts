import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "@jest/globals";
import { ROOT } from "../../src/config/root.ts";
import { ALLOWED } from "../../tools/migrations/allowed.ts";
import { checkMigrations, type Finding } from "../../tools/migrations/check.ts";
import { migrationNames, readReleased, unreleasedMigrations } from "../../tools/migrations/released.ts";

describe("migrations that no release has", () => {
  const found = checkMigrations(unreleasedMigrations());

  it("break nothing that the version before uses, save what is allowed with a reason", async () => {
    const { breaking } = await found;
    const allowed: Finding[] = Object.entries(ALLOWED).flatMap(([migration, reasons]) =>
      Object.values(reasons).flatMap((effects) => effects.map((what) => ({ migration, what }))),
    );
    const isIn = (findings: Finding[]) => (one: Finding) =>
      findings.some((finding) => isDeepStrictEqual(finding, one));
    expect(breaking.filter((finding) => !isIn(allowed)(finding))).toEqual([]);
    expect(allowed).toEqual(allowed.filter(isIn(breaking)));
  });

  it("are named in docs/operations/upgrade.md where they block writes of a table", async () => {
    const page = readFileSync(`${ROOT}docs/operations/upgrade.md`, "utf8");
    const { locking } = await found;
    const missing = locking.filter(({ migration }) => !page.includes(`\`${migration}\``));
    expect([...new Set(missing.map(({ migration }) => migration))]).toEqual([]);
  });

  it("come after those of the last release", () => {
    expect(migrationNames()).toContain(readReleased().migration);
  });
});

describe("the check of migrations", () => {
  const check = (...scripts: string[]) =>
    checkMigrations(scripts.map((sql, index) => ({ name: String(index), sql })));
  const breaking = async (...scripts: string[]) => (await check(...scripts)).breaking.map(({ what }) => what);

  it.each([
    ["ALTER TABLE app.event DROP COLUMN data", "drops the column app.event.data"],
    ["ALTER TABLE app.event RENAME COLUMN data TO body", "renames app.event.data"],
    ["ALTER TABLE app.event RENAME TO entry", "renames app.event"],
    ["ALTER TABLE app.event SET SCHEMA old", "renames app.event"],
    ["ALTER TABLE app.event ALTER data SET NOT NULL", "requires the column app.event.data"],
    ["ALTER TABLE app.event ALTER data DROP DEFAULT", "drops the default of app.event.data"],
    ["ALTER TABLE app.event ALTER data TYPE text", "changes the type of the column app.event.data"],
    [
      "ALTER TABLE app.event ADD n int NOT NULL",
      "requires the new column app.event.n, which the version before does not write",
    ],
    [
      "ALTER TABLE app.event ADD n int; UPDATE app.event SET n = 1; ALTER TABLE app.event ALTER n SET NOT NULL",
      "requires the new column app.event.n, which the version before does not write",
    ],
    ["ALTER TABLE app.event ADD CONSTRAINT c CHECK (n > 0)", "refuses rows by the constraint app.event.c"],
    ["ALTER TABLE app.event DROP CONSTRAINT event_pkey", "drops the constraint app.event.event_pkey"],
    ["CREATE UNIQUE INDEX i ON app.event (n)", "refuses rows by the unique index i of app.event"],
    ["DROP INDEX app.event_idx", "drops the index app.event_idx"],
    ["DROP TABLE IF EXISTS app.event", "drops the table app.event"],
    ["DROP VIEW app.entries", "drops the view app.entries"],
    ["DROP FUNCTION app.version(integer)", "drops the function app.version"],
    ["DROP TYPE app.role", "drops the type app.role"],
    ["ALTER TYPE app.role ADD VALUE 'x'", "adds a value to the enum app.role"],
    ["TRUNCATE app.event", "empties a table"],
    ["DO $$ BEGIN EXECUTE 'DROP TABLE app.event'; END $$", "runs a DO block, which the check does not read"],
  ])("refuses %s", async (sql, what) => {
    expect(await breaking(sql)).toEqual([what]);
  });

  it.each([
    ["ALTER TABLE app.event ADD n int, ADD m int NOT NULL DEFAULT 1"],
    ["ALTER TABLE app.event ADD n int; ALTER TABLE app.event DROP n"],
    ["CREATE TABLE app.new (a int NOT NULL); ALTER TABLE app.new DROP a; DROP TABLE app.new"],
    ["CREATE INDEX i ON app.event (n); DROP INDEX app.i"],
    ["CREATE TYPE app.kind AS ENUM ('a'); ALTER TYPE app.kind ADD VALUE 'b'"],
    [
      "CREATE OR REPLACE FUNCTION app.f() RETURNS int LANGUAGE sql AS 'SELECT 1'; DROP TRIGGER t ON app.event",
    ],
    ["ALTER TABLE app.event ALTER n DROP NOT NULL, ALTER n SET DEFAULT 1"],
  ])("takes %s", async (sql) => {
    expect(await breaking(sql)).toEqual([]);
  });

  it("takes a change of what an earlier one of them has made", async () => {
    expect(await breaking("CREATE TABLE app.new (a int)", "ALTER TABLE app.new DROP COLUMN a")).toEqual([]);
    expect(await breaking("ALTER TABLE app.event ADD a int", "ALTER TABLE app.event RENAME a TO b")).toEqual([
      "renames app.event.a",
    ]);
  });

  it.each([
    ["CREATE INDEX i ON app.event (n)", ["builds the index i of app.event"]],
    ["CREATE INDEX CONCURRENTLY i ON app.event (n)", []],
    ["CREATE TABLE app.new (a int); CREATE INDEX i ON app.new (a)", []],
    [
      "ALTER TABLE app.event ADD CONSTRAINT c CHECK (n > 0)",
      ["reads app.event for the constraint app.event.c"],
    ],
    ["ALTER TABLE app.event ADD CONSTRAINT c CHECK (n > 0) NOT VALID", []],
  ])("sees what blocks writes in %s", async (sql, expected) => {
    expect((await check(sql)).locking.map(({ what }) => what)).toEqual(expected);
  });
});
