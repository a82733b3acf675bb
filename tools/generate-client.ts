import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import ts from "typescript";
import { printMethods } from "./client/methods.ts";
import {
  type ClientOperation,
  envelopesOf,
  inputSchemasOf,
  type Json,
  operationsOf,
  renamed,
} from "./client/operations.ts";
import { withPythonTypes } from "./client/python.ts";

/** `npm run client:generate`: writes the types and methods of the client library from docs/openapi.json. */
const DOCUMENT = fileURLToPath(new URL("../docs/openapi.json", import.meta.url));
const DIRECTORY = fileURLToPath(new URL("../packages/client/src/generated/", import.meta.url));

/** One file: what is written by hand comes first in it. */
const PYTHON = "../../python/partner_trading.py";

const { factory } = ts;
const HEAD = "// Written by `npm run client:generate` from docs/openapi.json; not to be edited.\n";

/** Returns the files of packages/client/src/generated/ by name, for the present docs/openapi.json. */
export async function generateClient(): Promise<Record<string, string>> {
  const document: Json = JSON.parse(readFileSync(DOCUMENT, "utf8"));
  const operations = operationsOf(document);
  return {
    "types.ts": HEAD + (await printTypes(document, operations)),
    "methods.ts": HEAD + printMethods(operations),
    [PYTHON]: withPythonTypes(
      readFileSync(DIRECTORY + PYTHON, "utf8"),
      schemasOf(document, operations),
      operations,
    ),
  };
}

/** Returns the schemas that clients have a type of: of data, and of what operations take. */
function schemasOf(document: Json, operations: readonly ClientOperation[]): Json {
  const envelopes = envelopesOf(document);
  const components = Object.entries(renamed(document).components.schemas);
  return {
    ...Object.fromEntries(components.filter(([name]) => !envelopes.has(name))),
    ...inputSchemasOf(operations),
  };
}

/** Prints a type for each schema, for each operation's body and for its query. */
async function printTypes(document: Json, operations: readonly ClientOperation[]): Promise<string> {
  const schemas = schemasOf(document, operations);
  const reduced = { openapi: "3.1.1", info: document.info, paths: {}, components: { schemas } };
  // A field that has a default may be left out of a request.
  const names = { rootTypes: true, rootTypesNoSchemaPrefix: true, alphabetize: true };
  const options = { ...names, defaultNonNullable: false, transform: extensible };
  const printed = astToString(await openapiTS(reduced as unknown as OpenAPI3, options));
  // Operations have methods instead (methods.ts).
  return printed.replaceAll(
    /^export (type (paths|webhooks|\$defs|operations) = .*|interface \w+ \{\s*\})\n/gm,
    "",
  );
}

/** Returns the type of an enum that may get values: the known ones, which editors offer, and any other string. */
function extensible(schema: Json): ts.TypeNode | undefined {
  if (!schema["x-extensible"] || !schema.enum) return undefined;
  const known = schema.enum.map((value: string) =>
    factory.createLiteralTypeNode(factory.createStringLiteral(value)),
  );
  const text = factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword);
  const other = factory.createIntersectionTypeNode([text, factory.createTypeLiteralNode([])]);
  return factory.createUnionTypeNode([...known, factory.createParenthesizedType(other)]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, content] of Object.entries(await generateClient()))
    writeFileSync(DIRECTORY + name, content);
}
