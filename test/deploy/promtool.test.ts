import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { promisify } from "node:util";
import { expect, it } from "@jest/globals";
import { describeWhere } from "../support/program/describe-where.ts";
import { PROMETHEUS } from "./rules.ts";

const run = promisify(execFile);

describeWhere("promtool", "Prometheus' own checks", () => {
  it("accept the configuration and all rules that it names", async () => {
    const { stdout } = await run("promtool", ["check", "config", "prometheus.yml"], { cwd: PROMETHEUS });
    expect(stdout).toContain("SUCCESS: 5 rule files found");
    expect(stdout.match(/SUCCESS: \d+ rules found/g)).toHaveLength(readdirSync(`${PROMETHEUS}/rules`).length);
  });

  it("find every alert to fire when it should, and when it should not", async () => {
    const tests = readdirSync(`${PROMETHEUS}/tests`).map((file) => `tests/${file}`);
    const { stdout } = await run("promtool", ["test", "rules", ...tests], { cwd: PROMETHEUS });
    expect(stdout.match(/SUCCESS/g)).toHaveLength(tests.length);
    expect(stdout).not.toContain("FAILED");
  });
});
