import { expect, it } from "@jest/globals";
import { externalTables } from "../../prisma/external.ts";
import { readSchema } from "../../src/db/schema-engine.ts";
import { onchainColumns } from "../support/db/onchain-columns.ts";

/** Maps the types of the indexer's columns to those in Prisma's schema. */
const PRISMA_TYPES: Record<string, string> = {
  integer: "Int",
  boolean: "Boolean",
  text: "String",
  "numeric(78)": "Decimal @db.Decimal(78, 0)",
};

/** Returns the columns and the primary key of every model in the schema `onchain`, by table. */
function modelsOf(schema: string) {
  const models = [...schema.matchAll(/^model \w+ \{\n([\s\S]*?)^\}/gm)].map(([, body]) => body ?? "");
  return Object.fromEntries(
    models
      .filter((body) => body.includes('@@schema("onchain")'))
      .map((body) => [
        /@@map\("(\w+)"\)/.exec(body)?.[1],
        { columns: fieldsOf(body), key: /@@id\(\[(.*)\]\)/.exec(body)?.[1]?.split(", ") },
      ]),
  );
}

function fieldsOf(body: string): Record<string, string> {
  const fields = [...body.matchAll(/^ {2}(\w+) +(\w+)(\??)(.*)$/gm)];
  return Object.fromEntries(
    fields.map(([, field = "", type, optional, attributes = ""]) => {
      const column = /@map\("(\w+)"\)/.exec(attributes)?.[1] ?? field;
      const native = /@db\.\w+\([\d, ]+\)/.exec(attributes)?.[0];
      return [`${field} ${column}`, `${[type, native].filter(Boolean).join(" ")}${optional}`];
    }),
  );
}

it("the models of onchain.* are the tables of indexer/ponder.schema.ts, column by column", async () => {
  const expected = onchainColumns().map(({ table, columns, key }) => [
    table,
    {
      columns: Object.fromEntries(
        columns.map(({ field, column, type, isNullable }) => [
          `${field} ${column}`,
          `${PRISMA_TYPES[type]}${isNullable ? "?" : ""}`,
        ]),
      ),
      key,
    },
  ]);
  expect(modelsOf(await readSchema())).toEqual(Object.fromEntries(expected));
});

it("every table of the indexer is external, and none of app.*", async () => {
  const tables = onchainColumns().map(({ table }) => `onchain.${table}`);
  expect(externalTables(await readSchema()).sort()).toEqual(tables.sort());
});
