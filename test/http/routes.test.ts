import { describe, expect, it } from "@jest/globals";
import { ENDPOINTS, STREAMS } from "../../src/api/endpoints.ts";
import { buildApiSchema } from "../../src/api/schema.ts";
import type { Route } from "../../src/context/endpoint.ts";
import { type ApiOptions, createApi } from "../../src/http/api.ts";
import { createDocument } from "../../src/http/openapi/document.ts";
import { createRest } from "../../src/http/rest/sofa.ts";
import { namesInDocument } from "../../src/http/routes.ts";
import { present } from "../support/assert/until.ts";
import { matchRoute } from "../support/http/match-route.ts";

const route = (method: Route["method"], path: string, field: string): Route => ({
  method,
  path,
  field: `Query.${field}`,
});

describe("registerRoutes", () => {
  it("meets every listed route, by its own pattern, and no other", () => {
    for (const { method, path, field } of ENDPOINTS) {
      const sent = path.replace(/:\w+/g, "0xabc");
      expect(matchRoute(ENDPOINTS, method, sent)?.route).toMatchObject({ method, path, field });
    }
  });

  it.each([
    ["a literal listed first", ["/orders/tx/:txHash", "/orders/:orderId/:part"]],
    ["a literal listed last", ["/orders/:orderId/:part", "/orders/tx/:txHash"]],
  ])("prefers the literal segment: %s", (_name, paths) => {
    const routes = paths.map((path) => route("GET", path, "x"));
    expect(matchRoute(routes, "GET", "/orders/tx/0x1")?.route.path).toBe("/orders/tx/:txHash");
    expect(matchRoute(routes, "GET", "/orders/0x1/tx")?.route.path).toBe("/orders/:orderId/:part");
  });

  it("prefers the literal segment, whatever the names of parameters before it", () => {
    const routes = ["/orders/:n/:part", "/orders/:orderId/open"].map((path) => route("GET", path, "x"));
    expect(matchRoute(routes, "GET", "/orders/0x1/open")?.route.path).toBe("/orders/:orderId/open");
  });

  it("tells a parameter's value from a literal route", () => {
    const routes = [route("GET", "/orders/:orderId", "order"), route("GET", "/orders/open", "open")];
    expect(matchRoute(routes, "GET", "/orders/open")).toMatchObject({
      route: { field: "Query.open" },
      values: {},
    });
    expect(matchRoute(routes, "GET", "/orders/closed")).toMatchObject({
      route: { field: "Query.order" },
      values: { orderId: "closed" },
    });
  });

  it.each([
    ["GET", "/webhook"],
    ["POST", "/webhook"],
    ["DELETE", "/webhook/1"],
    ["GET", "/docs"],
    ["GET", "/openapi.json"],
    ["HEAD", "/config"],
    ["OPTIONS", "/config"],
    ["PUT", "/orders/calldata"],
    ["get", "/config"],
    ["GET", "/Config"],
    ["GET", "/config/"],
    ["GET", "/orders/"],
    ["GET", "/"],
    ["GET", ""],
    ["GET", "/prices/__proto__/constructor/x"],
  ])("lets %s %s not pass", (method, path) => {
    expect(matchRoute(ENDPOINTS, method, path)).toBeNull();
  });
});

describe("createApi", () => {
  const schema = buildApiSchema();
  const endpoints = ENDPOINTS;
  const [first, ...fewer] = endpoints;
  const more = { ...route("GET", "/more", "more"), cost: 1 };
  const whole = {
    routes: [...endpoints, ...STREAMS] as Route[],
    rest: createRest(schema, endpoints),
    document: createDocument({ schema, endpoints, streams: STREAMS }),
  };
  const create = (parts: Partial<typeof whole>) => () =>
    createApi({ ...whole, ...parts } as unknown as ApiOptions);
  const FIRST = `GET /api/v1${first?.path}`;

  it("takes the real lists, which have the paths that partners request", () => {
    expect(whole.rest.names).toContain("GET /api/v1/orders/:orderId");
    expect(whole.rest.names.length).toBe(endpoints.length);
    expect(namesInDocument(whole.document)).toContain("POST /api/v1/orders/send");
    expect(create({})).not.toThrow();
  });

  it("refuses to start where sofa lacks a route", () => {
    expect(create({ rest: createRest(schema, fewer) })).toThrow(`${FIRST} is not once in sofa`);
  });

  it("refuses to start where the OpenAPI document lacks a route", () => {
    const document = createDocument({ schema, endpoints: fewer, streams: STREAMS });
    expect(create({ document })).toThrow(`${FIRST} is not once in the OpenAPI document`);
    const unstreamed = createDocument({ schema, endpoints });
    expect(create({ document: unstreamed })).toThrow(
      "GET /api/v1/events/stream is not once in the OpenAPI document",
    );
  });

  it("refuses to start where the list of endpoints lacks a route, or has one twice or one more", () => {
    const missing = `${FIRST} is not once in the list of endpoints`;
    expect(create({ routes: [...fewer, ...STREAMS] })).toThrow(missing);
    expect(create({ routes: [...whole.routes, ...endpoints.slice(0, 1)] })).toThrow(missing);
    expect(create({ routes: [...whole.routes, more] })).toThrow(
      "GET /api/v1/more is not once in sofa, GET /api/v1/more is not once in the OpenAPI document",
    );
  });

  it("refuses to start where a route has another method in sofa", () => {
    const rest = createRest(schema, [{ ...present(first, "an endpoint"), method: "POST" }, ...fewer]);
    expect(create({ rest })).toThrow(`POST /api/v1${first?.path} is not once in the list of endpoints`);
  });
});
