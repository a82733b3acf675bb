import { expect, it } from "@jest/globals";
import { summaryOf } from "../../src/db/trace-pool.ts";

it.each([
  ["SELECT 1", "SELECT"],
  ["COMMIT", "COMMIT"],
  ["select a from app.event e JOIN onchain.trade_order o ON true", "SELECT app.event onchain.trade_order"],
  ['SELECT * FROM "app"."api_key" WHERE "app"."api_key"."key_id" = $1', "SELECT app.api_key"],
  ["SELECT state FROM app.delegatee_wallet FOR UPDATE OF w", "SELECT app.delegatee_wallet"],
  ["WITH a AS (SELECT 1 FROM app.a) UPDATE app.b SET c = $1::app.kind", "UPDATE app.a app.b"],
  ["WITH a AS (SELECT 1 FROM app.a) SELECT * FROM app.b, app.c", "SELECT app.a app.b"],
  ["DELETE FROM app.a USING app.b", "DELETE app.a"],
  ["INSERT INTO app.a SELECT FROM app.b JOIN app.c ON true JOIN app.d ON true", "INSERT app.a app.b app.c"],
  ["", "QUERY"],
])("calls a statement after what it does and to which tables: %s", (text, summary) => {
  expect(summaryOf(text)).toBe(summary);
});

it("takes none of a statement's values", () => {
  expect(summaryOf("SELECT 'canary' FROM app.a WHERE b = 'canary'")).toBe("SELECT app.a");
});
