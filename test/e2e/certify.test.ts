import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "@jest/globals";
import type { Report } from "../../packages/client/src/cli/certify/report.ts";
import { RULE_IDS } from "../../packages/client/src/cli/certify/rules.ts";
import { SCENARIOS } from "../../packages/client/src/cli/certify/run.ts";
import { ROOT } from "../../src/config/root.ts";
import { LONG } from "../support/assert/long.ts";
import { describeWhere } from "../support/program/describe-where.ts";
import { partnerCommand } from "../support/program/partner-command.ts";
import { createSampleFolder } from "../support/program/samples.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";

/** `partner-trading certify` (docs/certification.md): the examples keep every rule, and a program that breaks one is found. */
const state = readSandboxState();
const folder = createSampleFolder();
const API_SECRET = /sk_[0-9a-f]{16}/;
const PLAIN = "test/support/certify/plain.mjs";
const env = { PATH: process.env.PATH ?? "", ...folder.env };
afterAll(() => folder.remove());

/** Returns the report, with the rules that are not kept by verdict. */
async function certify(command: readonly string[], scenarios: readonly string[], more = {}) {
  const options = scenarios.length > 0 ? ["--scenario", ...scenarios] : [];
  const args = ["certify", "--control", state.controlUrl, ...options, "--json", "--", ...command];
  const { code, out, err } = await partnerCommand(args, { env: { ...env, ...more }, cwd: ROOT });
  if (!out.startsWith("{")) throw new Error(`no report was printed: ${err}`);
  const report: Report = JSON.parse(out);
  const idsOf = (wanted: string) =>
    report.rules.filter(({ verdict }) => verdict === wanted).map(({ id }) => id);
  return { code, out, report, broken: idsOf("broken"), kept: idsOf("kept") };
}

/** Short ones, of which each client takes ten seconds. */
const QUICK = ["lost-answers", "refused", "deliveries"] as const;
const GENERAL = ["signed", "nonce", "timestamp", "secret-private", "string-amounts"];
/** All scenarios wait for a silent stream, and a program that breaks a rule may never end by itself. */
const LIMIT_MS = 400_000;
const chosen = LONG ? [] : QUICK;
const judged = LONG ? RULE_IDS : [...GENERAL, ...QUICK.flatMap((name) => SCENARIOS[name].rules)];

async function expectKept(command: readonly string[]): Promise<void> {
  const { code, out, broken, kept, report } = await certify(command, chosen);
  const evidence = report.rules.filter(({ verdict }) => verdict === "broken");
  expect({ broken, evidence, code }).toEqual({ broken: [], evidence: [], code: LONG ? 0 : 1 });
  expect([...kept].sort()).toEqual([...judged].sort());
  expect(out).not.toMatch(API_SECRET);
}

it(
  "the example of the TypeScript client keeps every rule",
  async () => {
    const text = readFileSync(`${ROOT}examples/certify/bot.mjs`, "utf8");
    await expectKept(await folder.typescript("certify", text));
  },
  LIMIT_MS,
);

describeWhere("python3", "the example of the Python client", () => {
  it("keeps every rule", () => expectKept(["python3", "examples/certify/bot.py"]), LIMIT_MS);
});

it("a naive program is found, by the name of each rule that it breaks", async () => {
  const breaks = ["refusal-final", "refusal-reported", "secret-private", "string-amounts"];
  const { code, out, broken } = await certify([process.execPath, PLAIN], ["refused"], {
    BREAKS: breaks.join(),
  });
  expect({ code, broken: [...broken].sort() }).toEqual({ code: 1, broken: breaks });
  expect(out).not.toMatch(API_SECRET);
});

it("gives the market back when Ctrl-C ends it", async () => {
  const interrupted = new AbortController();
  const onOutput = () => interrupted.abort();
  const args = ["certify", "--control", state.controlUrl, "--", process.execPath, PLAIN];
  const { code } = await partnerCommand(args, { env, cwd: ROOT, interrupted: interrupted.signal, onOutput });
  const { chains } = await (await fetch(`${state.controlUrl}/state`)).json();
  expect({ code, modes: chains.map(({ mode }: { mode: string }) => mode) }).toEqual({
    code: 130,
    modes: chains.map(() => "auto"),
  });
});

if (LONG)
  describe("a program without a client", () => {
    it("keeps every rule", () => expectKept([process.execPath, PLAIN]), LIMIT_MS);

    const scenarioOf = (rule: string) =>
      Object.entries(SCENARIOS).find(([, { rules }]) => rules.some((each) => each === rule))?.[0] ??
      "lost-answers";

    it.each(RULE_IDS)(
      "is found where it breaks one: %s",
      async (rule) => {
        const more = { BREAKS: rule };
        const { code, broken } = await certify([process.execPath, PLAIN], [scenarioOf(rule)], more);
        expect({ code, broken }).toEqual({ code: 1, broken: expect.arrayContaining([rule]) });
      },
      LIMIT_MS,
    );
  });
