import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "@jest/globals";
import { parse } from "yaml";
import { z } from "zod";
import { freePort } from "../../packages/sandbox/src/ports.ts";
import { ROOT } from "../../src/config/root.ts";
import { until, whenReachable } from "../support/assert/until.ts";
import { describeWhere } from "../support/program/describe-where.ts";
import { findProgram } from "../support/program/parts.mjs";
import { groupingsOf } from "./metrics.ts";
import { alertsOf, PROMETHEUS, readRules } from "./rules.ts";

// The example configuration of Alertmanager: which alerts wait for which.

const FILE = `${PROMETHEUS}/alertmanager.yml`;
const matchers = z.array(z.string().regex(/^\w+=~?"[\w|-]+"$/));
const config = z
  .object({
    route: z.object({ receiver: z.string(), routes: z.array(z.object({ matchers, receiver: z.string() })) }),
    receivers: z.array(z.object({ name: z.string() })),
    inhibit_rules: z.array(
      z.strictObject({
        source_matchers: matchers,
        target_matchers: matchers,
        equal: z.array(z.string()).default([]),
      }),
    ),
  })
  .parse(parse(readFileSync(FILE, "utf8")));
const alerts = new Map(alertsOf(readRules()).map((alert) => [alert.alert, alert]));

const alertsIn = (some: readonly string[]): string[] =>
  some.flatMap((matcher) => /^alertname=~?"(.*)"$/.exec(matcher)?.[1]?.split("|") ?? []);
const pairs = config.inhibit_rules.flatMap((rule) =>
  alertsIn(rule.source_matchers).flatMap((cause) =>
    alertsIn(rule.target_matchers).map((effect) => ({ cause, effect, rule })),
  ),
);

describe("inhibit rules", () => {
  it("are the table of consequences, which names what also fires", () => {
    const index = readFileSync(`${ROOT}docs/operations/README.md`, "utf8");
    const table = /\| Cause \| Also fires \|\n.*\n((?:\|.*\n)+)/.exec(index)?.[1] ?? "";
    const named = (cell = "") => [...cell.matchAll(/`(\w+)`/g)].map((match) => match[1] ?? "");
    const rows = table.trim().split("\n");
    const expected = rows.flatMap((row) => {
      const [, causes, effects] = row.split("|");
      return named(causes).flatMap((cause) => named(effects).map((effect) => `${cause} ${effect}`));
    });
    expect(expected.length).toBeGreaterThan(10);
    const inhibited = new Set(pairs.map(({ cause, effect }) => `${cause} ${effect}`));
    expect([...inhibited].sort()).toEqual([...new Set(expected)].sort());
  });

  it("have a cause that pages, and alerts that exist", () => {
    for (const { cause, effect } of pairs) {
      expect({ cause, severity: alerts.get(cause)?.labels.severity }).toEqual({ cause, severity: "page" });
      expect({ effect, isAlert: alerts.has(effect) }).toEqual({ effect, isAlert: true });
    }
  });

  it("compare only labels that the cause has: two alerts without a label are equal in it", () => {
    for (const { cause, rule } of pairs) {
      const groupings = groupingsOf(alerts.get(cause)?.expr ?? "").flat();
      for (const label of rule.equal)
        if (cause !== "NodeDown")
          expect({ cause, isGrouped: groupings.includes(label) }).toEqual({ cause, isGrouped: true });
    }
  });
});

it("every severity has a receiver", () => {
  const receivers = config.receivers.map(({ name }) => name);
  const used = [config.route.receiver, ...config.route.routes.map(({ receiver }) => receiver)];
  expect([...new Set(used)].sort()).toEqual([...receivers].sort());
});

interface Shown {
  labels: Record<string, string>;
  status: { inhibitedBy: string[] };
}

describeWhere("alertmanager", "Alertmanager itself", () => {
  it("accepts the configuration, and routes by it", async () => {
    const amtool = (...args: string[]) => promisify(execFile)("amtool", args);
    expect((await amtool("check-config", FILE)).stdout).toContain("SUCCESS");
    for (const [labels, receiver] of [
      [["alertname=NodeDown", "severity=page"], "page"],
      [["alertname=NodeBehind", "severity=ticket"], "ticket"],
      [["alertname=Watchdog", "severity=none"], "watchdog"],
    ] as const) {
      const { stdout } = await amtool("config", "routes", "test", `--config.file=${FILE}`, ...labels);
      expect(stdout.trim()).toBe(receiver);
    }
  });

  it("holds back what follows from a cause, and nothing of another chain or wallet", async () => {
    const directory = mkdtempSync(join(tmpdir(), "alertmanager-"));
    const address = `127.0.0.1:${await freePort()}`;
    const program = findProgram("prometheus-alertmanager") ?? findProgram("alertmanager") ?? "";
    const args = [`--config.file=${FILE}`, `--storage.path=${directory}`, `--web.listen-address=${address}`];
    const child = spawn(program, [...args, "--cluster.listen-address="], { stdio: "ignore" });
    const exited = new Promise((resolve) => child.once("exit", resolve));
    try {
      const url = `http://${address}/api/v2/alerts`;
      await until("Alertmanager listens", async () => (await whenReachable(fetch(url))).ok || undefined);
      const chain = (alertname: string, chain_id: string) => ({ alertname, chain_id });
      const fired = [
        chain("NodeDown", "1"),
        ...["SendQueueOld", "SenderNodeDown", "ErrorBudgetBurnFast", "ChainStalled"].map((name) =>
          chain(name, "1"),
        ),
        chain("SendQueueOld", "2"),
        { alertname: "ErrorBudgetBurnFast", slo: "availability" },
        { ...chain("SendingWalletPaused", "3"), wallet: "0xa" },
        ...["0xa", "0xb"].map((wallet) => ({ ...chain("SendingWalletBalanceLow", "3"), wallet })),
      ];
      const body = JSON.stringify(fired.map((labels) => ({ labels })));
      await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
      const held = await until("all are there, and some held back", async () => {
        const shown = (await (await fetch(url)).json()) as Shown[];
        const inhibited = shown.filter(({ status }) => status.inhibitedBy.length > 0);
        return shown.length === fired.length && inhibited.length > 0 ? inhibited : undefined;
      });
      const names = held.map(({ labels }) =>
        [labels.alertname, labels.chain_id, labels.wallet].join(" ").trim(),
      );
      expect(names.sort()).toEqual([
        "ErrorBudgetBurnFast 1",
        "SendQueueOld 1",
        "SenderNodeDown 1",
        "SendingWalletBalanceLow 3 0xa",
      ]);
    } finally {
      child.kill();
      await exited;
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
