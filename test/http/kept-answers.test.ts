import { expect, it } from "@jest/globals";
import { createKeptAnswers, etagOf, isMatchedBy } from "../../src/http/kept-answers.ts";

const answer = (data: string) => ({ version: "1", data, etag: etagOf(data) });

it("keeps what was used last, within its bytes", () => {
  const kept = createKeptAnswers(4_000);
  for (const name of ["a", "b", "c"]) kept?.keep(name, answer("x".repeat(900)));
  expect(kept?.find("a")).toBeDefined();
  kept?.keep("d", answer("x".repeat(900)));
  expect(["a", "b", "c", "d"].filter((name) => kept?.find(name))).toEqual(["a", "c", "d"]);
});

it("counts bytes, not characters, and keeps nothing that is larger than all of it", () => {
  const kept = createKeptAnswers(4_000);
  kept?.keep("large", answer("\u20ac".repeat(1_300)));
  expect(kept?.find("large")).toBeUndefined();
  kept?.keep("small", answer("x".repeat(1_300)));
  expect(kept?.find("small")).toBeDefined();
});

it("counts the bytes of names, too", () => {
  const kept = createKeptAnswers(4_000);
  const name = "n".repeat(3_000);
  kept?.keep(name, answer("x".repeat(900)));
  expect(kept?.find(name)).toBeUndefined();
  kept?.keep(name, answer("x".repeat(500)));
  expect(kept?.find(name)).toBeDefined();
});

it("keeps nothing without memory", () => {
  expect(createKeptAnswers(0)).toBeNull();
});

it("an entity tag names the data, and nothing else", () => {
  expect(etagOf("{}")).toBe(etagOf("{}"));
  expect(etagOf("{}")).not.toBe(etagOf("[]"));
  expect(etagOf("{}")).toMatch(/^W\/"[\w-]{27}"$/);
});

it.each([
  ['W/"a"', true],
  ['"a"', true],
  ['"b", W/"a"', true],
  ['"b" ,"a"', true],
  ["*", true],
  ['"b"', false],
  ["a", false],
  ['W/"A"', false],
  ["", false],
  [undefined, false],
])("If-None-Match %s: %s", (sent, isMatched) => {
  expect(isMatchedBy('W/"a"', sent)).toBe(isMatched);
});
