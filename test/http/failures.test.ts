import { describe, expect, it } from "@jest/globals";
import { GraphQLError } from "graphql";
import { toApiError } from "../../src/http/failures.ts";
import { ApiError } from "../../src/protocol/errors.ts";

const withCode = (code: string) => Object.assign(new Error("x"), { code });

describe("toApiError", () => {
  it("keeps an ApiError as it is, whatever caused it and however GraphQL wrapped it", () => {
    const error = new ApiError("RPC_UNAVAILABLE", { cause: withCode("ECONNREFUSED") });
    expect(toApiError(error)).toBe(error);
    const wrapped = new GraphQLError("x", { originalError: new GraphQLError("y", { originalError: error }) });
    expect(toApiError(wrapped)).toBe(error);
  });

  it.each([
    ["a refused connection", withCode("ECONNREFUSED")],
    ["a shutdown", withCode("57P01")],
    ["Prisma out of reach", withCode("P1001")],
    ["the pool's timeout", new Error("timeout exceeded when trying to connect")],
    ["a cause", new Error("outer", { cause: withCode("57P01") })],
    ["a wrapped one", new GraphQLError("x", { originalError: withCode("53300") })],
  ])("tells that the database is unavailable: %s", (_name, error) => {
    expect(toApiError(error).errCode).toBe("DATABASE_UNAVAILABLE");
  });

  it.each([
    ["a unique violation", withCode("23505")],
    [
      "a node that fetch cannot reach",
      Object.assign(new TypeError("fetch failed"), { cause: withCode("ECONNREFUSED") }),
    ],
    ["a plain error", new Error("Something about a Connection terminated")],
    ["nothing", undefined],
    ["a string", "ECONNREFUSED"],
  ])("does not blame the database for %s", (_name, error) => {
    expect(toApiError(error)).toMatchObject({ errCode: "INTERNAL", cause: error });
  });

  it("ends on causes that go in a circle", () => {
    const error = new Error("a");
    error.cause = error;
    expect(toApiError(error).errCode).toBe("INTERNAL");
  });
});
