import { describe, expect, it } from "@jest/globals";
import { createRouter } from "../../src/http/router.ts";
import { ROUTES, type Route } from "../../src/protocol/routes.ts";

const route = (method: Route["method"], path: string, field: string | null): Route => ({
  method,
  path,
  field: field ? (`Query.${field}` as const) : null,
});

describe("createGate", () => {
  it("meets every listed route that exists, by its own pattern, and no other", () => {
    const router = createRouter(ROUTES);
    for (const { method, path, field } of ROUTES) {
      const sent = path.replace(/:\w+/g, "0xabc");
      const match = router(method, sent);
      if (field) expect(match?.listed).toMatchObject({ method, path, field });
      else expect(match).toBeNull();
    }
  });

  it.each([
    ["a literal listed first", ["/orders/tx/:txHash", "/orders/:orderId/:part"]],
    ["a literal listed last", ["/orders/:orderId/:part", "/orders/tx/:txHash"]],
  ])("prefers the literal segment: %s", (_name, paths) => {
    const router = createRouter(paths.map((path) => route("GET", path, "x")));
    expect(router("GET", "/orders/tx/0x1")?.listed.path).toBe("/orders/tx/:txHash");
    expect(router("GET", "/orders/0x1/tx")?.listed.path).toBe("/orders/:orderId/:part");
  });

  it("does not let a parameter catch a literal route that does not exist yet", () => {
    const router = createRouter([
      route("GET", "/orders/:orderId", "order"),
      route("GET", "/orders/open", null),
    ]);
    expect(router("GET", "/orders/open")).toBeNull();
    expect(router("GET", "/orders/closed")).toMatchObject({
      listed: { params: new Set(["orderId"]) },
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
    expect(createRouter(ROUTES)(method, path)).toBeNull();
  });
});
