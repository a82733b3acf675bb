import { describe, expect, it } from "@jest/globals";
import { ENDPOINTS } from "../../src/api/endpoints.ts";
import type { Route } from "../../src/context/endpoint.ts";
import { createRouter } from "../../src/http/router.ts";

const route = (method: Route["method"], path: string, field: string): Route => ({
  method,
  path,
  field: `Query.${field}`,
});

describe("createRouter", () => {
  it("meets every listed route, by its own pattern, and no other", () => {
    const router = createRouter(ENDPOINTS);
    for (const { method, path, field } of ENDPOINTS) {
      const sent = path.replace(/:\w+/g, "0xabc");
      expect(router(method, sent)?.route).toMatchObject({ method, path, field });
    }
  });

  it.each([
    ["a literal listed first", ["/orders/tx/:txHash", "/orders/:orderId/:part"]],
    ["a literal listed last", ["/orders/:orderId/:part", "/orders/tx/:txHash"]],
  ])("prefers the literal segment: %s", (_name, paths) => {
    const router = createRouter(paths.map((path) => route("GET", path, "x")));
    expect(router("GET", "/orders/tx/0x1")?.route.path).toBe("/orders/tx/:txHash");
    expect(router("GET", "/orders/0x1/tx")?.route.path).toBe("/orders/:orderId/:part");
  });

  it("tells a parameter's value from a literal route", () => {
    const router = createRouter([
      route("GET", "/orders/:orderId", "order"),
      route("GET", "/orders/open", "open"),
    ]);
    expect(router("GET", "/orders/open")).toMatchObject({ route: { field: "Query.open" }, values: {} });
    expect(router("GET", "/orders/closed")).toMatchObject({
      route: { params: new Set(["orderId"]) },
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
    expect(createRouter(ENDPOINTS)(method, path)).toBeNull();
  });
});
