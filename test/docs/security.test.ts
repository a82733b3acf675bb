import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { ROOT } from "../../src/config/root.ts";

/** A test that SECURITY.md names: `file` "title, or a part of it". */
const NAMED = /`((?:packages|test)\/[\w/.-]+\.test\.ts)`(?: "([^"]+)")?/g;
const page = readFileSync(`${ROOT}SECURITY.md`, "utf8");
const sections = page.slice(page.indexOf("## Attacks"), page.indexOf("## What is not covered"));
const attacks = sections
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| Attack"))
  .map((line) => line.split(" | "));

const namedIn = (text: string) =>
  [...text.matchAll(NAMED)].map(([, file = "", title]) => ({ file, title: title ?? null }));

/** Says where a named test is missing; null where it is there. */
function missing({ file, title }: ReturnType<typeof namedIn>[number]): string | null {
  if (!existsSync(`${ROOT}${file}`)) return `no file ${file}`;
  if (title === null || readFileSync(`${ROOT}${file}`, "utf8").includes(title)) return null;
  return `${file} has no test "${title}"`;
}

describe("SECURITY.md", () => {
  it.each(attacks)("names a test for: %s", (_attack, _protection, tests = "") => {
    const named = namedIn(tests);
    expect(named).not.toEqual([]);
    expect(named.map(missing).filter((problem) => problem !== null)).toEqual([]);
  });

  it("has rows, and a test that is not there would be noticed", () => {
    expect(attacks.length).toBeGreaterThan(30);
    expect(missing({ file: "test/none.test.ts", title: null })).toBe("no file test/none.test.ts");
    const file = "test/docs/security.test.ts";
    const title = ["a title", "of no test"].join(" ");
    expect(missing({ file, title })).toBe(`${file} has no test "${title}"`);
  });
});
