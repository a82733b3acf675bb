import { type ClientOperation, pascal } from "./operations.ts";

/** A class of the client library: the methods of one group, and the groups below it. */
interface Group {
  path: readonly string[];
  operations: ClientOperation[];
  groups: Map<string, Group>;
}

/** Prints a class for each group of operations, and `Groups`, which has them all. */
export function printMethods(operations: readonly ClientOperation[]): string {
  const root = groupOf(operations);
  const classes = [...root.groups.values()].flatMap(printGroup);
  return [printImports(operations), ...classes, printRoot(root), ""].join("\n");
}

function groupOf(operations: readonly ClientOperation[]): Group {
  const root: Group = { path: [], operations: [], groups: new Map() };
  for (const operation of operations) {
    let group = root;
    for (const word of operation.name.slice(0, -1)) {
      const below = group.groups.get(word) ?? {
        path: [...group.path, word],
        operations: [],
        groups: new Map(),
      };
      group.groups.set(word, below);
      group = below;
    }
    group.operations.push(operation);
  }
  return root;
}

function printImports(operations: readonly ClientOperation[]): string {
  const types = operations.flatMap(({ data, query, body }) => [
    data.replace("[]", ""),
    ...(query ? [query.type] : []),
    ...(body ? [body.type] : []),
  ]);
  return [
    'import type { ApiCall, ListCall } from "../call.ts";',
    'import type { RequestOptions, SendOptions } from "../options.ts";',
    'import { path, Resource } from "../resource.ts";',
    'import type { Transport } from "../transport.ts";',
    `import type {\n${[...new Set(types)]
      .sort()
      .map((name) => `  ${name},\n`)
      .join("")}} from "./types.ts";`,
    "",
  ].join("\n");
}

const classOf = (group: Group) => `${pascal(group.path)}Methods`;

/** Classes of the groups below come first, since the constructor creates their objects. */
function printGroup(group: Group): string[] {
  const below = [...group.groups.values()];
  const lines = [
    `export class ${classOf(group)} extends Resource {`,
    ...printFields(group),
    group.operations.map(printMethod).join("\n\n"),
    "}\n",
  ];
  return [...below.flatMap(printGroup), lines.join("\n")];
}

function printRoot(root: Group): string {
  return [
    "/** All groups of operations. */",
    "export class Groups extends Resource {",
    ...printFields(root),
    "}",
  ].join("\n");
}

function printFields(group: Group): string[] {
  const below = [...group.groups];
  if (below.length === 0) return [];
  return [
    ...below.map(([word, child]) => `  readonly ${word}: ${classOf(child)};`),
    "",
    "  constructor(transport: Transport) {",
    "    super(transport);",
    ...below.map(([word, child]) => `    this.${word} = new ${classOf(child)}(transport);`),
    "  }",
    "",
  ];
}

function printMethod(operation: ClientOperation): string {
  const { name, method, path, summary, params, query, body, isSend, data, cursor } = operation;
  const input = query ?? body;
  const inputName = query ? "query" : "input";
  const options = isSend ? "SendOptions" : "RequestOptions";
  const parameters = [
    ...params.map((param) => `${param}: string`),
    ...(input ? [`${inputName}${input.isRequired ? "" : "?"}: ${input.type}`] : []),
    `options?: ${options}`,
  ];
  const target = params.length > 0 ? `path\`${path.replaceAll("{", "${")}\`` : JSON.stringify(path);
  const sent = query ? "{ query }" : body ? "{ body: input }" : "{}";
  const args = cursor
    ? [target, "query", "options", JSON.stringify(cursor)]
    : [JSON.stringify(method), target, sent, "options"];
  return [
    `  /** ${summary}. \`${method} ${path}\` */`,
    `  ${name.at(-1)}(${parameters.join(", ")}): ${cursor ? "ListCall" : "ApiCall"}<${data}> {`,
    `    return this.${cursor ? "callPaged" : "call"}<${data}>(${args.join(", ")});`,
    "  }",
  ].join("\n");
}
