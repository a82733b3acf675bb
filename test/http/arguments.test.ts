import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import {
  parseBody,
  parseQuery,
  refuseQuery,
  refuseUnknownFields,
  requireField,
} from "../../src/http/arguments.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const refusal = (param: string | null) => expect.objectContaining({ errCode: "VALIDATION_FAILED", param });

describe("parseBody", () => {
  it("keeps the digits of every number as they were sent", () => {
    expect(
      parseBody(bytes('{"a":1.10,"b":1e400,"c":-0.0,"d":123456789012345678901234567890,"e":"1.10"}')),
    ).toEqual({ a: "1.10", b: "1e400", c: "-0.0", d: "123456789012345678901234567890", e: "1.10" });
  });

  it("takes an empty body as an empty object", () => {
    expect(parseBody(bytes(""))).toEqual({});
    expect(parseBody(bytes(" {} "))).toEqual({});
  });

  it("reads what JSON.parse reads, but for the numbers", () => {
    const noNumbers = fc.dictionary(
      fc.string().filter((key) => key !== "__proto__"),
      fc.oneof(fc.string(), fc.boolean(), fc.constant(null), fc.array(fc.string())),
    );
    fc.assert(
      fc.property(noNumbers, (value) => {
        expect(parseBody(bytes(JSON.stringify(value)))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it.each([
    ["equal values", '{"a":1,"a":1}', "a"],
    ["different values", '{"a":"x","b":1,"a":"y"}', "a"],
    ["another spelling", '{"a":1,"\\u0061":1}', "a"],
    ["below", '{"o":{"k":{"a":1},"k":{"a":1}}}', "k"],
    ["in an array", '{"o":[{"a":1},{"a":1,"a":1}]}', "a"],
    ["__proto__", '{"__proto__":1,"__proto__":1}', "__proto__"],
  ])("refuses a key named twice: %s", (_name, text, param) => {
    expect(() => parseBody(bytes(text))).toThrow(refusal(param));
  });

  it("does not take equal strings or keys of different objects for a repetition", () => {
    expect(parseBody(bytes('{"a":{"x":"a"},"b":{"x":"a"},"c":["a","a","a:"]}'))).toEqual({
      a: { x: "a" },
      b: { x: "a" },
      c: ["a", "a", "a:"],
    });
  });

  it.each([
    ["an array", "[]"],
    ["a string", '"x"'],
    ["a number", "1"],
    ["null", "null"],
    ["nothing but blanks", "  "],
    ["half an object", '{"a":'],
    ["a trailing comma", '{"a":1,}'],
    ["single quotes", "{'a':1}"],
    ["a comment", '{"a":1/**/}'],
    ["two values", "{}{}"],
    ["NaN", '{"a":NaN}'],
    ["a leading zero", '{"a":01}'],
    ["a byte order mark", "\ufeff{}"],
    ["a string without end", '{"a":"b'],
    ["a bad escape in a key", '{"\\x":1}'],
    ["a bad escape in two keys", '{"\\x":1,"\\x":1}'],
    ["a key outside of an object", '"a":1'],
  ])("refuses %s", (_name, text) => {
    expect(() => parseBody(bytes(text))).toThrow(refusal(null));
  });

  it.each([
    ["[]", "The body must be a JSON object"],
    ['{"a":1,}', "The body is not valid JSON"],
    ['{"a":"b', "The body is not valid JSON"],
  ])("says what is wrong with %s", (text, message) => {
    expect(() => parseBody(bytes(text))).toThrow(message);
  });

  it("counts the depth of arrays side by side once", () => {
    expect(parseBody(bytes(`{"a":[${Array(40).fill("[]").join()}]}`))).toEqual({ a: Array(40).fill([]) });
  });

  it("refuses what is not UTF-8, also within a string", () => {
    expect(() => parseBody(Buffer.concat([bytes('{"a":"'), Buffer.of(0xff), bytes('"}')]))).toThrow(
      "The body is not UTF-8",
    );
    expect(() => parseBody(Uint8Array.of(0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d))).toThrow(refusal(null));
  });

  it("refuses deep nesting before it recurses", () => {
    const deep = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
    expect(parseBody(bytes(deep(16)))).toHaveProperty("a");
    expect(() => parseBody(bytes(deep(17)))).toThrow(refusal(null));
    expect(() => parseBody(bytes("[".repeat(65_536)))).toThrow(refusal(null));
    expect(() => parseBody(bytes('{"a":'.repeat(10_000)))).toThrow(refusal(null));
  });

  it("scans hostile text once, not once per quote", () => {
    const unending = bytes(`{"a":"${'\\"'.repeat(128_000)}`);
    const started = performance.now();
    expect(() => parseBody(unending)).toThrow(refusal(null));
    // Starting over at each of 128,000 quotes takes half a minute; going over the text once takes a few milliseconds.
    expect(performance.now() - started).toBeLessThan(3_000);
  });

  it("takes __proto__ as a name like any other", () => {
    const body = parseBody(bytes('{"__proto__":{"admin":true}}'));
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
    expect(Object.keys(body)).toEqual(["__proto__"]);
    expect(() => refuseUnknownFields(body, new Set(["a"]))).toThrow(refusal("__proto__"));
  });
});

describe("unknown names", () => {
  it("names the unknown field, and at most 64 characters of it", () => {
    const known = new Set(["side", "price"]);
    expect(() => refuseUnknownFields({ side: "Buy", price: null }, known)).not.toThrow();
    expect(() => refuseUnknownFields({ side: "Buy", prise: "1" }, known)).toThrow(refusal("prise"));
    expect(() => refuseUnknownFields({ constructor: 1 }, known)).toThrow(refusal("constructor"));
    expect(() => refuseUnknownFields({ ["x".repeat(500)]: 1 }, known)).toThrow(refusal("x".repeat(64)));
  });

  it("requires the one field that has to be sent, be it null", () => {
    expect(() => requireField({ seconds: null }, "seconds")).not.toThrow();
    expect(() => requireField({}, undefined)).not.toThrow();
    expect(() => requireField({}, "seconds")).toThrow(refusal("seconds"));
    expect(() => requireField({}, "constructor")).toThrow(refusal("constructor"));
  });

  it.each([
    ["page=1&limit=5&statsu=New", "statsu"],
    ["page=1&page[]=2", "page[]"],
    ["p%61ge=1", "p%61ge"],
    ["", ""],
    ["page=1&", ""],
    ["page=", "page"],
    ["page", "page"],
    ["page=1&page=1", "page"],
    ["=1", ""],
    ["page=%zz", "page"],
    ["page=%ff", "page"],
    ["__proto__=1", "__proto__"],
  ])("refuses the query %p", (query, param) => {
    expect(() => parseQuery(query, new Set(["page", "limit"]))).toThrow(refusal(param));
  });

  it("decodes known parameters once, whatever their values hold", () => {
    const known = new Set(["page", "limit"]);
    expect(parseQuery("limit=a%26b%2B&page==", known)).toEqual({ limit: "a&b+", page: "=" });
    expect(parseQuery("page=+", known)).toEqual({ page: " " });
    expect(parseQuery("limit=Partial+filled&page=a%20%252B", known)).toEqual({
      limit: "Partial filled",
      page: "a %2B",
    });
  });

  it("names the first parameter where none is taken", () => {
    expect(() => refuseQuery("price=1&side=Buy")).toThrow(refusal("price"));
    expect(() => refuseQuery("")).toThrow(refusal(""));
  });
});
