import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "@jest/globals";
import { BaseResolver, createConfig, lintFromString, loadIgnoreConfig } from "@redocly/openapi-core";
import { decodeFunctionData } from "viem";
import { z } from "zod";
import { ENDPOINTS, STREAMS } from "../../src/api/endpoints.ts";
import { buildApiSchema } from "../../src/api/schema.ts";
import { stockRouterAbi } from "../../src/contracts/abi/index.ts";
import { createDocument, printDocument } from "../../src/http/openapi/document.ts";
import { printEndpoints } from "../../src/http/openapi/table.ts";
import { costMax } from "../../src/protocol/costs.ts";
import { EVENT_TYPES } from "../../src/protocol/enums.ts";
import { ERROR_CATALOGUE, EVERYWHERE } from "../../src/protocol/errors.ts";
import { OPERATION_KINDS, OPERATIONS } from "../../src/protocol/operations.ts";
import { SIGNING_HEADERS } from "../../src/protocol/signing.ts";
import {
  at,
  checkAgainstDocument,
  faultsOf,
  isStream,
  openApi,
  operations,
} from "../support/http/openapi.ts";

const FILE = fileURLToPath(new URL("../../docs/openapi.json", import.meta.url));
const TABLE = fileURLToPath(new URL("../../docs/endpoints.md", import.meta.url));
const IGNORED = fileURLToPath(new URL("../../.redocly.lint-ignore.yaml", import.meta.url));
const schema = buildApiSchema();

describe("docs/openapi.json", () => {
  it("is what `npm run openapi` writes now", () => {
    const written = printDocument(createDocument({ schema, endpoints: ENDPOINTS, streams: STREAMS }));
    expect(readFileSync(FILE, "utf8") === written ? "current" : "run `npm run openapi`").toBe("current");
  });

  it("has beside it docs/endpoints.md, which is what `npm run openapi` writes now", () => {
    const written = printEndpoints(ENDPOINTS, STREAMS);
    expect(readFileSync(TABLE, "utf8") === written ? "current" : "run `npm run openapi`").toBe("current");
    for (const { method, path, cost, title } of ENDPOINTS) {
      const template = path.replaceAll(/:(\w+)/g, "{$1}");
      const isUsual = cost === (method === "GET" ? 1 : 2);
      // A cost in parentheses is 1 and a part that grows with the limit, or more than the usual one, which is left out.
      const shown = typeof cost === "number" ? `(${cost})` : `(1 + ⌈\`limit\`/${cost.rowsPerUnit}⌉)`;
      expect(written).toContain(`\n- ${method} \`${template}\`${isUsual ? "" : ` ${shown}`}: ${title}\n`);
      expect(costMax(cost)).toBeGreaterThanOrEqual(method === "GET" ? 1 : 2);
    }
    expect(written.match(/^- /gm)).toHaveLength(ENDPOINTS.length + STREAMS.length);
  });

  it("meets Redocly's recommended rules; of what is ignored, nothing is outdated", async () => {
    const ignore = await loadIgnoreConfig(IGNORED, new BaseResolver());
    const config = await createConfig({ extends: ["recommended"] });
    const found = await lintFromString({ source: readFileSync(FILE, "utf8"), absoluteRef: FILE, config });
    const problems = found.map(({ ruleId, message, location }) => ({
      ruleId,
      message,
      pointer: location[0]?.pointer ?? "",
    }));
    const accepted = ignore[FILE] ?? {};
    expect(problems.filter(({ ruleId, pointer }) => !accepted[ruleId]?.has(pointer))).toEqual([]);
    expect(problems).toHaveLength(Object.values(accepted).reduce((sum, { size }) => sum + size, 0));
    // GET /orders/tx/{txHash} beside DELETE /orders/{orderId}/...: the specification's own paths, and nothing else.
    expect(Object.keys(accepted)).toEqual(["no-ambiguous-paths"]);
  });

  it("has an operation for every endpoint, and for nothing else", () => {
    const routes = ENDPOINTS.map(
      ({ method, path, field }) =>
        `${method} /api/v1${path.replaceAll(/:(\w+)/g, "{$1}")} ${field.split(".")[1]}`,
    ).concat(STREAMS.map(({ method, path, operationId }) => `${method} /api/v1${path} ${operationId}`));
    expect(
      operations.map(({ method, path, spec }) => `${method} ${path} ${spec.operationId}`).sort(),
    ).toEqual(routes.sort());
  });

  it("describes every field, parameter and body field, and gives examples that fit", () => {
    const lacking: string[] = [];
    walk(openApi, "#", (node, pointer) => {
      const isProperty = /\/properties\/[^/]+$/.test(pointer) && !pointer.includes("/responses/");
      if (isProperty && !node.description && !node.$ref) lacking.push(pointer);
      if (node.in === "query" && !(node.description && "example" in node)) lacking.push(pointer);
      if (node.in === "path" && !(node.description && "example" in node)) lacking.push(pointer);
    });
    // Schemas that narrow the envelope for one operation need no description: the envelope has it.
    const known = /^#\/components\/schemas\/(Unauthorized|Failure)\/properties\/(code|errMsg|data)$/;
    expect(lacking.filter((pointer) => !known.test(pointer))).toEqual([]);

    const unfit = operations.flatMap(({ pointer, spec }) => {
      const answer = `${pointer}/responses/200`;
      const success = `${answer}/content/${isStream(answer) ? "text~1event-stream" : "application~1json"}`;
      const body = `${pointer}/requestBody/content/application~1json`;
      const requests = spec.requestBody ? examplesAt(body) : {};
      const answers = examplesAt(success);
      if (!isStream(answer) && Object.keys(requests).length > 1)
        expect({ pointer, names: Object.keys(answers) }).toEqual({ pointer, names: Object.keys(requests) });
      return [
        ...Object.values(answers).flatMap((value) => faultsOf(`${success}/schema`, value)),
        ...Object.values(requests).flatMap((value) => faultsOf(`${body}/schema`, value)),
      ].map((fault) => `${pointer} ${fault}`);
    });
    expect(unfit).toEqual([]);
  });

  it("titles each operation in a few words of its own, in the imperative", () => {
    const titles = operations.map(({ spec }) => String(spec.summary));
    expect(
      titles.filter((title) => !/^[A-Z][a-z]+( [\w'-]+){1,5}$/.test(title) || title.length > 32),
    ).toEqual([]);
    expect(new Set(titles).size).toBe(titles.length);
    const nouns = titles.filter((title) => !VERBS.has(title.split(" ")[0] ?? ""));
    expect(nouns).toEqual([]);
  });

  it("has its tags in the order of a partner's day, each with operations, and these in the order of their tags", () => {
    const tags = z.array(z.object({ name: z.string() })).parse(openApi.tags);
    const names = tags.map(({ name }) => name);
    expect(names).toEqual([
      "Key",
      "Configuration",
      "Market",
      "One click",
      "Orders",
      "Cash",
      "Stock",
      "Portfolio",
      "Sends",
      "Events",
      "Webhooks",
      "Status",
    ]);
    const paths = z.record(z.string(), z.record(z.string(), z.object({ tags: z.tuple([z.string()]) })));
    const used = Object.values(paths.parse(openApi.paths)).flatMap((item) =>
      Object.values(item).map(({ tags: [tag] }) => tag),
    );
    expect([...new Set(used)]).toEqual(names);
  });

  it("answers each request for calldata with the call of that very request", () => {
    const calls = operations.filter(({ path }) => path.endsWith("/calldata"));
    expect(calls).toHaveLength(8);
    const named = calls.flatMap(({ method, path, pointer }) =>
      Object.entries(examplesAt(`${pointer}/responses/200/content/application~1json`)).map(
        ([name, value]) => {
          const { data } = z.object({ data: calldataSchema.or(firstCall) }).parse(value);
          const { functionName, args } = decodeFunctionData({ abi: stockRouterAbi, data: data.callData });
          const item = stockRouterAbi.find((each) => "name" in each && each.name === functionName);
          const decoded = item?.inputs.map((input, index) => [input.name, String(args?.[index])]) ?? [];
          expect({ path, name, method: data.method, args: data.args }).toEqual({
            path,
            name,
            method: functionName,
            args: Object.fromEntries(decoded),
          });
          return `${method} ${path.slice("/api/v1".length)} ${name}: ${data.method}`;
        },
      ),
    );
    const expected = [
      "POST /orders/calldata marketBuy: placeMarketOrder",
      "POST /orders/calldata marketSell: placeMarketOrder",
      "POST /orders/calldata limitBuy: placeLimitOrder",
      "POST /orders/calldata limitSell: placeLimitOrder",
      "POST /orders/with-deposit/calldata marketBuy: depositAndMarketBuy",
      "POST /orders/with-deposit/calldata marketSell: depositStockAndMarketSell",
      "POST /orders/with-deposit/calldata limitBuy: depositAndLimitBuy",
      "POST /orders/with-deposit/calldata limitSell: depositStockAndLimitSell",
      "DELETE /orders/{orderId}/calldata default: cancelLimitOrder",
      "POST /orders/cancel/calldata default: cancelLimitOrder",
      "POST /cash/deposits/calldata default: deposit",
      "POST /cash/withdrawals/calldata default: withdraw",
      "POST /stock/deposits/calldata default: depositStock",
      "POST /stock/withdrawals/calldata default: withdrawStock",
    ];
    expect(named.sort()).toEqual(expected.sort());
  });

  it("answers with the operation and the mapping of the path's own kind", () => {
    const kinds = OPERATION_KINDS.map((kind) => [OPERATIONS[kind].path, kind] as const);
    const unfit = operations.flatMap(({ method, path, pointer }) => {
      const kind = kinds.find(([start]) => path.startsWith(`/api/v1/${start}`))?.[1];
      if (!kind && !path.startsWith("/api/v1/orders")) return [];
      const texts = Object.values(examplesAt(`${pointer}/responses/200/content/application~1json`));
      const types = texts.flatMap((value) => [
        ...JSON.stringify(value).matchAll(/"operationType":"([\w-]+)"/g),
      ]);
      return types.filter(([, type]) => type !== (kind ?? "trade")).map(([, type]) => [method, path, type]);
    });
    expect(unfit).toEqual([]);
  });

  it("has a schema for each type of event, told apart by its type, and a webhook with an example that fits it", () => {
    const event = z
      .object({
        oneOf: z.array(z.object({ $ref: z.string() })),
        discriminator: z.object({
          propertyName: z.literal("type"),
          mapping: z.record(z.string(), z.string()),
        }),
      })
      .parse(at("#/components/schemas/Event"));
    const { mapping } = event.discriminator;
    expect(Object.keys(mapping)).toEqual([...EVENT_TYPES]);
    expect(event.oneOf.map(({ $ref }) => $ref)).toEqual(Object.values(mapping));
    const webhooks = z.record(z.string(), z.object({ post: z.unknown() })).parse(openApi.webhooks);
    expect(Object.keys(webhooks)).toEqual([...EVENT_TYPES, "webhook.test"]);
    for (const type of Object.keys(webhooks)) {
      const body = `#/webhooks/${type}/post/requestBody/content/application~1json`;
      const example = z.looseObject({ type: z.string() }).parse(at(`${body}/example`));
      expect({ type, faults: faultsOf(`${body}/schema`, example), shown: example.type }).toEqual({
        type,
        faults: [],
        shown: type,
      });
      const other = { ...example, type: type === "order.filled" ? "order.placed" : "order.filled" };
      expect(faultsOf(`${body}/schema`, other)).not.toEqual([]);
      if (type in mapping) expect(at(`${body}/schema/$ref`)).toBe(mapping[type]);
    }
  });

  it("has every error of the catalogue, and no refusal that the catalogue lacks", () => {
    expect(at("#/components/schemas/ErrCode")).toMatchObject({ enum: Object.keys(ERROR_CATALOGUE) });
    const told = new Set(
      [...ENDPOINTS, ...STREAMS].reduce((all, { refusals }) => all.concat(refusals), [...EVERYWHERE]),
    );
    expect(Object.keys(ERROR_CATALOGUE).filter((errCode) => !told.has(errCode as never))).toEqual([]);
    for (const errCode of Object.keys(ERROR_CATALOGUE)) {
      const value = at(`#/components/examples/${errCode}/value`);
      expect({ errCode, faults: faultsOf("#/components/schemas/Failure", value) }).toEqual({
        errCode,
        faults: [],
      });
    }
  });

  it("tells enough to sign: its example's signature follows from what it says", async () => {
    const schemes = z.record(z.string(), z.object({ name: z.string(), description: z.string() }));
    const described = schemes.parse(at("#/components/securitySchemes"));
    expect(
      Object.values(described)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(Object.values(SIGNING_HEADERS).sort());
    const { description: text } = z.object({ description: z.string() }).parse(openApi.info);
    for (const { name } of Object.values(described)) expect(text).toContain(`\`${name}\``);
    const secret = /secret `([^`]+)`/.exec(text)?.[1] ?? "";
    const blocks = text.split(/\n\n/).filter((part) => part.startsWith("    "));
    const [payload = "", signature = ""] = blocks.slice(-2).map((part) => part.replaceAll(/^ {4}/gm, ""));
    expect(payload.split("\n")).toHaveLength(5);
    const { createHmac } = await import("node:crypto");
    expect(createHmac("sha256", secret).update(payload).digest("hex")).toBe(signature);
  });
});

/** Words that titles of operations begin with. */
const VERBS = new Set(
  "Get List Encode Preview Place Deposit Withdraw Record Cancel Prepare Enable Disable Stream Create Delete Test Rotate Redeliver".split(
    " ",
  ),
);

/** The first of several calls. */
const firstCall = z
  .object({ rows: z.tuple([z.object({ calldata: z.lazy(() => calldataSchema) })]) })
  .transform(({ rows: [{ calldata }] }) => calldata);

const calldataSchema = z.object({
  callData: z.templateLiteral(["0x", z.string()]),
  method: z.string(),
  args: z.record(z.string(), z.string()),
});

/** Returns the examples of a media type by name; of a single one the name is `default`. */
function examplesAt(pointer: string): Record<string, unknown> {
  const one = at(`${pointer}/example`);
  if (one !== undefined) return { default: one };
  const named = z.record(z.string(), z.object({ value: z.unknown() })).parse(at(`${pointer}/examples`));
  return Object.fromEntries(Object.entries(named).map(([name, { value }]) => [name, value]));
}

describe("the check of answers", () => {
  const uuid = "6f1c0d6e-2b8e-4f0a-8f57-2f2a4d5b9c11";
  const headers = (more: Record<string, string> = {}) =>
    new Headers({ "x-request-id": uuid, etag: 'W/"tag"', ...more });
  const order = at(
    "#/paths/~1api~1v1~1orders~1{orderId}/get/responses/200/content/application~1json/example",
  ) as { data: Record<string, unknown> };
  const seen = { method: "GET", uri: `/api/v1/orders/0x${"ab".repeat(32)}`, status: 200, headers: headers() };

  it("takes what the document shows", () => {
    expect(() => checkAgainstDocument({ ...seen, body: order })).not.toThrow();
  });

  it.each([
    ["a field too many", { ...order, data: { ...order.data, extra: 1 } }, /\/data .*extra/],
    ["a field too few", { ...order, data: { ...order.data, mapping: undefined } }, /\/data .*mapping/],
    ["a word of no list", { ...order, data: { ...order.data, status: "Open" } }, /\/data\/status/],
    ["a field too many in the envelope", { ...order, extra: 1 }, /\/ .*extra/],
    ["another code", { ...order, code: 0 }, /\/code/],
  ])("refuses %s, and names path, operation and pointer", (_what, body, pointer) => {
    const check = () => checkAgainstDocument({ ...seen, body: JSON.parse(JSON.stringify(body)) });
    expect(check).toThrow(pointer);
    expect(check).toThrow(/GET \/api\/v1\/orders\/0x(ab)+ \(order\)/);
  });

  it("refuses an error that the operation does not list, a header that is not described, a missing one", () => {
    const body = at("#/components/examples/TX_REVERTED/value");
    const answer = { ...seen, status: 400, body };
    expect(() => checkAgainstDocument(answer)).toThrow(/\/errCode/);
    const recorded = { ...answer, method: "POST", uri: "/api/v1/orders/tx" };
    expect(() => checkAgainstDocument(recorded)).not.toThrow();
    expect(() => checkAgainstDocument({ ...recorded, headers: headers({ "x-new": "1" }) })).toThrow(/x-new/);
    expect(() => checkAgainstDocument({ ...recorded, headers: new Headers() })).toThrow(/x-request-id/);
    expect(() => checkAgainstDocument({ ...recorded, status: 418 })).toThrow(/418/);
  });

  it("refuses a success that the document says cannot be", () => {
    const uri = "/api/v1/orders?status=open";
    const body = at("#/paths/~1api~1v1~1orders/get/responses/200/content/application~1json/example");
    expect(() => checkAgainstDocument({ ...seen, uri, body })).toThrow(/parameter status/);
    expect(() => checkAgainstDocument({ ...seen, uri: "/api/v1/orders?pages=1", body })).toThrow(/pages/);
  });
});

function walk(
  node: unknown,
  pointer: string,
  visit: (node: Record<string, unknown>, pointer: string) => void,
) {
  if (typeof node !== "object" || node === null) return;
  if (!Array.isArray(node)) visit({ ...node }, pointer);
  for (const [key, value] of Object.entries(node)) {
    walk(value, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, visit);
  }
}
