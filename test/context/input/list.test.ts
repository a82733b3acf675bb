import { createHash } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { decodeCursor, encodeCursor, type ListName, type SortKey } from "../../../src/context/input/list.ts";
import { refusal } from "../../support/assert/errors.ts";

const name: ListName = { list: "orders", chainId: 31337, productType: "Sandbox" };
const position: fc.Arbitrary<SortKey> = fc.record({
  createdMs: fc.integer({ min: 0, max: 4_000_000_000_000 }),
  claimId: fc.uuid(),
  logIndex: fc.integer({ min: -1, max: 2 ** 31 - 1 }),
});
const refused = { errCode: "VALIDATION_FAILED", param: "cursor" };

/** Returns a well-formed cursor with the given content. */
const sealed = (content: string): string => {
  const whole = JSON.stringify([name.list, name.chainId, name.productType, content]);
  const seal = createHash("sha256").update(whole).digest("base64url").slice(0, 16);
  return Buffer.from(content + seal).toString("base64url");
};

describe("cursors", () => {
  it("are refused when a caller seals what is no position, or one that no row can have", () => {
    const id = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
    expect(decodeCursor(name, sealed(JSON.stringify([1, id, 0])))).toEqual({
      createdMs: 1,
      claimId: id,
      logIndex: 0,
    });
    for (const content of [
      "",
      "no JSON",
      "{}",
      "null",
      JSON.stringify([1, id]),
      JSON.stringify([1, "'; DROP TABLE", 0]),
      JSON.stringify([1.5, id, 0]),
      JSON.stringify([-1, id, 0]),
      JSON.stringify([1e16, id, 0]),
      JSON.stringify([1, id, 2 ** 31]),
    ]) {
      expect({ content, refused: refusal(() => decodeCursor(name, sealed(content))) }).toEqual({
        content,
        refused,
      });
    }
  });

  it("come back as the position that they were made of, and fit into a query", () => {
    fc.assert(
      fc.property(position, (at) => {
        const cursor = encodeCursor(name, at);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(decodeCursor(name, cursor)).toEqual(at);
      }),
    );
  });

  it("are refused when any character was changed", () => {
    fc.assert(
      fc.property(position, fc.nat(), fc.constantFrom(..."ABCabc012-_"), (at, where, letter) => {
        const cursor = encodeCursor(name, at);
        const index = where % cursor.length;
        fc.pre(cursor[index] !== letter);
        const changed = cursor.slice(0, index) + letter + cursor.slice(index + 1);
        expect(refusal(() => decodeCursor(name, changed))).toEqual(refused);
      }),
    );
  });

  it("are refused when they are anything else", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(refusal(() => decodeCursor(name, text))).toEqual(refused);
      }),
    );
  });

  it.each<[string, ListName]>([
    ["list", { ...name, list: "deposit" }],
    ["chain", { ...name, chainId: 31338 }],
    ["product", { ...name, productType: "sandbox" }],
  ])("belong to one %s", (_what, other) => {
    const at = { createdMs: 1, claimId: "3fa85f64-5717-4562-b3fc-2c963f66afa6", logIndex: 0 };
    expect(refusal(() => decodeCursor(other, encodeCursor(name, at)))).toEqual(refused);
  });
});
