import { describe, expect, it } from "@jest/globals";
import { additions } from "../../tools/breaking-changes/additions.ts";
import { breakingChanges } from "../../tools/breaking-changes/documents.ts";
import type { Json } from "../../tools/breaking-changes/json-schema.ts";
import { printReleased } from "../../tools/breaking-changes/snapshot.ts";

// Each rule about breaking changes, on a small document: `bend` makes the current one from the released one.
const failure = (code: number, errCodes: string[], retryable: boolean[]) => ({
  allOf: [
    { $ref: "#/components/schemas/Failure" },
    {
      type: "object",
      properties: { code: { const: code }, errCode: { enum: errCodes }, retryable: { enum: retryable } },
    },
  ],
});

const createDocument = () => ({
  openapi: "3.1.1",
  info: { title: "Shop" },
  security: [{ ApiKey: [] }],
  paths: {
    "/orders/{id}": {
      post: {
        operationId: "order",
        "x-client-method": "orders.get",
        summary: "An order",
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "string", pattern: "^0x" } },
          { name: "limit", in: "query", schema: { type: ["integer", "string"], maximum: 100 } } as Json,
        ],
        requestBody: {
          required: false,
          content: {
            "application/json": {
              schema: {
                type: "object",
                properties: {
                  side: { enum: ["Buy", "Sell"] },
                  size: { type: ["string", "number"], maxLength: 200 },
                } as Json,
                required: ["side"],
                additionalProperties: false,
                anyOf: [{ required: ["size"] }, { required: ["side"] }],
              },
            },
          },
        } as Json | undefined,
        responses: {
          200: {
            headers: { ETag: { schema: { type: "string" } } } as Json,
            content: {
              "application/json": {
                schema: {
                  allOf: [
                    { $ref: "#/components/schemas/Success" },
                    { type: "object", properties: { data: { $ref: "#/components/schemas/Order" } } },
                  ],
                },
              },
            },
          },
          400: {
            content: {
              "application/json": {
                schema: {
                  anyOf: [
                    { $ref: "#/components/schemas/Unauthorized" },
                    { anyOf: [failure(1, ["BAD", "WORSE"], [false]), failure(2, ["GONE"], [true])] },
                  ],
                },
              },
            },
          },
        } as Record<string, Json>,
      },
    } as Record<string, Json>,
  },
  components: {
    securitySchemes: { ApiKey: { type: "apiKey", in: "header", name: "x-api-key" } },
    schemas: {
      Success: { type: "object", required: ["data"], properties: { data: {} } },
      Unauthorized: {
        type: "object",
        required: ["code"],
        properties: { code: { type: "integer", const: 401 } },
      },
      Failure: {
        type: "object",
        required: ["errCode"],
        properties: {
          code: { type: "integer" },
          errCode: { $ref: "#/components/schemas/ErrCode" },
          hint: { type: "string" },
        },
      },
      ErrCode: { type: "string", enum: ["BAD", "WORSE", "GONE"], "x-extensible": true },
      Order: {
        type: "object",
        required: ["status", "price", "fills"],
        properties: {
          status: { type: "string", enum: ["New", "Filled"] },
          price: { anyOf: [{ type: "string", pattern: "^\\d+$" }, { type: "null" }] },
          fills: { type: "array", items: { type: "string" } },
          event: { $ref: "#/components/schemas/Event" },
          parent: { anyOf: [{ $ref: "#/components/schemas/Order" }, { type: "null" }] },
        },
      } as Json,
      Event: {
        oneOf: [{ $ref: "#/components/schemas/PlacedEvent" }],
        discriminator: { propertyName: "type", mapping: { placed: "#/components/schemas/PlacedEvent" } },
        "x-extensible": true,
      } as Json,
      PlacedEvent: {
        type: "object",
        required: ["type", "data"],
        properties: { type: { type: "string", const: "placed" }, data: { type: "string" } },
      } as Json,
    },
  },
});
type Document = ReturnType<typeof createDocument>;

// biome-ignore lint/suspicious/noExplicitAny: tests bend any part of it
type Bend = (parts: { document: any; operation: any; body: any; order: any; failures: any }) => void;

/** Returns the released document, printed like those of releases (without descriptions), and the current one. */
function bent(bend: Bend): [released: Json, current: Json] {
  const current: Document = createDocument();
  const operation = current.paths["/orders/{id}"].post as Json;
  const at = (...keys: string[]) => keys.reduce<unknown>((node, key) => (node as Json)[key], operation);
  bend({
    document: current,
    operation,
    body: at("requestBody", "content", "application/json", "schema"),
    order: current.components.schemas.Order,
    failures: (at("responses", "400", "content", "application/json", "schema", "anyOf", "1") as Json).anyOf,
  });
  return [JSON.parse(printReleased(createDocument())), current as unknown as Json];
}

const ORDER = "post /orders/{id}: ";

const BREAKING: [string, Bend, string][] = [
  [
    "the data of an event is of another type",
    ({ document }) => {
      document.components.schemas.PlacedEvent.properties.data = { type: "integer" };
    },
    `${ORDER}output.data.event.data: may be integer, which is not among the types string`,
  ],
  ["a path is gone", ({ document }) => delete document.paths["/orders/{id}"], `${ORDER}is gone`],
  [
    "a method of a client is renamed",
    ({ operation }) => {
      operation["x-client-method"] = "orders.read";
    },
    `${ORDER}x-client-method was orders.get and is orders.read`,
  ],
  [
    "requests are signed otherwise",
    ({ document }) => {
      document.components.securitySchemes.ApiKey.name = "x-key";
    },
    "security: differs",
  ],
  ["a parameter is gone", ({ operation }) => operation.parameters.pop(), `${ORDER}query limit is gone`],
  [
    "a parameter becomes required",
    ({ operation }) => {
      operation.parameters[1].required = true;
    },
    `${ORDER}query limit is required now`,
  ],
  [
    "a new parameter is required",
    ({ operation }) => operation.parameters.push({ name: "x", in: "query", required: true, schema: {} }),
    `${ORDER}query x is required now`,
  ],
  [
    "a parameter takes fewer types",
    ({ operation }) => {
      operation.parameters[1].schema.type = "integer";
    },
    `${ORDER}query limit: may be string, which is not among the types integer`,
  ],
  [
    "a parameter gets a lower maximum",
    ({ operation }) => {
      operation.parameters[1].schema.maximum = 50;
    },
    `${ORDER}query limit: maximum was 100 and is 50`,
  ],
  [
    "a parameter gets another pattern",
    ({ operation }) => {
      operation.parameters[0].schema.pattern = "^0x.$";
    },
    `${ORDER}path id: pattern was ^0x and is ^0x.$`,
  ],
  [
    "a body becomes required",
    ({ operation }) => {
      operation.requestBody.required = true;
    },
    `${ORDER}a body is required now`,
  ],
  [
    "a body is gone",
    ({ operation }) => delete operation.requestBody,
    `${ORDER}input application/json is gone`,
  ],
  [
    "a field is not taken any more",
    ({ body }) => delete body.properties.size,
    `${ORDER}input.size: is not taken any more`,
  ],
  [
    "a field becomes required",
    ({ body }) => body.required.push("size"),
    `${ORDER}input : size is required now`,
  ],
  [
    "a value is not taken any more",
    ({ body }) => body.properties.side.enum.pop(),
    `${ORDER}input.side: may be Sell, which is not among the values`,
  ],
  [
    "a text may be less long",
    ({ body }) => {
      body.properties.size.maxLength = 9;
    },
    `${ORDER}input.size: maxLength was 200 and is 9`,
  ],
  ["an alternative is gone", ({ body }) => body.anyOf.pop(), `${ORDER}input : size is required now`],
  ["an answer is gone", ({ operation }) => delete operation.responses[200], `${ORDER}answer 200 is gone`],
  [
    "a header of an answer is gone",
    ({ operation }) => delete operation.responses[200].headers.ETag,
    `${ORDER}answer 200: header ETag is gone`,
  ],
  [
    "a field of an answer is gone",
    ({ order }) => {
      delete order.properties.status;
      order.required.shift();
    },
    `${ORDER}output.data: status is not always there any more`,
  ],
  [
    "a field of an answer that was not always there is gone",
    ({ order }) => delete order.properties.parent,
    `${ORDER}output.data.parent: is gone`,
  ],
  [
    "a field of an answer is not always there",
    ({ order }) => order.required.shift(),
    `${ORDER}output.data: status is not always there any more`,
  ],
  [
    "a field of an answer may be null",
    ({ order }) => {
      order.properties.fills = { anyOf: [order.properties.fills, { type: "null" }] };
    },
    `${ORDER}output.data.fills: may be null, which is not among the types array`,
  ],
  [
    "a field of an answer has another type",
    ({ order }) => {
      order.properties.fills.items.type = "number";
    },
    `${ORDER}output.data.fills[]: may be number, which is not among the types string`,
  ],
  [
    "a closed enum of an answer gets a value",
    ({ order }) => order.properties.status.enum.push("Lost"),
    `${ORDER}output.data.status: may be Lost, which is not among the values`,
  ],
  [
    "a field of an answer loses its pattern",
    ({ order }) => delete order.properties.price.anyOf[0].pattern,
    `${ORDER}output.data.price: pattern was ^\\d+$ and is undefined`,
  ],
  [
    "the envelope loses a field",
    ({ document }) => delete document.components.schemas.Failure.properties.hint,
    "Failure.hint: is gone",
  ],
  [
    "an errCode is gone",
    ({ failures }) => failures[0].allOf[1].properties.errCode.enum.pop(),
    `${ORDER}WORSE is gone`,
  ],
  [
    "an errCode has another code",
    ({ failures }) => {
      failures[1].allOf[1].properties.code.const = 1;
    },
    `${ORDER}code of GONE was 2 and is 1`,
  ],
  [
    "an errCode is retryable otherwise",
    ({ failures }) => {
      failures[1].allOf[1].properties.retryable.enum = [false];
    },
    `${ORDER}retryable of GONE was true and is false`,
  ],
  [
    "an errCode has another HTTP status",
    ({ operation }) => {
      operation.responses[409] = operation.responses[400];
    },
    `${ORDER}status of BAD was 400 and is 409`,
  ],
  [
    "an errCode has a code that nobody knows",
    ({ failures, document }) => {
      failures.push(failure(3, ["ODD"], [false]));
      document.components.schemas.ErrCode.enum.push("ODD");
    },
    `${ORDER}ODD has a code that is new: 3`,
  ],
];

/** With the names that a changelog has to tell. */
const HARMLESS: [string, Bend, ...added: string[]][] = [
  ["nothing", () => undefined],
  [
    "another text",
    ({ operation, document }) => {
      operation.summary = "One order";
      document.info.title = "Store";
    },
  ],
  [
    "a new operation",
    ({ document }) => {
      document.paths["/more"] = { get: { responses: {} } };
    },
    "GET /more",
  ],
  [
    "a new optional parameter",
    ({ operation }) => operation.parameters.push({ name: "x", in: "query", schema: {} }),
    "x",
  ],
  [
    "a parameter that takes more",
    ({ operation }) => {
      operation.parameters[1].schema = { type: ["integer", "string", "null"], maximum: 1_000 };
      delete operation.parameters[0].schema.pattern;
    },
  ],
  [
    "a new optional field of a body",
    ({ body }) => {
      body.properties.note = { type: "string" };
    },
    "note",
  ],
  [
    "a field that is not required any more",
    ({ body }) => {
      body.required = [];
    },
  ],
  ["a value that is taken, too", ({ body }) => body.properties.side.enum.push("Short"), "Short"],
  [
    "a new field of an answer",
    ({ order }) => {
      order.properties.fee = { type: "string" };
      order.required.push("fee");
    },
    "fee",
  ],
  [
    "an event of a new type",
    ({ document }) => {
      const { Event, PlacedEvent } = document.components.schemas;
      document.components.schemas.GoneEvent = {
        ...PlacedEvent,
        properties: { type: { type: "string", const: "gone" }, data: { type: "integer" } },
      };
      Event.oneOf.push({ $ref: "#/components/schemas/GoneEvent" });
    },
  ],
  ["a value that an answer never has any more", ({ order }) => order.properties.status.enum.pop()],
  [
    "a field of an answer that is never null any more",
    ({ order }) => {
      order.properties.price = { type: "string", pattern: "^\\d+$" };
    },
  ],
  [
    "a new header of an answer",
    ({ operation }) => {
      operation.responses[200].headers.Age = { schema: { type: "string" } };
    },
    "Age",
  ],
  [
    "a new errCode with a known code",
    ({ failures, document }) => {
      failures[0].allOf[1].properties.errCode.enum.push("NEW");
      document.components.schemas.ErrCode.enum.push("NEW");
    },
    "NEW",
  ],
];

describe("a change", () => {
  it.each(BREAKING)("breaks clients: %s", (_name, bend, expected) => {
    expect(breakingChanges(...bent(bend))).toContain(expected);
  });

  it.each(HARMLESS)("breaks no client, and adds what it adds: %s", (_name, bend, ...added) => {
    expect(breakingChanges(...bent(bend))).toEqual([]);
    expect(additions(...bent(bend))).toEqual(added);
  });
});
