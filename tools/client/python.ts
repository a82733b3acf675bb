import { type ClientOperation, type Json, pascal } from "./operations.ts";

/** Prints the generated part of the Python client: a TypedDict for each schema and input, and a class of methods for each group. */

const BEGIN =
  "# Written by `npm run client:generate` from docs/openapi.json from here on; not to be edited.\n";

/** Returns the module with its generated part made anew. */
export function withPythonTypes(
  module: string,
  schemas: Json,
  operations: readonly ClientOperation[],
): string {
  const [own = ""] = module.split(BEGIN);
  const text = JSON.stringify(schemas).replaceAll(
    /"(#\/components\/schemas\/)?(Decimal|Mapping)"(?=[:,}])/g,
    '"$1Api$2"',
  );
  // Unions are evaluated where they are defined: after their members.
  const all = Object.entries<Json>(JSON.parse(text)).sort(([, a], [, b]) => rank(a) - rank(b));
  const types = all.map(([name, schema]) => printType(name, schema));
  return `${own.trimEnd()}\n\n\n${BEGIN}\n${types.join("\n")}${printGroups(operations)}`;
}

const rank = (schema: Json): number => (schema.oneOf ? 2 : schema.properties ? 1 : 0);

function printType(name: string, schema: Json): string {
  if (schema.properties === undefined) return `${name} = ${typeOf(schema)}\n`;
  const fields = Object.entries<Json>(schema.properties);
  const isRequired = ([key]: [string, Json]) => (schema.required ?? []).includes(key);
  const [needed, optional] = [fields.filter(isRequired), fields.filter((field) => !isRequired(field))];
  if (optional.length === 0) return dictOf(name, needed);
  if (needed.length === 0) return dictOf(name, optional, ", total=False");
  const more = optional.map(([key, each]) => `    ${key}: ${quoted(each)}\n`).join("");
  return `${dictOf(`_${name}`, needed)}\n\nclass ${name}(_${name}, total=False):\n${more}\n`;
}

/** Form that takes any key: \`from\` is a word of the language. */
const dictOf = (name: string, fields: readonly [string, Json][], total = ""): string =>
  `${name} = TypedDict(\n    "${name}",\n    {\n${fields
    .map(([key, schema]) => `        "${key}": ${quoted(schema)},\n`)
    .join("")}    }${total},\n)\n`;

const quoted = (schema: Json): string => JSON.stringify(typeOf(schema).replaceAll('"', "'"));

function typeOf(schema: Json): string {
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  const alternatives: Json[] | undefined = schema.anyOf ?? schema.oneOf;
  if (alternatives) {
    const present = alternatives.filter(({ type }) => type !== "null").map(typeOf);
    const one = present.length === 1 ? present[0] : `Union[${present.join(", ")}]`;
    return present.length < alternatives.length ? `Optional[${one}]` : `${one}`;
  }
  const values: unknown[] | undefined = schema.const === undefined ? schema.enum : [schema.const];
  if (values && !schema["x-extensible"])
    return `Literal[${values.map((value) => JSON.stringify(value)).join(", ")}]`;
  if (schema.type === "array") return `List[${typeOf(schema.items)}]`;
  if (schema.type === "object") return "Dict[str, Any]";
  return PRIMITIVES[schema.type] ?? "Any";
}

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  null: "None",
};

const snake = (word: string): string => word.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function printGroups(operations: readonly ClientOperation[]): string {
  const groups = new Map<string, ClientOperation[]>();
  for (const operation of operations) {
    const name = operation.name.slice(0, -1).join(".");
    groups.set(name, [...(groups.get(name) ?? []), operation]);
  }
  const classes = [...groups].map(([name, members]) => printClass(name.split("."), members));
  const fields = [...groups.keys()].map((name) => {
    const path = name.split(".");
    return `        self.${path.map(snake).join("_")} = ${pascal(path)}Operations(client)\n`;
  });
  return `${classes.join("")}\n\nclass Operations:\n    """Every operation of the API, with the types of its input and its answer."""\n\n    def __init__(self, client: PartnerTrading) -> None:\n${fields.join("")}`;
}

const printClass = (path: readonly string[], operations: readonly ClientOperation[]): string =>
  `\n\nclass ${pascal(path)}Operations:\n    def __init__(self, client: PartnerTrading) -> None:\n        self._client = client\n${operations
    .map(printMethod)
    .join("")}`;

function printMethod({
  name,
  method,
  path,
  summary,
  params,
  query,
  body,
  isSend,
  data,
}: ClientOperation): string {
  const input = query ?? body;
  const answer = data.endsWith("[]")
    ? `List[${data.slice(0, -2)}]`
    : data === "Mapping"
      ? "ApiMapping"
      : data;
  const parameters = [
    "self",
    ...params.map((param) => `${snake(param)}: str`),
    ...(input ? [input.isRequired ? `input: ${input.type}` : `input: Optional[${input.type}] = None`] : []),
    ...(isSend ? ["idempotency_key: Optional[str] = None"] : []),
  ];
  const target = params.reduce(
    (text, param) => text.replace(`{${param}}`, `{_segment(${snake(param)})}`),
    path,
  );
  const args = [
    `"${method}"`,
    params.length > 0 ? `f"${target}"` : `"${target}"`,
    `query=${query ? "cast(Any, input)" : "None"}`,
    `body=${body ? "input" : "None"}`,
    ...(isSend ? ["idempotency_key=idempotency_key"] : []),
  ];
  return `\n    def ${snake(name.at(-1) ?? "")}(${parameters.join(", ")}) -> ${answer}:\n        """${summary}. ${method} ${path}"""\n        return cast(${JSON.stringify(answer)}, self._client.request(${args.join(", ")}).data)\n`;
}
