import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import type { Command } from "commander";
import { ROOT } from "../../../src/config/root.ts";
import { createProgram } from "../src/run.ts";

/** docs/operations/cli.md is compared with the commands as they are declared. */
const page = readFileSync(`${ROOT}docs/operations/cli.md`, "utf8");
const sections = new Map(
  page
    .split(/^### /m)
    .slice(1)
    .map((section) => {
      const end = section.indexOf("\n");
      return [section.slice(0, end), section.slice(end).split(/^## /m)[0] ?? ""] as const;
    }),
);
const silent = { write: () => undefined };

function leavesOf(command: Command, path: string[] = []): [path: string, command: Command][] {
  const below = command.commands.flatMap((each) => leavesOf(each, [...path, each.name()]));
  return below.length > 0 ? below : [[path.join(" "), command]];
}

describe("the page describes", () => {
  it.each(leavesOf(createProgram({ env: {}, stdout: silent, stderr: silent })))("%s", (path, command) => {
    const section = sections.get(path) ?? "";
    const [, example = ""] = /^\$ partner-trading-admin (.*)$/m.exec(section) ?? [];
    expect({ example, path: example.slice(0, path.length) }).toEqual({ example, path });
    const long = command.options.flatMap((option) => option.long ?? []);
    expect(long.filter((name) => !new RegExp(`${name}\\b`).test(section))).toEqual([]);
    const used = [...example.matchAll(/ (--[a-z-]+)/g)].map((match) => match[1] ?? "");
    expect(used.filter((name) => !long.includes(name))).toEqual([]);
    const required = command.registeredArguments.filter((argument) => argument.required).length;
    const words =
      example
        .slice(path.length)
        .trim()
        .split(/ (?=--)| > /)[0]
        ?.split(" ")
        .filter(Boolean) ?? [];
    expect(words.filter((word) => !word.startsWith("--")).length).toBeGreaterThanOrEqual(required);
  });
});

it("the page shows no secret", () => {
  expect(page).not.toMatch(/\b(sk|dt)_[0-9a-f]/);
});
