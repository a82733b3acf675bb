import { PartnerTrading } from "../../index.ts";
import { note, type Terminal } from "../terminal.ts";
import { type Control, controlAt, makeUser, type SandboxUser } from "./control.ts";
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
  controlUrl: string;
  /** Null for the sandbox's first chain. */
  chainId: number | null;
  scenarios: readonly ScenarioName[];
  /** Milliseconds that a program has for a task. */
  timeoutMs: number;
}

export interface RunResult {
  findings: Findings;
  /** User that the program traded for. */
  key: SandboxUser;
  /** All secrets of the run, for a report without them. */
  secrets: readonly string[];
}

/** Puts a program into scenarios, one after the other, and judges what it did. */
export async function runScenarios(terminal: Terminal, options: RunOptions): Promise<RunResult> {
  const control = controlAt(options.controlUrl);
  const user = await makeUser(control, options.chainId);
  const proxy = await startProxy(user.baseUrl);
  try {
    return await new Run(terminal, options, { control, user, proxy }).all();
  } finally {
    await proxy.close();
  }
}

/** Parts of one run. */
interface Parts {
  control: Control;
  user: SandboxUser;
  proxy: FaultProxy;
}

class Run {
  readonly #terminal: Terminal;
  readonly #options: RunOptions;
  readonly #control: Control;
  readonly #proxy: FaultProxy;
  readonly #user: SandboxUser;
  readonly #secrets: string[];
  readonly #running: Running[] = [];
  #findings: Findings = {};

  constructor(terminal: Terminal, options: RunOptions, { control, user, proxy }: Parts) {
    this.#terminal = terminal;
    this.#options = options;
    this.#control = control;
    this.#proxy = proxy;
    this.#user = user;
    this.#secrets = [user.apiSecret];
  }

  async all(): Promise<RunResult> {
    const trading = new PartnerTrading({ ...this.#user });
    const market = new Market(trading, this.#control, this.#user.chainId, this.#terminal.interrupted);
    await market.open();
    try {
      for (const name of this.#options.scenarios) await this.#run(name, { trading, market });
    } finally {
      await market.close();
    }
    const outcomes = await Promise.all(this.#running.map(({ ended }) => ended));
    const output = outcomes.map((outcome) => outcome.output).join("");
    const [key, secrets] = [this.#user, this.#secrets];
    const general = judgeAll({ exchanges: this.#proxy.exchanges, output, secrets });
    return { findings: { ...general, ...this.#findings }, key, secrets };
  }

  async #run(name: ScenarioName, { trading, market }: Pick<Bench, "trading" | "market">): Promise<void> {
    const scenario: Scenario = SCENARIOS[name];
    note(this.#terminal, `${name}: ${scenario.title}`);
    const [exchanges, delivered] = [this.#proxy.exchanges.length, this.#proxy.delivered.length];
    const bench: Bench = {
      trading,
      market,
      proxy: this.#proxy,
      key: this.#user,
      exchanges: () => this.#proxy.exchanges.slice(exchanges),
      delivered: () => this.#proxy.delivered.slice(delivered),
      start: (task, input) => this.#start(task, input),
    };
    const findings = await scenario.run(bench);
    this.#proxy.setFaults(() => null);
    this.#secrets.push(this.#user.apiSecret);
    this.#findings = { ...this.#findings, ...findings };
  }

  #start(...[task, input]: Parameters<Bench["start"]>): Running {
    const { command, timeoutMs } = this.#options;
    const { env, cwd, interrupted: signal } = this.#terminal;
    const options = { command, timeoutMs, env, cwd, signal, key: this.#user, baseUrl: this.#proxy.url };
    const running = startProgram(options, task, input);
    this.#running.push(running);
    return running;
  }
}
