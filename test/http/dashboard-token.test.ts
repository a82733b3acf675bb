import { describe, expect, it } from "@jest/globals";
import { createTokenCheck } from "../../src/http/dashboard-token.ts";

describe("createTokenCheck", () => {
  const check = createTokenCheck(["first-token", "second-token"]);
  it.each(["Bearer first-token", "bearer second-token", "Bearer  first-token"])("lets %p pass", (header) => {
    expect(check(header)).toBe(true);
  });
  it.each([
    undefined,
    "",
    "Bearer",
    "Bearer ",
    "first-token",
    "Bearer first-toke",
    "Basic first-token",
    "Bearer a first-token",
  ])("refuses %p", (header) => expect(check(header)).toBe(false));
  it("refuses everybody where there is no token", () => {
    expect(createTokenCheck([])("Bearer ")).toBe(false);
    expect(createTokenCheck([])(undefined)).toBe(false);
  });
});
