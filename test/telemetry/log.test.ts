import { describe, expect, it } from "@jest/globals";
import { createLog, describeError, scrub } from "../../src/telemetry/log.ts";

describe("scrub", () => {
  it("cuts URLs down to scheme and host", () => {
    expect(scrub("URL: https://rpc.example/v3/0123key?x=1, again")).toBe("URL: https://rpc.example again");
    expect(scrub("postgresql://user:pass@db.example:5432/app?sslmode=x failed")).toBe(
      "postgresql://db.example:5432 failed",
    );
    expect(scrub("wss://a:b@h/p")).toBe("wss://h");
    expect(scrub("nothing to hide")).toBe("nothing to hide");
  });

  it("cuts bytes longer than a hash, with or without 0x", () => {
    const hash = `0x${"ab".repeat(32)}`;
    expect(scrub(`hash ${hash}`)).toBe(`hash ${hash}`);
    expect(scrub(`data: ${hash}cd, ${"12345678".repeat(100)}`)).toBe(
      "data: 0xabababab...(33 bytes), 12345678...(400 bytes)",
    );
  });
});

describe("describeError", () => {
  it("tells name, message, code, stack and causes, and no other field", () => {
    const cause = Object.assign(new Error("inner https://u:p@h/k"), { detail: "canary", code: "23505" });
    const described = describeError(
      Object.assign(new Error("outer", { cause }), { request: { body: "canary" }, headers: "canary" }),
    );
    expect(JSON.stringify(described)).not.toContain("canary");
    expect(described).toMatchObject({
      name: "Error",
      message: "outer",
      stack: expect.stringContaining("log.test.ts"),
      cause: { message: "inner https://h", code: "23505" },
    });
  });

  it("ends on endless causes and takes anything that was thrown", () => {
    const error = new Error("round");
    error.cause = error;
    expect(JSON.stringify(describeError(error)).match(/"round"/g)).toHaveLength(6);
    expect(describeError("boom")).toEqual({ name: "string", message: "boom" });
    expect(describeError(undefined)).toEqual({ name: "undefined", message: "undefined" });
  });
});

it("writes one JSON object a line, with the child's uuid", () => {
  const lines: string[] = [];
  const log = createLog("api", "info", { write: (line) => void lines.push(line) });
  log.child({ uuid: "u-1" }).warn({ err: new Error("x") }, "something");
  log.debug("not at this level");
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    level: "warn",
    program: "api",
    uuid: "u-1",
    msg: "something",
    err: { name: "Error", message: "x" },
  });
});

it("scrubs every text of a line, at any depth", () => {
  const lines: string[] = [];
  const log = createLog("api", "info", { write: (line) => void lines.push(line) });
  const signed = `0x02${"f8".repeat(100)}`;
  const at = new Date(0);
  log.info(
    { answer: `no: ${signed}`, urls: ["https://rpc.example/key"], deep: { signed, count: 1 }, at },
    "x",
  );
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    answer: "no: 0x02f8f8f8...(101 bytes)",
    urls: ["https://rpc.example"],
    deep: { signed: "0x02f8f8f8...(101 bytes)", count: 1 },
    at: at.toISOString(),
  });
});
