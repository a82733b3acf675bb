import { describe, expect, it } from "@jest/globals";
import { statusOf } from "../../src/orders/status.ts";
import { STATUS_CASES } from "./status-cases.ts";

describe("statusOf", () => {
  it.each(STATUS_CASES)("%s", (_path, state, claim, status, onChainStatus) => {
    expect(statusOf(state, claim)).toEqual({ status, onChainStatus });
  });
});
