import { expect, it } from "@jest/globals";
import { callerOf } from "../../src/transactions/viewer.ts";
import { refusal } from "../support/errors.ts";

it("has nothing to act for where a dashboard asks", () => {
  const scope = { chainId: 1, productType: "Stocks" };
  expect(refusal(() => callerOf({ caller: null, scope }))).toEqual({
    errCode: "ROUTE_NOT_FOUND",
    param: null,
  });
});
