import { createHmac } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "@jest/globals";
// @ts-expect-error: it has no types.
import lang from "@usebruno/lang";
import { sentVectors, targetOf, type Vector, vectors } from "../../packages/client/test/vectors.ts";
import { readScript } from "../../tools/collections/operations.ts";
import { collectionFiles } from "../../tools/collections.ts";
import { present } from "../support/assert/until.ts";
import { operations } from "../support/http/openapi.ts";

const EXAMPLES = fileURLToPath(new URL("../../examples/", import.meta.url));
const written = collectionFiles();

function filesBelow(folder: string): string[] {
  const entries = readdirSync(EXAMPLES + folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`.slice(EXAMPLES.length));
}

describe("the collections", () => {
  it("are what `npm run collections` writes now", () => {
    const files = [...filesBelow("postman"), ...filesBelow("bruno")].sort();
    expect(files).toEqual([...written.keys()].sort());
    const outdated = files.filter((path) => readFileSync(EXAMPLES + path, "utf8") !== written.get(path));
    expect(outdated.length === 0 ? "current" : "run `npm run collections`").toBe("current");
  });

  it("have every operation of the document but the stream", () => {
    const expected = operations
      .filter(({ path }) => !path.endsWith("/stream"))
      .map(({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`)
      // Cancels the order that came with a deposit.
      .concat("DELETE /api/v1/orders/:orderId/send")
      .sort();
    const { item: folders } = JSON.parse(
      String(written.get("postman/partner-trading.postman_collection.json")),
    );
    const postman = folders.flatMap(
      (folder: { item: { request: { method: string; url: { raw: string } } }[] }) =>
        folder.item.map(({ request }) => `${request.method} ${request.url.raw.replace("{{baseUrl}}", "")}`),
    );
    expect(postman.sort()).toEqual(expected);
    const bruno = requests().map(
      ({ http }) => `${http.method.toUpperCase()} ${http.url.replace("{{baseUrl}}", "")}`,
    );
    expect(bruno.sort()).toEqual(expected);
  });

  it("have what ends something in a folder of its own, the last one", () => {
    const { item: folders } = JSON.parse(
      String(written.get("postman/partner-trading.postman_collection.json")),
    );
    const { name, item } = folders.at(-1);
    const names = item.map(
      ({ request }: { request: { method: string; url: { path: string[] } } }) =>
        `${request.method} /${request.url.path.slice(2).join("/")}`,
    );
    expect({ name, names: names.sort() }).toEqual({
      name: "Destructive",
      names: [
        "DELETE /orders/:orderId/send",
        "DELETE /orders/:orderId/send",
        "DELETE /webhooks/:webhookId",
        "POST /1ct/disable",
        "POST /key/rotate",
        "POST /orders/cancel-after",
        "POST /orders/cancel/send",
        "POST /webhooks/:webhookId/rotate",
      ],
    });
    const bruno = [...written.keys()].filter(
      (path) => path.startsWith("bruno/Destructive/") && !path.endsWith("/folder.bru"),
    );
    expect(bruno).toHaveLength(names.length);
  });

  it("run their folders in one order: Bruno sorts those without a number by name", () => {
    const { item: folders } = JSON.parse(
      String(written.get("postman/partner-trading.postman_collection.json")),
    );
    const numbered = [...written].filter(([path]) => path.endsWith("/folder.bru"));
    const bruno = numbered
      .map(([, text]) => lang.collectionBruToJson(text).meta)
      .sort((one, other) => one.seq - other.seq)
      .map(({ name }) => name);
    expect(bruno).toEqual(folders.map(({ name }: { name: string }) => name));
  });

  it("send nothing twice", () => {
    const sends = requests().filter(({ http }) => http.url.endsWith("/send"));
    expect(sends).toHaveLength(9);
    for (const { headers } of sends)
      expect(headers).toMatchObject([{ name: "Idempotency-Key", value: "{{$guid}}" }]);
  });
});

/** Inputs of a script's signature, each with a given value. */
interface Signed {
  uri: string;
  headers: Record<string, string>;
}
const SETTINGS = { baseUrl: "https://api.example.com/trading", apiKey: "pk", apiSecret: vectors.secret };
const variables: Record<string, string> = { ...SETTINGS, chainId: "1", productType: "P" };

/** Returns a library that both tools offer to scripts. */
function library(name: string, nonce: string) {
  if (name === "uuid") return { v4: () => nonce };
  return { HmacSHA256: (text: string, key: string) => createHmac("sha256", key).update(text).digest("hex") };
}

/** Runs the script as Bruno does: the shapes of `req` and `bru` are those of its documentation. */
function runBruno(vector: Vector): Signed {
  const headers: Record<string, string> = {};
  let url = `{{baseUrl}}${targetOf(vector)}`;
  runScript("sign.bruno.js", vector, {
    bru: {
      getEnvVar: (name: string) => variables[name],
      interpolate: (text: string) => text.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => variables[name] ?? ""),
    },
    req: {
      getUrl: () => url,
      setUrl: (to: string) => {
        url = to;
      },
      getPath: () => new URL(url).pathname,
      getMethod: () => vector.method,
      getBody: () => vector.body,
      setBody: () => undefined,
      setHeader: (name: string, value: string) => {
        headers[name] = value;
      },
    },
  });
  return { uri: url.slice(String(variables.baseUrl).length), headers };
}

function runScript(script: string, { timestamp, nonce }: Vector, globals: object): void {
  runInNewContext(readScript(script), {
    require: (name: string) => library(name, nonce),
    Date: { now: () => Number(timestamp) },
    ...globals,
  });
}

describe("the script of the Bruno collection", () => {
  // A plus sign is literal in this API; the script sends it encoded.
  const signed = sentVectors.filter(({ uri }) => !uri.includes("+"));
  it.each(signed)("signs $method $uri as the vectors do", (vector) => {
    const { uri, headers } = runBruno(vector);
    expect({ uri, sign: headers["x-api-sign"] }).toEqual({ uri: vector.uri, sign: vector.sign });
    expect(headers).toMatchObject({
      "x-api-nonce": vector.nonce,
      "x-api-ts": vector.timestamp,
      "x-api-key": "pk",
    });
  });

  it("says which variables are not set", () => {
    const bru = { getEnvVar: (name: string) => (name === "apiSecret" ? "" : "given") };
    const run = () => runScript("sign.bruno.js", present(vectors.cases[0], "a vector"), { bru });
    expect(run).toThrow("Set apiSecret in the environment");
  });
});

interface Parsed {
  http: { method: string; url: string };
  headers: object[];
}

function requests(): Parsed[] {
  const isRequest = (path: string) => /^bruno\/.+\/(GET|POST|DELETE)-.+\.bru$/.test(path);
  return [...written].filter(([path]) => isRequest(path)).map(([, text]) => lang.bruToJsonV2(text));
}
