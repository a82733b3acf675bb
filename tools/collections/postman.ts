import {
  type Document,
  defaultHeaders,
  INTRODUCTION,
  type Operation,
  readScript,
  VARIABLES,
} from "./operations.ts";

const SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";

/** Returns the files of the Postman collection, by their paths below examples/postman. */
export function postmanFiles({ info }: Document, operations: readonly Operation[]): Map<string, string> {
  const folders = new Set(operations.map(({ folder }) => folder));
  const collection = {
    info: { name: info.title, description: INTRODUCTION, schema: SCHEMA },
    auth: { type: "noauth" },
    event: [eventOf("prerequest", "sign.postman.js"), eventOf("test", "check.postman.js")],
    item: [...folders].map((name) => ({
      name,
      item: operations.filter(({ folder }) => folder === name).map(itemOf),
    })),
  };
  const environment = {
    name: `${info.title}: sandbox`,
    values: VARIABLES.map(({ name, value, isSecret }) => ({
      key: name,
      value,
      type: isSecret ? "secret" : "default",
      enabled: true,
    })),
  };
  return new Map([
    ["partner-trading.postman_collection.json", print(collection)],
    ["sandbox.postman_environment.json", print(environment)],
  ]);
}

const print = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

function eventOf(listen: string, script: string) {
  return { listen, script: { type: "text/javascript", exec: readScript(script).split("\n") } };
}

function itemOf(operation: Operation) {
  const { method, path, summary, documentation, parameters, body } = operation;
  const withPlaceholders = path.replaceAll(/\{(\w+)\}/g, ":$1");
  const of = (place: string) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, example, description }) => ({ key: name, value: example, description }));
  const query = of("query").map((parameter) => ({ ...parameter, disabled: true }));
  const variable = of("path");
  return {
    name: summary,
    request: {
      method,
      description: documentation,
      header: defaultHeaders(operation).map(({ name, value }) => ({ key: name, value })),
      url: {
        raw: `{{baseUrl}}${withPlaceholders}`,
        host: ["{{baseUrl}}"],
        path: withPlaceholders.slice(1).split("/"),
        ...(query.length > 0 ? { query } : {}),
        ...(variable.length > 0 ? { variable } : {}),
      },
      ...(body === null ? {} : { body: { mode: "raw", raw: body, options: { raw: { language: "json" } } } }),
    },
    response: [],
  };
}
