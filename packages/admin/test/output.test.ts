import { PassThrough } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import { parseAddress, showAddress } from "../src/address.ts";
import { confirm } from "../src/confirm.ts";
import { type Column, formatDuration, printFields, printJson, printTable } from "../src/output.ts";
import type { Terminal } from "../src/terminal.ts";

/** Creates a terminal that keeps its output. */
function screen(over: Partial<Terminal["stdout"]> = {}): Terminal & { out(): string; err(): string } {
  let out = "";
  let err = "";
  return {
    env: {},
    stdout: { write: (text: string) => (out += text), ...over },
    stderr: { write: (text: string) => (err += text), ...over },
    out: () => out,
    err: () => err,
  };
}

interface Row {
  id: string;
  count: number;
  why: string | null;
}

const COLUMNS: Column<Row>[] = [
  { heading: "ID", value: ({ id }) => id },
  { heading: "COUNT", value: ({ count }) => count, align: "right" },
  { heading: "WHY", value: ({ why }) => why, shrinks: true },
];
const ROWS: Row[] = [
  { id: "0x1234567890", count: 7, why: "a long reason that does not fit a narrow terminal" },
  { id: "0x2", count: 1_000, why: null },
];

describe("a table", () => {
  it("aligns its columns under headings, and cuts nothing in a pipe", () => {
    const terminal = screen();
    printTable(terminal, ROWS, COLUMNS, "none");
    expect(terminal.out()).toBe(
      [
        "ID            COUNT  WHY",
        "0x1234567890      7  a long reason that does not fit a narrow terminal",
        "0x2            1000  -",
        "",
      ].join("\n"),
    );
  });

  it("cuts on a terminal what may be cut, and never an identifier", () => {
    const terminal = screen({ isTTY: true, columns: 36 });
    printTable(terminal, ROWS, COLUMNS, "none");
    const lines = terminal.out().trimEnd().split("\n");
    expect(lines[1]).toBe("0x1234567890      7  a long reason …");
    expect(Math.max(...lines.map(({ length }) => length))).toBe(36);
    const tiny = screen({ isTTY: true, columns: 10 });
    printTable(tiny, ROWS, COLUMNS, "none");
    expect(tiny.out()).toContain("0x1234567890");
  });

  it("leaves standard output empty where there is no row", () => {
    const terminal = screen();
    printTable(terminal, [], COLUMNS, "There is nothing.");
    expect([terminal.out(), terminal.err()]).toEqual(["", "There is nothing.\n"]);
  });

  it("shows no control characters of other people's text", () => {
    const terminal = screen();
    printTable(terminal, [{ id: "\u001b[2Jx\r\n", count: 1, why: "\u202egnp" }], COLUMNS, "none");
    printFields(terminal, { name: "\u001b]0;title\u0007" });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be there.
    expect(terminal.out()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(terminal.out()).toContain("?[2Jx??");
  });
});

it("JSON is one document, with bigints as decimal strings", () => {
  const terminal = screen();
  printJson(terminal, { wei: 10n ** 20n, at: new Date(0), rows: [] });
  expect(JSON.parse(terminal.out())).toEqual({
    wei: "100000000000000000000",
    at: "1970-01-01T00:00:00.000Z",
    rows: [],
  });
});

it.each([
  [0, "0s"],
  [59.9, "59s"],
  [60, "1m"],
  [3_725, "1h 2m"],
  [90_061, "1d 1h"],
])("%d seconds are %s", (seconds, text) => expect(formatDuration(seconds)).toBe(text));

describe("an address", () => {
  const CHECKSUMMED = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
  const lower = CHECKSUMMED.toLowerCase();

  it("is read in any case, and printed with its checksum (the examples of EIP-55)", () => {
    for (const text of [CHECKSUMMED, lower, `0x${lower.slice(2).toUpperCase()}`, lower.toUpperCase()])
      expect(parseAddress(text)).toBe(lower);
    expect(showAddress(lower)).toBe(CHECKSUMMED);
    const digits = "0x1111111111111111111111111111111111111111";
    expect(parseAddress(digits)).toBe(digits);
  });

  it("is refused in mixed case with a wrong checksum, and where it is none", () => {
    expect(() => parseAddress(CHECKSUMMED.replace("aAeb", "aaeb"))).toThrow("wrong checksum");
    expect(() => parseAddress(CHECKSUMMED.replace("d", "e"))).toThrow("wrong checksum");
    for (const text of ["", "0x12", lower.slice(2), `${lower}0`, `0x${"g".repeat(40)}`])
      expect(() => parseAddress(text)).toThrow("is no address");
  });
});

describe("a confirmation", () => {
  const asked = { warning: "It ends for good.", name: "pk_1" };
  const typing = (answer: string | null): Terminal & { err(): string } => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    stdin.end(answer === null ? "" : `${answer}\n`);
    return { ...screen({ isTTY: true }), stdin };
  };

  it("takes the name, and nothing else", async () => {
    const terminal = typing("pk_1");
    await confirm(terminal, asked);
    expect(terminal.err()).toBe("It ends for good.\nType pk_1 to confirm: ");
    for (const answer of ["y", "yes", "", "pk_2", null])
      await expect(confirm(typing(answer), asked)).rejects.toThrow("Nothing was changed");
  });

  it("is refused without a terminal, unless --yes is given", async () => {
    const piped = { ...screen(), stdin: Object.assign(new PassThrough(), { isTTY: false }) };
    for (const terminal of [screen(), screen({ isTTY: true }), piped]) {
      await expect(confirm(terminal, asked)).rejects.toThrow("Give --yes");
      await confirm(terminal, { ...asked, yes: true });
    }
  });
});
