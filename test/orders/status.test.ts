import { describe, expect, it } from "@jest/globals";
import { statusesOf, statusOf } from "../../src/orders/status.ts";
import { STATUS_CASES } from "./status-cases.ts";

describe("statusOf", () => {
  it.each(STATUS_CASES)("%s", (_path, state, claim, status, onChainStatus) => {
    const found = statusOf(state, claim);
    expect(found).toEqual({ status, onChainStatus });
    expect(statusesOf(found.onChainStatus)).toContain(status);
  });
});
