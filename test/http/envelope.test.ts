import { describe, expect, it } from "@jest/globals";
import { GraphQLError } from "graphql";
import { failure, success, unauthorized } from "../../src/http/envelope.ts";
import { ApiError, ERROR_CATALOGUE, type ErrCode } from "../../src/protocol/errors.ts";

const stamp = { uuid: "8f7f3c1e-0000-4000-8000-000000000000", t: 1_700_000_000_000 };
const parsed = (answer: { body: string }) => JSON.parse(answer.body);
const wrap = (error: Error) => new GraphQLError(error.message, { originalError: error });

describe("success", () => {
  it("is code 200 with the data, the uuid and the time", () => {
    const answer = success('{"price":"180.5","none":null}', stamp);
    expect(answer).toMatchObject({ status: 200, code: 200, errCode: null });
    expect(parsed(answer)).toEqual({
      code: 200,
      errMsg: "",
      data: { price: "180.5", none: null },
      ...stamp,
    });
  });
});

describe("failure", () => {
  it.each(Object.keys(ERROR_CATALOGUE) as ErrCode[])("carries what the catalogue says of %s", (errCode) => {
    const { code, status, retryable, message } = ERROR_CATALOGUE[errCode];
    const answer = failure(new ApiError(errCode, { param: "price", revert: "Expired" }), stamp);
    expect(answer).toMatchObject({ status, code, errCode });
    expect(parsed(answer)).toEqual({
      code,
      errMsg: message,
      data: null,
      ...stamp,
      errCode,
      param: "price",
      retryable,
      ...(errCode === "CHAIN_REVERT" ? { revert: "Expired" } : {}),
    });
  });

  it("names the page of its errCode where the deployment serves one", () => {
    const answer = failure(new ApiError("DEADLINE_EXPIRED"), { ...stamp, docsUrl: "https://a.example/docs" });
    expect(parsed(answer)).toMatchObject({ docUrl: "https://a.example/docs/errors/DEADLINE_EXPIRED" });
  });

  it("has the start of the log where a cursor has expired, and only then", () => {
    const expired = failure(new ApiError("CURSOR_EXPIRED", { oldestCursor: "WzFd" }), stamp);
    expect(parsed(expired)).toMatchObject({ oldestCursor: "WzFd" });
    expect(parsed(failure(new ApiError("CURSOR_EXPIRED"), stamp))).not.toHaveProperty("oldestCursor");
  });

  it("finds the ApiError under GraphQL's wrappings", () => {
    const answer = failure(wrap(wrap(new ApiError("DEADLINE_EXPIRED", { param: "deadline" }))), stamp);
    expect(parsed(answer)).toMatchObject({
      code: 10000,
      errMsg: "deadline expired",
      errCode: "DEADLINE_EXPIRED",
      param: "deadline",
    });
  });

  it.each([
    ["an Error", new Error("connect to postgres://user:pw@db failed")],
    ["a wrapped Error", wrap(new Error("SELECT secret FROM x"))],
    ["a string", "boom"],
    ["undefined", undefined],
    ["null", null],
  ])("keeps %s inside", (_name, thrown) => {
    const answer = failure(thrown, stamp);
    expect(answer).toMatchObject({ status: 500, code: 500, errCode: "INTERNAL" });
    expect(parsed(answer)).toEqual({
      code: 500,
      errMsg: ERROR_CATALOGUE.INTERNAL.message,
      data: null,
      ...stamp,
      errCode: "INTERNAL",
      param: null,
      retryable: true,
    });
  });

  it("hands the log what went wrong on our side, and nothing of a caller's mistake", () => {
    const cause = new Error("inside");
    expect(failure(cause, stamp).unexpected).toBe(cause);
    expect(failure(new ApiError("RPC_UNAVAILABLE", { cause }), stamp).unexpected).toBe(cause);
    expect(failure(new ApiError("VALIDATION_FAILED", { cause }), stamp).unexpected).toBeNull();
  });
});

describe("unauthorized", () => {
  it.each([stamp, { ...stamp, docsUrl: "https://a.example/docs" }])(
    "has these fields and no other",
    (given) => {
      const answer = unauthorized(given);
      expect(answer.status).toBe(400);
      expect(answer.body).toBe(
        `{"code":401,"errMsg":"Unauthorized","data":null,"uuid":"${stamp.uuid}","t":${stamp.t}}`,
      );
    },
  );
});
