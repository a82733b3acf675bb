import { expect, it } from "@jest/globals";
import { empty, join, raw, sql } from "../../src/db/sql.ts";

it("keeps values out of the text", () => {
  const { text, values } = sql`SELECT ${"'; DROP TABLE a"} WHERE b = ${null}`;
  expect({ text, values }).toEqual({
    text: "SELECT $1 WHERE b = $2",
    values: ["'; DROP TABLE a", null],
  });
});

it("nests parts, and numbers their values in order", () => {
  const condition = sql`a = ${1} AND ${raw("b")} = ${[2, 3]}`;
  const { text, values } = sql`${condition} ${empty}OR (${sql`c > ${4n}`}${sql`${"d"}`}) LIMIT ${5}`;
  expect({ text, values }).toEqual({
    text: "a = $1 AND b = $2 OR (c > $3$4) LIMIT $5",
    values: [1, [2, 3], 4n, "d", 5],
  });
});

it("takes a statement without values", () => {
  expect(sql`SELECT 1`).toMatchObject({ text: "SELECT 1", values: [] });
});

it("joins parts and values", () => {
  expect(join([sql`a = ${1}`, sql`true`, sql`b`], " AND ").text).toBe("a = $1 AND true AND b");
  expect(join([1, 2, 3])).toMatchObject({ text: "$1, $2, $3", values: [1, 2, 3] });
  expect(join([sql`a`]).text).toBe("a");
  expect(() => join([])).toThrow("nothing to join");
});
