import { readFileSync } from "node:fs";
import { expect, it } from "@jest/globals";
import { ROOT } from "../../src/config/root.ts";
import { EVENT_RESOURCES, EVENT_TYPES } from "../../src/protocol/enums.ts";

const page = readFileSync(`${ROOT}docs/events.md`, "utf8");

it.each([...EVENT_TYPES, ...EVENT_RESOURCES])("docs/events.md says what %s is", (name) => {
  expect(page).toContain(`\`${name}\``);
});
