import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { codegen } from "@graphql-codegen/core";
import * as operations from "@graphql-codegen/typescript-operations";
import { type DocumentNode, Kind, parse, print, stripIgnoredCharacters, visit } from "graphql";
import { readTypeDefs } from "../src/http/graphql/sdl.ts";

/** `npm run schema:types`: writes the dashboard page's documents with the types of what they answer. */
const FOLDER = fileURLToPath(new URL("../packages/pages/src/dashboard/documents/", import.meta.url));
const FILE = fileURLToPath(new URL("../packages/pages/src/dashboard/service/documents.ts", import.meta.url));

const HEAD = `// Written by \`npm run schema:types\` from packages/pages/src/dashboard/documents/; not to be edited.
import type { PageDocument } from "./ask.ts";
`;

/** The JSON types of the scalars of schema/scalars.graphql. */
const WORDS = ["OrderStatus", "OperationType", "ActionType", "SendOperation", "ActivityKind", "EventType"];
const TEXTS = ["Decimal", "Address", "Hash", "Text", "Bytes", "EventResource", "ErrCode", ...WORDS];
const SCALARS = {
  ...Object.fromEntries(TEXTS.map((name) => [name, "string"])),
  ...Object.fromEntries(["Integer", "UnixSeconds", "BlockNumber"].map((name) => [name, "number"])),
  JSON: "unknown",
  CallArguments: "Readonly<Record<string, string>>",
};

/** Returns the documents of the page, by the name of their file. */
export function readDocuments(): { location: string; document: DocumentNode }[] {
  return readdirSync(FOLDER)
    .sort()
    .map((location) => ({ location, document: parse(readFileSync(`${FOLDER}${location}`, "utf8")) }));
}

/** Returns each query as it is sent: with the fragments that it uses, and without what the server ignores. */
export function queriesOf(documents: readonly DocumentNode[]): { name: string; text: string }[] {
  const definitions = documents.flatMap((document) => document.definitions);
  const fragments = new Map(
    definitions.flatMap((found) =>
      found.kind === Kind.FRAGMENT_DEFINITION ? [[found.name.value, found]] : [],
    ),
  );
  return definitions.flatMap((found) => {
    if (found.kind !== Kind.OPERATION_DEFINITION) return [];
    const used = new Set<(typeof definitions)[number]>([found]);
    for (const definition of used)
      visit(definition, {
        FragmentSpread: ({ name }) => {
          const fragment = fragments.get(name.value);
          if (fragment) used.add(fragment);
        },
      });
    const text = stripIgnoredCharacters([...used].map(print).join("\n"));
    return [{ name: found.name?.value ?? "", text }];
  });
}

/** Returns the content of the file of documents, for the schema as it stands. */
export async function generateDashboardDocuments(): Promise<string> {
  const documents = readDocuments();
  const types = await codegen({
    schema: parse(readTypeDefs().join("\n")),
    documents,
    filename: FILE,
    config: {
      scalars: SCALARS,
      strictScalars: true,
      useTypeImports: true,
      skipTypename: true,
      immutableTypes: true,
      enumsAsTypes: true,
      disableDescriptions: true,
    },
    pluginMap: { operations },
    plugins: [{ operations: {} }],
  });
  const queries = queriesOf(documents.map(({ document }) => document)).map(
    ({ name, text }) =>
      `export const ${name}: PageDocument<${name}Query, ${name}QueryVariables> = {\n  name: ${JSON.stringify(name)},\n  text: ${JSON.stringify(text)},\n};\n`,
  );
  return `${HEAD}${types}\n${queries.join("\n")}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(FILE, await generateDashboardDocuments());
