import { describe, expect, it } from "@jest/globals";
import { parseSpan, pointsOf } from "../../../src/dashboard/overview/span.ts";
import { ApiError } from "../../../src/protocol/errors.ts";

const DAY = 86_400;
const MIDNIGHT = 1_799_971_200;

describe("a span", () => {
  it("is the last 24 hours by default, in whole steps of a quarter of an hour", () => {
    expect(parseSpan({}, (MIDNIGHT + 61) * 1_000)).toEqual({
      from: MIDNIGHT - DAY,
      to: MIDNIGHT + 900,
      stepSeconds: 900,
    });
    expect(parseSpan({}, MIDNIGHT * 1_000)).toEqual({ from: MIDNIGHT - DAY, to: MIDNIGHT, stepSeconds: 900 });
  });

  it.each([
    [1, 60],
    [100 * 60, 60],
    [100 * 60 + 1, 120],
    [DAY, 900],
    [7 * DAY, 7_200],
    [31 * DAY, 28_800],
  ])("of %d s has steps of %d s, and about 100 points at most", (seconds, stepSeconds) => {
    const now = MIDNIGHT + 12_345;
    const span = parseSpan({ from: now - seconds, to: now }, now * 1_000);
    expect(span.stepSeconds).toBe(stepSeconds);
    expect({ fromRemainder: span.from % stepSeconds, toRemainder: span.to % stepSeconds }).toEqual({
      fromRemainder: 0,
      toRemainder: 0,
    });
    const steps = (span.to - span.from) / stepSeconds;
    const isWhole = span.from <= now - seconds && span.to >= now;
    expect({ span, now, isWhole, steps, areFew: steps <= 101 }).toEqual({
      span,
      now,
      isWhole: true,
      steps,
      areFew: true,
    });
  });

  it("ends now, whatever was asked for", () => {
    const now = MIDNIGHT + 30;
    expect(parseSpan({ from: now - 60, to: now + DAY }, now * 1_000)).toEqual({
      from: MIDNIGHT - 60,
      to: MIDNIGHT + 60,
      stepSeconds: 60,
    });
  });

  it.each([
    [{ from: MIDNIGHT - 31 * DAY - 1, to: MIDNIGHT }, "from"],
    [{ from: MIDNIGHT, to: MIDNIGHT }, "from"],
    [{ from: MIDNIGHT + 1 }, "from"],
    [{ to: MIDNIGHT * 1_000 }, "to"],
  ])("is refused: %j", (args, param) => {
    const parse = () => parseSpan(args, MIDNIGHT * 1_000);
    expect(parse).toThrow(ApiError);
    expect(parse).toThrow(expect.objectContaining({ errCode: "VALIDATION_FAILED", param }));
  });
});

it("a series has a point for each step, in their order, and none beside them", () => {
  const span = { from: 120, to: 300, stepSeconds: 60 };
  const rows = [
    { at: 240, value: 2 },
    { at: 120, value: 1 },
    { at: 300, value: 3 },
  ];
  expect(pointsOf(span, rows, (at, row) => [at, row?.value ?? null])).toEqual([
    [120, 1],
    [180, null],
    [240, 2],
  ]);
});
