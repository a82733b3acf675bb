import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it } from "@jest/globals";
import { checkSync } from "recheck";
import ts from "typescript";
import { isMissingState } from "../src/chain/errors.ts";
import { parseBroadcastAnswer } from "../src/sending/sender/broadcast-result.ts";

// A regular expression that takes more than linear time lets one long value stop the server.
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PACKAGES = readdirSync(join(ROOT, "packages")).map((name) => `packages/${name}/src`);
const FOLDERS = ["src", "indexer", ...PACKAGES];
/** Written by generators and compilers. */
const OF_OTHERS = /^src\/db\/generated\//;
const SOURCE = /\.(?:ts|mjs|js)$/;

/** Words of nodes, found in texts that are cut to 4,000 characters first; quadratic there takes a few milliseconds. */
const CUT_FIRST = ["src/chain/errors.ts", "src/sending/sender/broadcast-result.ts"];

interface Expression {
  /** File and line. */
  place: string;
  text: string;
}

function expressionsIn(file: string): Expression[] {
  const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), "utf8"), ts.ScriptTarget.Latest);
  const found: Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      found.push({ place: `${file}:${line + 1}`, text: node.text });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function filesOf(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name}`)
    .filter((file) => SOURCE.test(file) && !OF_OTHERS.test(file));
}

function isLinear(text: string): boolean {
  const end = text.lastIndexOf("/");
  // A generous timeout: the check is slow on a busy machine.
  return checkSync(text.slice(1, end), text.slice(end + 1), { timeout: 60_000 }).status === "safe";
}

beforeAll(() => {
  // This entry point needs neither Java nor a binary.
  process.env.RECHECK_BACKEND = "pure";
});

it("knows the expressions that take too long", () => {
  expect({ isLinear: ["/0+$/", "/^(a+)+$/", "/^\\d+(\\.\\d+)?$/"].map(isLinear) }).toEqual({
    isLinear: [false, false, true],
  });
});

it("finds none among ours", () => {
  const files = FOLDERS.flatMap(filesOf).filter((file) => !CUT_FIRST.includes(file));
  const expressions = files.flatMap(expressionsIn);
  expect(expressions.length).toBeGreaterThan(60);
  expect(expressions.filter(({ text }) => !isLinear(text))).toEqual([]);
});

it("that looks for a node's words takes little time, also in a text that a hostile node chose", () => {
  const words = ["state ", "block", "exceeded ", "gas price ", "replacement ", "tx fee ", "lower than "];
  for (const word of words) {
    const text = word.repeat(100_000);
    const before = process.cpuUsage();
    isMissingState(new Error(text));
    parseBroadcastAnswer({ kind: "error", code: -32000, message: text, data: null }, "0x");
    const { user, system } = process.cpuUsage(before);
    const cpuMs = (user + system) / 1_000;
    expect({ word, cpuMs, isShort: cpuMs < 500 }).toEqual({ word, cpuMs, isShort: true });
  }
});
