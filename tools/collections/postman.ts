import {
  type Document,
  defaultHeaders,
  INTRODUCTION,
  keptVariables,
  type Operation,
  pathValueOf,
  readScript,
  VARIABLES,
} from "./operations.ts";

/** Definitions that scripts of chain.ts use, in a block: Postman has a `data` of its own. */
const AFTER = `const { data } = pm.response.json();
const get = (name) => pm.variables.get(name);
const keep = (name, value) => value && pm.collectionVariables.set(name, value);
const again = () => {
  const tries = Number(pm.collectionVariables.get("tries") || 0) + 1;
  pm.collectionVariables.set("tries", tries % 100);
  if (tries < 100) pm.execution.setNextRequest(pm.info.requestId);
  setTimeout(() => {}, 200);
};`;
const SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";

/** Returns the files of the Postman collection, by their paths below examples/postman. */
export function postmanFiles({ info }: Document, operations: readonly Operation[]): Map<string, string> {
  const folders = new Set(operations.map(({ folder }) => folder));
  const collection = {
    info: { name: info.title, description: INTRODUCTION, schema: SCHEMA },
    auth: { type: "noauth" },
    event: [eventOf("prerequest", "sign.postman.js"), eventOf("test", "check.postman.js")],
    variable: keptVariables(operations).map(({ name, value }) => ({ key: name, value })),
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

const eventOf = (listen: string, script: string) => eventRunning(listen, readScript(script));

const eventRunning = (listen: string, text: string) => ({
  listen,
  script: { type: "text/javascript", exec: text.split("\n") },
});

/** Returns the scripts of one request. */
function eventsOf({ after, isGuarded }: Operation) {
  const guard = `if (pm.variables.get("destructive") !== "yes") pm.execution.skipRequest();`;
  return [
    ...(isGuarded ? [eventRunning("prerequest", guard)] : []),
    ...(after === null ? [] : [eventRunning("test", `{\n${AFTER}\n${after}\n}`)]),
  ];
}

function itemOf(operation: Operation) {
  const { method, path, summary, suffix, documentation, parameters, body } = operation;
  const withPlaceholders = path.replaceAll(/\{(\w+)\}/g, ":$1");
  const of = (place: string) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, example, description }) => ({ key: name, value: example, description }));
  const query = of("query").map((parameter) => ({ ...parameter, disabled: true }));
  const variable = parameters
    .filter((parameter) => parameter.in === "path")
    .map((parameter) => ({
      key: parameter.name,
      value: pathValueOf(operation, parameter),
      description: parameter.description,
    }));
  const event = eventsOf(operation);
  return {
    name: summary + suffix,
    ...(event.length > 0 ? { event } : {}),
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
