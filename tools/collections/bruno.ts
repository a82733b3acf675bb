// @ts-expect-error: Bruno's own reader and writer of its format has no types.
import lang from "@usebruno/lang";
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

/** Definitions that scripts of chain.ts use. */
const AFTER = `const { data } = res.getBody();
const get = (name) => bru.getVar(name);
const keep = (name, value) => value && bru.setVar(name, value);
let isRepeated = false;
const again = () => {
  const tries = Number(bru.getVar("tries") || 0) + 1;
  bru.setVar("tries", tries % 100);
  isRepeated = tries < 100;
  if (isRepeated) bru.setNextRequest(req.getName());
};`;
/** Comes behind them. */
const PAUSE = "if (isRepeated) await bru.sleep(200);";

/** Returns the files of the Bruno collection, by their paths below examples/bruno. */
export function brunoFiles({ info }: Document, operations: readonly Operation[]): Map<string, string> {
  const manifest = { version: "1", name: info.title, type: "collection", ignore: ["node_modules", ".git"] };
  const kept = keptVariables(operations).map((variable) => ({ ...variable, enabled: true, local: false }));
  const collection = {
    vars: { req: kept },
    script: { req: readScript("sign.bruno.js") },
    docs: INTRODUCTION,
  };
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
    // Without them, Bruno's command runs folders by their names.
    ...[...new Set(operations.map(({ folder }) => folder))].map((name, index): [string, string] => [
      pathOf(`${name}/folder`),
      lang.jsonToCollectionBru({ meta: { name, seq: index + 1 } }),
    ]),
    ...operations.map((operation, index): [string, string] => [
      pathOf(`${operation.folder}/${nameOf(operation)}`),
      lang.jsonToBruV2(requestOf(operation, index + 1)),
    ]),
  ]);
}

/** Returns a path without blanks, which scripts of shells split. */
const pathOf = (name: string) => `${name}.bru`.replaceAll(" ", "-");

/** Two operations may have one summary; none share method and path. */
const nameOf = ({ method, path, suffix }: Operation) =>
  `${method} ${path.replace("/api/v1/", "").replaceAll("/", " ").replaceAll(/[{}]/g, "")}${suffix}`;

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
      .map((parameter) => ({
        name: parameter.name,
        value: parameter.in === "path" ? pathValueOf(operation, parameter) : parameter.example,
        type: parameter.in,
        enabled: parameter.in === "path",
      })),
    headers: defaultHeaders(operation).map((header) => ({ ...header, enabled: true })),
    ...(body === null ? {} : { body: { json: body } }),
    ...scriptsOf(operation),
    // The script encodes what it signs.
    settings: { encodeUrl: false },
    docs: documentation,
  };
}

/** Returns the scripts of one request. */
function scriptsOf({ after, isGuarded }: Operation) {
  const guard = `if (bru.getEnvVar("destructive") !== "yes") bru.runner.skipRequest();`;
  const script = {
    ...(isGuarded ? { req: guard } : {}),
    ...(after === null ? {} : { res: `${AFTER}\n${after}\n${PAUSE}` }),
  };
  return isGuarded || after !== null ? { script } : {};
}
