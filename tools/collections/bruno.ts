// @ts-expect-error: Bruno's own reader and writer of its format has no types.
import lang from "@usebruno/lang";
import {
  type Document,
  defaultHeaders,
  INTRODUCTION,
  type Operation,
  readScript,
  VARIABLES,
} from "./operations.ts";

/** Returns the files of the Bruno collection, by their paths below examples/bruno. */
export function brunoFiles({ info }: Document, operations: readonly Operation[]): Map<string, string> {
  const manifest = { version: "1", name: info.title, type: "collection", ignore: ["node_modules", ".git"] };
  const collection = { script: { req: readScript("sign.bruno.js") }, docs: INTRODUCTION };
  const variables = VARIABLES.map(({ name, value, isSecret }) => ({
    name,
    value,
    secret: isSecret,
    enabled: true,
  }));
  return new Map([
    ["bruno.json", `${JSON.stringify(manifest, null, 2)}\n`],
    ["collection.bru", lang.jsonToCollectionBru(collection)],
    ["environments/sandbox.bru", lang.envJsonToBruV2({ variables })],
    ...operations.map((operation, index): [string, string] => [
      `${operation.folder}/${nameOf(operation)}.bru`,
      lang.jsonToBruV2(requestOf(operation, index + 1)),
    ]),
  ]);
}

/** Two operations may have one summary; none share method and path. */
const nameOf = ({ method, path }: Operation) =>
  `${method} ${path.replace("/api/v1/", "").replaceAll("/", " ").replaceAll(/[{}]/g, "")}`;

function requestOf(operation: Operation, seq: number) {
  const { method, path, documentation, parameters, body } = operation;
  return {
    meta: { name: nameOf(operation), type: "http", seq },
    http: {
      method: method.toLowerCase(),
      url: `{{baseUrl}}${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
      body: body === null ? "none" : "json",
      auth: "none",
    },
    params: parameters
      .filter(({ in: place }) => place !== "header")
      .map(({ name, example, in: type }) => ({ name, value: example, type, enabled: type === "path" })),
    headers: defaultHeaders(operation).map((header) => ({ ...header, enabled: true })),
    ...(body === null ? {} : { body: { json: body } }),
    // The script encodes what it signs.
    settings: { encodeUrl: false },
    docs: documentation,
  };
}
