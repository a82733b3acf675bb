import { expect, test } from "@jest/globals";
import { insertAsJson, jsonRows } from "../../indexer/insert-as-json.ts";

/** Columns of a table of Ponder's, as its rows name them. */
const COLUMNS = ["blockNumber", "topic0", "sha3Uncles", "data"];

test("rows are named as the columns in the database, in the order of the columns, and keep every digit", () => {
  const row = { data: "0x", sha3Uncles: null, topic0: "0x01", blockNumber: 2n ** 255n };
  expect(jsonRows([row, row], COLUMNS)).toBe(
    `[${Array(2).fill(`{"block_number":"${2n ** 255n}","topic0":"0x01","sha3_uncles":null,"data":"0x"}`)}]`,
  );
});

test("what a chain says is a value of one parameter, never part of the statement", () => {
  const hostile = `0x'; DROP TABLE onchain.stock_order; --"`;
  const selected: string[] = [];
  const db = {
    insert: (table: string) => ({
      select: (rows: unknown) => {
        selected.push(JSON.stringify(rows));
        return table;
      },
    }),
  };
  const inserted = insertAsJson(db, "logs", ["blockNumber", "data"]).values([
    { blockNumber: 7, data: hostile },
  ]);
  expect(inserted).toBe("logs");
  const { queryChunks } = JSON.parse(selected[0] ?? "") as { queryChunks: unknown[] };
  const parameter = JSON.stringify([{ block_number: 7, data: hostile }]);
  expect(queryChunks.filter((chunk) => JSON.stringify(chunk).includes("DROP"))).toEqual([parameter]);
});
