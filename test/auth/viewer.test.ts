import { expect, it } from "@jest/globals";
import { requireCaller } from "../../src/auth/viewer.ts";
import { refusal } from "../support/assert/errors.ts";

it("has nothing to act for where a dashboard asks", () => {
  const scope = { chainId: 1, productType: "Stocks" };
  expect(refusal(() => requireCaller({ caller: null, scope }))).toEqual({
    errCode: "ROUTE_NOT_FOUND",
    param: null,
  });
});
