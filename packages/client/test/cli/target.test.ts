import { describe, expect, it } from "@jest/globals";
import { readTarget } from "../../src/cli/target.ts";

const terminal = {
  env: {},
  cwd: "/",
  stdin: (async function* () {
    yield '{"limit": 1.10}';
  })(),
  stdout: { write: () => undefined },
  stderr: { write: () => undefined },
  interrupted: new AbortController().signal,
};
const read = (method: string, path: string, ...pairs: string[]) =>
  readTarget(terminal, [method, path, pairs]);

describe("a request as it is typed", () => {
  it.each([
    ["/orders", "/orders"],
    ["orders", "/orders"],
    ["/api/v1/orders", "/orders"],
    ["https://api.example.com/api/v1/orders", "/orders"],
  ])("names an endpoint: %s", async (typed, path) => {
    expect(await read("get", typed)).toMatchObject({ method: "GET", path, query: [], body: "" });
  });

  it("takes a query in the path and as pairs, in their order", async () => {
    const { query } = await read("GET", "/orders?status=Partial%20filled", "limit=5", "userAddress=a=b");
    expect(query).toEqual([
      ["status", "Partial filled"],
      ["limit", "5"],
      ["userAddress", "a=b"],
    ]);
  });

  it("makes a body of strings and of JSON, whose digits stay as they were typed", async () => {
    const { body, textFields } = await read(
      "POST",
      "/orders/send",
      "notional=100",
      "deadline:=1795230000000000001",
    );
    expect(body).toBe('{"notional":"100","deadline":1795230000000000001}');
    expect(textFields).toEqual(["notional"]);
  });

  it("takes a body as it comes", async () => {
    expect((await read("POST", "/orders/send", "-")).body).toBe('{"limit": 1.10}');
  });

  it.each([
    ["an unknown method", ["PUT", "/orders"], "GET, POST, DELETE"],
    ["a pair without a separator", ["GET", "/orders", "limit"], '"limit" is neither'],
    ["a name that is given twice", ["GET", "/orders?limit=1", "limit=2"], "limit is given twice"],
    ["a body of a GET", ["GET", "/orders", "@body.json"], "A GET has no body"],
    ["a query of a POST", ["POST", "/orders/send?a=1"], "A POST takes no query"],
    ["what is no JSON", ["POST", "/orders/send", "a:=b"], "a:= is not followed by JSON"],
    ["two bodies", ["POST", "/orders/send", "a=1", "@body.json"], "Give one body"],
    ["a file that does not exist", ["POST", "/orders/send", "@/nowhere/body.json"], "cannot be read"],
    ["a query that is not encoded", ["GET", "/orders?status=%zz"], "is not percent-encoded"],
  ])("refuses %s", async (_what, [method = "", path = "", ...pairs], message) => {
    await expect(read(method, path, ...pairs)).rejects.toThrow(message);
  });
});
