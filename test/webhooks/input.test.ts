import { expect, it } from "@jest/globals";
import { parseInput } from "../../src/context/input/fields.ts";
import { createShape, deliveriesShape, rotateShape, webhookShape } from "../../src/webhooks/input.ts";

const ID = "7c1f3b52-9d64-4b0e-9a7e-2f8d5c6b1a90";

it("an id is a UUID in any case, read as lower case", () => {
  expect(parseInput(webhookShape, { webhookId: ID.toUpperCase() })).toEqual({ webhookId: ID });
});

it.each([ID.slice(1), `${ID}0`, `g${ID.slice(1)}`, ID.replaceAll("-", "0")])(
  "an id is not %s",
  (webhookId) => {
    expect(() => parseInput(webhookShape, { webhookId })).toThrow("webhookId must be a UUID");
  },
);

it.each([
  [undefined, 10],
  ["-1", 10],
  ["0", 10],
  ["1", 1],
  ["99", 99],
  ["101", 100],
])("a limit of %j deliveries is %d", (limit, expected) => {
  expect(parseInput(deliveriesShape, { webhookId: ID, limit })).toMatchObject({ limit: expected });
});

it.each([
  [undefined, 86_400],
  ["0", 0],
  ["604800", 604_800],
])("an overlap of %j seconds is %d", (overlapSeconds, expected) => {
  const input = parseInput(rotateShape, { webhookId: ID, overlapSeconds });
  expect(input).toEqual({ webhookId: ID, overlapSeconds: expected });
});

it.each(["-1", "604801"])("an overlap is not of %s seconds", (overlapSeconds) => {
  const parse = () => parseInput(rotateShape, { webhookId: ID, overlapSeconds });
  expect(parse).toThrow("overlapSeconds must be from 0 to 604800 seconds");
});

it.each([
  ["left out", undefined, "url is required"],
  ["no text", true, "url must be a string"],
  ["of 1,001 characters", "x".repeat(1_001), "url is too long"],
])("a URL that is %s is refused", (_what, url, message) => {
  expect(() => parseInput(createShape, { url })).toThrow(message);
});
