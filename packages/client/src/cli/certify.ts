import { Option } from "commander";
import type { Report } from "./certify/report.ts";
import { controlOf } from "./sandbox-control.ts";
import { CommandError, createCommand, painter, print, type Terminal } from "./terminal.ts";

interface CertifyOptions {
  control?: string;
  chainId?: string;
  scenario?: string[];
  timeout: string;
  json?: true;
}

const EXAMPLES = `
Examples:
  $ partner-trading certify -- node bot.mjs
  $ partner-trading certify --scenario lost-answers cut-stream -- python3 bot.py
  $ partner-trading certify --json -- ./bot > report.json

The program is started for each scenario, with the task in CERTIFY_TASK and CERTIFY_INPUT (docs/certification.md).`;

/** `partner-trading certify`: puts a partner's program into faults of a sandbox, and reports which rules it keeps. */
export function certifyCommand(terminal: Terminal) {
  return createCommand("certify", terminal)
    .description(
      "Runs your program through lost answers, reorgs and other faults of a sandbox; reports rules kept",
    )
    .argument("<command...>", "your program and its arguments, after --")
    .option("--control <url>", "the sandbox's control; by default that of the sandbox found here")
    .option("--chain-id <id>", "chain of the sandbox; its first by default")
    .option("--scenario <name...>", "only these, so that other rules are not seen")
    .addOption(new Option("--timeout <seconds>", "that a task may take").default("90"))
    .option("--json", "print the report as JSON")
    .action((words: string[], options: CertifyOptions) => certify(terminal, words, options))
    .addHelpText("after", EXAMPLES);
}

async function certify(terminal: Terminal, words: string[], options: CertifyOptions): Promise<void> {
  // Most commands need none of it.
  const { runScenarios, SCENARIOS } = await import("./certify/run.ts");
  const { countsOf, judgedRules, presentReport } = await import("./certify/report.ts");
  const scenarios = chosenOf(SCENARIOS, options.scenario);
  const timeoutMs = readNumber("--timeout", options.timeout) * 1000;
  const chainId = options.chainId === undefined ? null : readNumber("--chain-id", options.chainId);
  const controlUrl = options.control ?? (await controlOf(terminal));
  const startedAt = Date.now();
  const run = { command: words, controlUrl, chainId, scenarios, timeoutMs };
  const { findings, key, secrets } = await runScenarios(terminal, run);
  const rules = judgedRules(findings, secrets);
  const isCertified = rules.every(({ verdict }) => verdict === "kept");
  const report: Report = {
    command: words.join(" "),
    baseUrl: key.baseUrl,
    apiKey: key.apiKey,
    startedAt,
    endedAt: Date.now(),
    isCertified,
    counts: countsOf(rules),
    rules,
  };
  print(terminal, options.json ? JSON.stringify(report, null, 2) : presentReport(report, painter(terminal)));
  if (!isCertified) throw new CommandError("Not every rule is kept.");
}

/** @throws CommandError naming a scenario that does not exist */
function chosenOf<Name extends string>(scenarios: Readonly<Record<Name, unknown>>, names?: string[]): Name[] {
  const all = Object.keys(scenarios) as Name[];
  const unknown = names?.find((name) => !all.some((known) => known === name));
  if (unknown !== undefined)
    throw new CommandError(`There is no scenario "${unknown}". The scenarios are ${all.join(", ")}.`);
  return names === undefined ? all : all.filter((name) => names.includes(name));
}

/** @throws CommandError where an option is no number that it takes */
function readNumber(option: string, text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new CommandError(`${option} is a whole number from 1 to 999999, not "${text}".`);
}
