import { readdirSync } from "node:fs";
import { expect, it } from "@jest/globals";
import { describeWhere } from "../support/program/describe-where.ts";
import { runPromtool } from "./promtool.ts";
import { PROMETHEUS } from "./rules.ts";

describeWhere("promtool", "Prometheus' own checks", () => {
  it("accept the configuration and all rules that it names", async () => {
    const files = readdirSync(`${PROMETHEUS}/rules`).length;
    const output = await runPromtool(["check", "config", "prometheus.yml"], PROMETHEUS);
    expect(output).toContain(`SUCCESS: ${files} rule files found`);
    expect(output.match(/SUCCESS: \d+ rules found/g)).toHaveLength(files);
  });

  it("find every alert to fire when it should, and not to when it should not", async () => {
    const tests = readdirSync(`${PROMETHEUS}/tests`).map((file) => `tests/${file}`);
    const output = await runPromtool(["test", "rules", ...tests], PROMETHEUS);
    expect(output.match(/SUCCESS/g)).toHaveLength(tests.length);
    expect(output).not.toContain("FAILED");
  });
});
