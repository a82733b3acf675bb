import { readFileSync } from "node:fs";
import { expect, it } from "@jest/globals";
import { TRIGGERED_TYPES } from "../src/control/trigger/causes.ts";

it("every type of event that the OpenAPI document has can be triggered, and no other", () => {
  const file = new URL("../../../docs/openapi.json", import.meta.url);
  const { webhooks } = JSON.parse(readFileSync(file, "utf8"));
  expect(TRIGGERED_TYPES.toSorted()).toEqual(Object.keys(webhooks).toSorted());
});
