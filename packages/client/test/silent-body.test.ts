import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "@jest/globals";
import { z } from "zod";

// Bodies that begin and then stall, while Node.js collects garbage: it then drops the signal that `fetch` was given.

const lineSchema = z.object({ call: z.string(), result: z.unknown(), connections: z.number() });
let lines: z.output<typeof lineSchema>[];

beforeAll(async () => {
  const args = ["--import", "tsx", "packages/client/test/silent-bodies.ts"];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => lineSchema.parse(JSON.parse(line)));
});

it("a stream ends with its signal", () => {
  expect(lines[0]).toEqual({ call: "endedBySignal", result: { done: true }, connections: 1 });
});

it("a silent stream connects again", () => {
  expect(lines[1]).toMatchObject({ call: "reconnected", result: { done: false } });
  // On busy processors the silence may last for more than one connection.
  expect(lines[1]?.connections).toBeGreaterThanOrEqual(2);
});

it("a call ends at its time limit", () => {
  expect(lines[2]).toMatchObject({
    call: "endedByTimeLimit",
    result: expect.stringContaining("No answer in time"),
  });
});
