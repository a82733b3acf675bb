import * as schema from "../../../indexer/ponder.schema.ts";

/** A table of the indexer, as indexer/ponder.schema.ts defines it. */
export interface OnchainTable {
  table: string;
  columns: { field: string; column: string; type: string; isNullable: boolean }[];
  /** The fields of its primary key. */
  key: string[];
}

interface Column {
  name: string;
  getSQLType(): string;
  notNull: boolean;
}

/** Returns every table that the indexer creates. */
export function onchainColumns(): OnchainTable[] {
  return Object.entries(schema).map(([name, definition]) => {
    const columns = Object.entries(definition)
      .filter((entry): entry is [string, Column] => isColumn(entry[1]))
      .map(([field, column]) => ({
        field,
        column: column.name,
        type: column.getSQLType(),
        isNullable: !column.notNull,
      }));
    const fieldOf = (column: string) => columns.find((each) => each.column === column)?.field ?? column;
    return { table: snake(name), columns, key: primaryKeyOf(definition).map(fieldOf) };
  });
}

const isColumn = (value: unknown): value is Column =>
  typeof value === "object" && value !== null && "getSQLType" in value && "notNull" in value;

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns the columns of the primary key, which definitions carry as `pk` in what Drizzle builds of them. */
function primaryKeyOf(definition: object): string[] {
  const build = Reflect.get(definition, Symbol.for("drizzle:ExtraConfigBuilder"));
  const { pk }: { pk: { columns: { name: string }[] } } = build(
    Reflect.get(definition, Symbol.for("drizzle:ExtraConfigColumns")),
  );
  return pk.columns.map(({ name }) => name);
}
