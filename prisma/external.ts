/**
 * The tables of schema.prisma that the indexer makes: every model in the schema `onchain`. Read from the file itself,
 * so that a new one cannot be forgotten and end up in a migration.
 * @param schema the text of schema.prisma
 * @returns schema-qualified names, as `tables.external` and the schema engine want them
 */
export function externalTables(schema: string): string[] {
  const models = schema.match(/^(?:model|view) [\s\S]*?^\}/gm) ?? [];
  return models
    .filter((model) => /@@schema\("onchain"\)/.test(model))
    .map((model) => /@@map\("([^"]+)"\)/.exec(model)?.[1] ?? /^\w+ (\w+)/.exec(model)?.[1] ?? "")
    .map((table) => `onchain.${table}`);
}
