import { expect, it } from "@jest/globals";
import { violatedConstraint } from "../../src/db/errors.ts";

it.each<[unknown, string | null]>([
  [Object.assign(new Error("taken"), { code: "23505", constraint: "key" }), "key"],
  [Object.assign(new Error("taken"), { code: "23505" }), ""],
  [Object.assign(new Error("taken"), { code: "23505", constraint: 7 }), ""],
  [Object.assign(new Error("a check"), { code: "23514", constraint: "key" }), null],
  [new Error("no code"), null],
  [null, null],
  [undefined, null],
  ["23505", null],
])("the constraint that %p violated is %p", (error, constraint) => {
  expect(violatedConstraint(error)).toBe(constraint);
});
