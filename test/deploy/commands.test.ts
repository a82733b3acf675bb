import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "@jest/globals";
import type { Command } from "commander";
import { createProgram } from "../../packages/admin/src/run.ts";
import { ROOT } from "../../src/config/root.ts";

// The operator's commands in docs/operations are ones that exist.

const FOLDER = `${ROOT}docs/operations`;
const silent = { write: () => true };
const program = createProgram({ env: {}, stdout: silent, stderr: silent });

/** Returns every command of a page, without the program's name. */
const commandsIn = (text: string): string[] =>
  [...text.matchAll(/partner-trading-admin ([a-z][^`|\n;]*)/g)].map(([, line = ""]) =>
    line.replace(/ > .*/, "").trim(),
  );

/** Returns what of a command line the program does not have; null where it takes it. */
function findFault(line: string): string | null {
  const words = line.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  let command: Command = program;
  while (words[0] !== undefined) {
    const found = command.commands.find((each) => each.name() === words[0]);
    if (!found) break;
    command = found;
    words.shift();
  }
  if (command === program) return `no command ${words[0]}`;
  const operands: string[] = [];
  const hasOptions = words.some((word) => word.startsWith("-"));
  while (words.length > 0) {
    const word = words.shift() ?? "";
    if (!word.startsWith("-")) {
      operands.push(word);
      continue;
    }
    const option = command.options.find(({ long, short }) => word === long || word === short);
    if (!option) return `${command.name()} has no option ${word}`;
    if (option.required && words.shift() === undefined) return `${word} has no value`;
    if (option.optional && words[0]?.startsWith("-") === false) words.shift();
  }
  const takes = command.registeredArguments.filter(({ required }) => required).length;
  const most = command.registeredArguments.length;
  // Prose names a command without what it takes.
  if (operands.length === 0 && !hasOptions) return null;
  if (command.commands.length > 0 && operands.length > 0)
    return `${command.name()} has no command ${operands[0]}`;
  return operands.length < takes || operands.length > most
    ? `${command.name()} takes ${takes} to ${most} operands`
    : null;
}

const pages = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".md"),
);
const lines = pages.flatMap((file) =>
  commandsIn(readFileSync(`${FOLDER}/${file}`, "utf8")).map((line) => [file, line] as const),
);

it.each(lines)("%s: partner-trading-admin %s", (_file, line) => {
  expect(findFault(line)).toBeNull();
});

it("there are some", () => {
  expect(lines.length).toBeGreaterThan(20);
});

it.each([
  ["wallets lst", "wallets has no command lst"],
  ["wallet list", "no command wallet"],
  ["wallets resume 1", "resume takes 2 to 2 operands"],
  ["sending halt --chian 1", "halt has no option --chian"],
  ["sending halt --chain", "--chain has no value"],
  ["sending halt --chain <id> --reason 'a b'", null],
])("%s is checked", (line, fault) => {
  expect(findFault(line)).toBe(fault);
});
