import { createServer } from "node:net";
import { describe, expect, it } from "@jest/globals";
import pg from "pg";
import { isDatabaseUnavailable, toApiError } from "../../src/http/failures.ts";
import { ApiError } from "../../src/protocol/errors.ts";

const withCode = (code: string, message = "x") => Object.assign(new Error(message), { code });

describe("isDatabaseUnavailable", () => {
  it.each([
    ["a refused connection", withCode("ECONNREFUSED")],
    ["a reset connection", withCode("ECONNRESET")],
    ["a shutdown", withCode("57P01")],
    ["a starting server", withCode("57P03")],
    ["no slots left", withCode("53300")],
    ["a broken connection", withCode("08006")],
    ["a cancelled statement", withCode("57014")],
    ["Prisma out of reach", withCode("P1001")],
    ["Prisma's pool", withCode("P2024")],
    ["the pool's timeout", new Error("timeout exceeded when trying to connect")],
    ["a cut connection", new Error("Connection terminated unexpectedly")],
    ["a driver adapter's error", { name: "DriverAdapterError", kind: "DatabaseNotReachable" }],
    ["several addresses, all refused", new AggregateError([withCode("ECONNREFUSED")])],
    ["a cause", new Error("outer", { cause: withCode("57P01") })],
  ])("sees %s", (_name, error) => {
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(toApiError(error)).toMatchObject({ errCode: "DATABASE_UNAVAILABLE", cause: error });
  });

  it.each([
    ["a syntax error", withCode("42601")],
    ["a unique violation", withCode("23505")],
    ["a missing record", withCode("P2025")],
    [
      "a chain node out of reach",
      Object.assign(new TypeError("fetch failed"), { cause: withCode("ECONNREFUSED") }),
    ],
    ["a plain error", new Error("Something about a Connection terminated")],
    ["nothing", undefined],
  ])("does not mistake %s for it", (_name, error) => {
    expect(isDatabaseUnavailable(error)).toBe(false);
    expect(toApiError(error).errCode).toBe("INTERNAL");
  });

  it("ends on causes that go in a circle", () => {
    const error = new Error("a");
    error.cause = error;
    expect(isDatabaseUnavailable(error)).toBe(false);
  });

  it("sees what node-postgres really throws when nobody listens, and when the peer hangs up", async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const attempt = async () => {
      const pool = new pg.Pool({ host: "127.0.0.1", port, user: "x", database: "x" });
      try {
        return await pool.query("SELECT 1").then(
          () => null,
          (error: unknown) => error,
        );
      } finally {
        await pool.end();
      }
    };
    expect(isDatabaseUnavailable(await attempt())).toBe(true);
    await new Promise((resolve) => server.close(resolve));
    expect(isDatabaseUnavailable(await attempt())).toBe(true);
  });
});

it("keeps an ApiError as it is, whatever caused it", () => {
  const error = new ApiError("RPC_UNAVAILABLE", { cause: withCode("ECONNREFUSED") });
  expect(toApiError(error)).toBe(error);
});
