import { describe, expect, it } from "@jest/globals";
import {
  countCallSites,
  documentedSection,
  findUnreasoned,
  readCallSites,
  sectionOf,
} from "../../tools/sql-statements.ts";

describe("the table of SQL", () => {
  const sites = readCallSites();

  it("is what `npm run sql:table` writes now", () => {
    expect(documentedSection() === sectionOf(sites) ? "current" : "run `npm run sql:table`").toBe("current");
  });

  it("has a reason for each file with SQL, and none for what is gone", () => {
    expect(findUnreasoned(sites)).toEqual([]);
    expect(findUnreasoned(new Map([["src/nowhere/store.ts", { sql: 1, prisma: 0 }]]))).toContain(
      "src/nowhere/store.ts",
    );
  });
});

describe("call sites", () => {
  const count = (source: string) => countCallSites(source, ["apiKey", "sendRequest"]);

  it("of SQL are those of its runners, of `pg` and of Prisma's raw statements", () => {
    const source = `
      import { execute, queryRows } from "../db/query.ts";
      const rows = await queryRows<Row>(tx, sql\`SELECT 1\`, schema); // queryRows(none)
      await execute(pool, sql\`DELETE FROM a\`);
      await pool.query<{ a: number }>("SELECT 1");
      await tx.$queryRaw<unknown[]>(statement);
      await prisma.$executeRaw\`SELECT 1\`;`;
    expect(count(source)).toEqual({ sql: 5, prisma: 0 });
  });

  it("of other functions of the same names are none", () => {
    const source = `
      import { execute } from "graphql";
      execute(document); url.query(1); function queryRows() {} /* pool.query("SELECT 1") */`;
    expect(count(source)).toEqual({ sql: 0, prisma: 0 });
  });

  it("of the query API are calls of a model", () => {
    const source =
      "await prisma.apiKey.findMany({}); tx.sendRequest\n  .update({}); map.other.delete(1); apiKey.count();";
    expect(count(source)).toEqual({ sql: 0, prisma: 2 });
  });
});
