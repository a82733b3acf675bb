import { describe, expect, it } from "@jest/globals";
import { excerpt, rank } from "../../src/docs/rank.ts";

const entry = (heading: string, text = "", page = "Page") => ({ url: heading, page, heading, text });
const ENTRIES = [
  entry("Targets", "The url of a webhook is https, on a public host."),
  entry("Webhooks", "The service posts events to your server."),
  entry("POST /api/v1/webhooks", "Creates a webhook."),
  entry("RATE_LIMITED", "Wait for Retry-After.", "Errors"),
];
const found = (query: string) => rank(ENTRIES, query).map(({ heading }) => heading);

describe("a search", () => {
  it("finds the beginning of words, headings first", () => {
    expect(found("webhook")).toEqual(["POST /api/v1/webhooks", "Webhooks", "Targets"]);
    expect(found("webhooks")).toEqual(["Webhooks", "POST /api/v1/webhooks"]);
    expect(found("rate")).toEqual(["RATE_LIMITED"]);
  });

  it("needs every word, in any case and order", () => {
    expect(found("HOST url")).toEqual(["Targets"]);
    expect(found("host absent")).toEqual([]);
  });

  it("finds nothing by a part within a word, or by no word", () => {
    expect(found("hooks")).toEqual([]);
    for (const query of ["", "  ", "/", "$^("]) expect(found(query)).toEqual([]);
  });

  it("shows twelve at most", () => {
    expect(
      rank(
        Array.from({ length: 30 }, () => entry("Same")),
        "same",
      ),
    ).toHaveLength(12);
  });
});

describe("an excerpt", () => {
  it("is the text around the first word of the query", () => {
    const text = `${"before ".repeat(20)}needle ${"after ".repeat(40)}`;
    const shown = excerpt(entry("A", text), "needle");
    expect(shown).toMatch(/^…(?:before )+needle (?:after )+.*…$/);
    expect(shown.length).toBeLessThan(145);
  });

  it("is the beginning where the heading alone has the word", () => {
    expect(excerpt(entry("Needle", "A short text"), "needle")).toBe("A short text");
  });
});
