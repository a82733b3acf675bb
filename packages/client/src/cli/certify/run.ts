import { PartnerTrading } from "../../index.ts";
import type { Credentials } from "../credentials.ts";
import { CommandError, note, type Terminal } from "../terminal.ts";
import { controlAt } from "./control.ts";
import { judgeAll } from "./general.ts";
import { Market } from "./market.ts";
import { type Running, startProgram } from "./program.ts";
import { type FaultProxy, startProxy } from "./proxy.ts";
import type { Findings } from "./rules.ts";
import type { Bench, Scenario } from "./scenario.ts";
import { pagedList } from "./scenarios/lists.ts";
import { lateFill, lostAnswers, rateLimited, refused, rejected, unavailable } from "./scenarios/orders.ts";
import { rotation } from "./scenarios/rotation.ts";
import { cutStream, reorg, silence } from "./scenarios/streams.ts";
import { deliveries } from "./scenarios/webhooks.ts";

/** The scenarios by name. The last changes the key's secret. */
export const SCENARIOS = {
  "lost-answers": lostAnswers,
  "rate-limited": rateLimited,
  unavailable,
  refused,
  "late-fill": lateFill,
  rejected,
  "cut-stream": cutStream,
  reorg,
  silence,
  "paged-list": pagedList,
  deliveries,
  rotation,
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof SCENARIOS;

export interface RunOptions {
  command: readonly string[];
  credentials: Credentials;
  controlUrl: string;
  scenarios: readonly ScenarioName[];
  /** Milliseconds that a program has for a task. */
  timeoutMs: number;
}

export interface RunResult {
  findings: Findings;
  /** All secrets of the run, for a report without them. */
  secrets: readonly string[];
}

/** Puts a program into scenarios, one after the other, and judges what it did. */
export async function runScenarios(terminal: Terminal, options: RunOptions): Promise<RunResult> {
  const proxy = await startProxy(options.credentials.baseUrl);
  const run = new Run(terminal, options, proxy);
  try {
    return await run.all();
  } finally {
    await proxy.close();
  }
}

class Run {
  readonly #terminal: Terminal;
  readonly #options: RunOptions;
  readonly #proxy: FaultProxy;
  readonly #secrets: string[];
  readonly #running: Running[] = [];
  #findings: Findings = {};
  #key: Bench["key"];

  constructor(terminal: Terminal, options: RunOptions, proxy: FaultProxy) {
    const { apiKey, apiSecret, chainId, productType } = options.credentials;
    this.#terminal = terminal;
    this.#options = options;
    this.#proxy = proxy;
    this.#key = { apiKey, apiSecret, chainId, productType };
    this.#secrets = [apiSecret];
  }

  async all(): Promise<RunResult> {
    const { credentials, controlUrl, scenarios } = this.#options;
    const control = controlAt(controlUrl, this.#terminal.interrupted);
    const trading = new PartnerTrading(credentials);
    const market = new Market(trading, control, credentials.chainId, this.#terminal.interrupted);
    await requireDelegation(trading);
    await market.open();
    try {
      for (const name of scenarios) await this.#run(name, { trading, market });
    } finally {
      await market.close();
    }
    const outcomes = await Promise.all(this.#running.map(({ ended }) => ended));
    const output = outcomes.map((outcome) => outcome.output).join("");
    const shown = { exchanges: this.#proxy.exchanges, output, secrets: this.#secrets };
    return { findings: { ...judgeAll(shown), ...this.#findings }, secrets: this.#secrets };
  }

  async #run(name: ScenarioName, { trading, market }: Pick<Bench, "trading" | "market">): Promise<void> {
    const scenario: Scenario = SCENARIOS[name];
    note(this.#terminal, `${name}: ${scenario.title}`);
    const [exchanges, delivered] = [this.#proxy.exchanges.length, this.#proxy.delivered.length];
    const bench: Bench = {
      trading,
      market,
      proxy: this.#proxy,
      key: this.#key,
      exchanges: () => this.#proxy.exchanges.slice(exchanges),
      delivered: () => this.#proxy.delivered.slice(delivered),
      start: (task, input) => this.#start(task, input),
    };
    const findings = await scenario.run(bench);
    this.#proxy.setFaults(() => null);
    this.#secrets.push(this.#key.apiSecret);
    this.#findings = { ...this.#findings, ...findings };
  }

  #start(...[task, input]: Parameters<Bench["start"]>): Running {
    const { command, timeoutMs } = this.#options;
    const { env, cwd, interrupted: signal } = this.#terminal;
    const options = { command, timeoutMs, env, cwd, signal, key: this.#key, baseUrl: this.#proxy.url };
    const running = startProgram(options, task, input);
    this.#running.push(running);
    return running;
  }
}

/** @throws CommandError where the key cannot send */
async function requireDelegation(trading: PartnerTrading): Promise<void> {
  const { status } = await trading.oneClick.status();
  if (status !== "enable")
    throw new CommandError(`The key cannot send: GET /1ct/status answers ${status}. See docs/one-click.md.`);
}
