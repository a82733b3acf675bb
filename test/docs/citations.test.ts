import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { findBrokenCitations, findBrokenFences, headingsOf, type Repository } from "./citations.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Folders of what is installed, built or written while programs run. */
const SKIPPED = new Set([
  "node_modules",
  "dist",
  "src/db/generated",
  "test-results",
  ".git",
  ".sandbox",
  ".ponder",
  ".stryker-tmp",
]);
const TEXT = /\.(?:md|ts|mts|mjs|cjs|js|sql|sol|graphql|prisma)$/;
/** A specification by somebody else, and examples of what is refused. */
const UNCHECKED = [
  "test/vectors/spec.md",
  "test/docs/citations.test.ts",
  // Released, so they do not change: they cite files of their time.
  "prisma/migrations/20261122223001_lookups/migration.sql",
  "prisma/migrations/20261123072900_settled_shapes/migration.sql",
];
/** May be cited; its comments are those of what it is generated from. */
const GENERATED = "packages/client/src/generated/";

function filesIn(folder: string): string[] {
  return readdirSync(`${ROOT}/${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const file = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (SKIPPED.has(entry.name) || SKIPPED.has(file)) return [];
    if (entry.isDirectory()) return filesIn(file);
    return entry.isFile() ? [file] : [];
  });
}

function readRepository(): Repository {
  const paths = filesIn("");
  const isText = (file: string) =>
    TEXT.test(file) && !UNCHECKED.includes(file) && !file.startsWith(GENERATED);
  const read = (file: string) => readFileSync(`${ROOT}/${file}`, "utf8");
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(read("package.json")));
  return {
    files: new Map(paths.filter(isText).map((file) => [file, read(file)])),
    otherPaths: paths.filter((file) => !isText(file)),
    scripts: Object.keys(scripts),
  };
}

describe("documents and comments", () => {
  const repository = readRepository();

  it("cite only files, headings and scripts that exist", () => {
    expect(findBrokenCitations(repository)).toEqual([]);
  });

  it("close each code block by a line of the fence alone", () => {
    const documents = [...repository.files].filter(([file]) => file.endsWith(".md"));
    expect(documents.flatMap(([file, text]) => findBrokenFences(file, text))).toEqual([]);
    expect(documents.length).toBeGreaterThan(150);
  });

  it.each([
    ["text behind the fence that closes", "```sh\nls\n```   Unless root ran it", ["a.md:3"]],
    ["another indentation", "   ```sh\n   ls\n```", ["a.md:3"]],
    ["a block that is not closed", "```sh\nls\n", ["a.md:1"]],
    ["text before the fence that closes", "```sh\nls ```\n\n```sh\nls\n```", ["a.md:4"]],
    ["words behind the language", "```sh ls\n```", ["a.md:1"]],
    ["nothing in two good blocks", "```sh\nls\n```\n\n   ```\n   ls\n   ```", []],
  ])("finds in a document: %s", (_, text, found) => {
    expect(findBrokenFences("a.md", text)).toEqual(found);
  });
});

/** Reads the rows of docs/faults.md: their numbers, such as "4, 5" or "36 to 40", what they say, and the tests that they name. */
function readFaultRows(): { rows: number[]; says: string; tests: string }[] {
  const table = readFileSync(`${ROOT}/docs/faults.md`, "utf8");
  return [...table.matchAll(/^- \*\*([\d, to]+)\*\* (.* → .*) \((.*)\)$/gm)].map(
    ([, numbers = "", says = "", tests = ""]) => ({
      rows: numbersOf(numbers),
      says,
      tests,
    }),
  );
}

function numbersOf(text: string): number[] {
  return text.split(/, | and /).flatMap((part) => {
    const [first = 0, last = first] = part.split(" to ").map(Number);
    return Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
  });
}

describe("docs/faults.md", () => {
  const table = readFaultRows();
  const tests = [...readRepository().files].filter(([file]) => file.startsWith("test/"));
  /** Rows that tests name in a title ("row 13: ...") or a comment ("docs/faults.md, rows 2 and 3: ..."). */
  const named = tests.flatMap(([file, text]) =>
    [...text.matchAll(/(?:["`]|faults\.md, )rows? (\d+(?:(?:, | and | to )\d+)*)/g)].flatMap(
      ([, numbers = ""]) => numbersOf(numbers).map((row) => ({ file, row })),
    ),
  );

  it("has each number once", () => {
    const numbers = table.flatMap(({ rows }) => rows);
    expect(numbers).toEqual([...new Set(numbers)]);
    expect(numbers.length).toBeGreaterThan(50);
  });

  it("says where `npm run test:long` alone shows a row", () => {
    const isLong = (tests: string) => tests.split(", ").every((path) => path.includes(".long."));
    const wrong = table.filter(({ says, tests }) => isLong(tests) && !says.includes("`npm run test:long`"));
    expect(wrong).toEqual([]);
  });

  it("lists every test that names a row", () => {
    const isListed = ({ file, row }: (typeof named)[number]) =>
      table.some(({ rows, tests: listed }) => rows.includes(row) && listed.includes(`\`${file}\``));
    expect(named.length).toBeGreaterThan(60);
    expect(named.filter((name) => !isListed(name))).toEqual([]);
  });
});

describe("the check of citations", () => {
  const DOCUMENT = [
    "# Title",
    "",
    "## What it `does`, and why",
    "",
    "## Twice",
    "## Twice",
    "",
    "```",
    "# no heading",
    "```",
  ];
  const known = new Map([
    ["docs/page.md", DOCUMENT.join("\n")],
    ["src/orders/send.ts", "export {};"],
    ["README.md", "# Readme"],
  ]);
  const check = (file: string, text: string) =>
    findBrokenCitations({
      files: new Map([...known, [file, text]]),
      otherPaths: ["docs/data.json"],
      scripts: ["lint"],
    });

  it("knows headings by the anchors that GitHub gives them", () => {
    expect([...headingsOf(DOCUMENT.join("\n")).keys()]).toEqual([
      "title",
      "what-it-does-and-why",
      "twice",
      "twice-1",
    ]);
  });

  it.each([
    ["a link to a file", "a.md", "[x](docs/none.md)", "no file docs/none.md"],
    ["a link to a heading", "a.md", "[x](docs/page.md#none)", "no heading #none in docs/page.md"],
    ["a link within a document", "docs/a.md", "# A\n[x](#b)", "no heading #b in docs/a.md"],
    ["a link from a folder", "docs/a.md", "[x](docs/page.md)", "no file docs/docs/page.md"],
    ["a path in a document", "a.md", "See `src/orders/none.ts`.", "no file src/orders/none.ts"],
    ["a folder in a document", "a.md", "See `src/none/`.", "no file src/none"],
    ["a glob", "a.md", "See `src/*/none.ts`.", "no file src/*/none.ts"],
    ["a path in a comment", "src/a.ts", "/** See src/orders/none.ts. */", "no file src/orders/none.ts"],
    ["the end of a path in a comment", "src/a.ts", " * See orders/none.ts.", "no file orders/none.ts"],
    ["a file's name in a comment", "src/a.ts", "run(); // as in none.ts", "no file none.ts"],
    ["a document in a comment", "src/a.sql", "-- docs/none.md, row 3", "no file docs/none.md"],
    ["a heading in a comment", "src/a.ts", "// docs/page.md#none", "no heading #none in docs/page.md"],
    [
      "a heading in a test's title",
      "test/a.ts",
      'it("keeps docs/page.md#none", run);',
      "no heading #none in docs/page.md",
    ],
    ["a heading in quotes", "src/a.ts", '// README.md, "None"', 'no heading "None" in README.md'],
    [
      "a description in the schema",
      "schema/a.graphql",
      '"See docs/page.md#none."',
      "no heading #none in docs/page.md",
    ],
    ["an npm script", "a.md", "Run `npm run none`.", "no npm script none"],
  ])("finds %s that does not exist, with its line", (_what, file, text, missing) => {
    expect(check(file, `\n${text}`)).toEqual([`${file}:${text.split("\n").length + 1}: ${missing}`]);
  });

  it.each([
    [
      "a.md",
      "[x](docs/page.md#twice-1), [y](https://example.com/none.md), [z](docs/data.json), [here](docs/)",
    ],
    [
      "a.md",
      "`src/orders/send.ts`, `src/orders/`, `src/*/send.ts`, `src/<feature>/index.ts`, `npm run lint`, `npm run <script>`",
    ],
    ["a.md", "```\n[x](none.md) npm run none\n```"],
    ["docs/a.md", "[x](page.md#title) and [up](../README.md)"],
    [
      "src/a.ts",
      '// orders/send.ts, send.ts, docs/page.md#what-it-does-and-why, README.md, "Readme", https://a.b/none.ts',
    ],
    ["src/a.ts", 'const file = "none.ts";'],
    ["src/a.ts", "// src/{a,b}/none.ts, dist/none.mjs, node_modules/none/none.ts"],
  ])("finds nothing in %s: %s", (file, text) => {
    expect(check(file, text)).toEqual([]);
  });
});
