import { parseArgs } from "node:util";
import { backfill } from "./backfill/scenario.ts";
import { busy } from "./busy/scenario.ts";
import { replicas } from "./replicas/scenario.ts";
import { events } from "./sandbox/events.ts";
import { quotes } from "./sandbox/quotes.ts";
import { rest } from "./sandbox/rest.ts";
import type { OwnSandboxScenario, SandboxScenario } from "./sandbox/scenario.ts";
import { sends } from "./sandbox/sends.ts";
import { sendsToStub } from "./sandbox/stub/scenario.ts";
import { visible, visibleByPolling } from "./sandbox/visible.ts";
import type { Scenario } from "./scenarios/context.ts";
import { detail } from "./scenarios/detail.ts";
import { growth } from "./scenarios/growth.ts";
import { latency } from "./scenarios/latency.ts";
import { lists } from "./scenarios/lists.ts";
import { memory } from "./scenarios/memory.ts";
import { project } from "./scenarios/project.ts";
import { reads } from "./scenarios/reads.ts";

/** Over the seeded data set, with nothing beside the api. */
const SCENARIOS: Record<string, Scenario> = { detail, reads, latency, lists, growth, memory, project };
/** Over a whole sandbox. */
const SANDBOX_SCENARIOS: Record<string, SandboxScenario> = { sends, rest, visible, events, quotes };
/** Each over what it starts itself, once the others have ended. */
const OWN_SANDBOX_SCENARIOS: Record<string, OwnSandboxScenario> = {
  sends: sendsToStub,
  visible: visibleByPolling,
  backfill,
  replicas,
  busy,
};
/** Runs where no scenario is named; the others take long, or answer one question alone. */
const DEFAULTS = ["detail", "reads", "latency", "lists"];

export const USAGE = `npm run bench                        ${DEFAULTS.join(", ")} at 1,000,000 orders of one key
npm run bench -- --quick             the same on a small data set, in under two minutes: for its checks, not its figures
npm run bench -- growth --orders 5000000
npm run bench -- memory
npm run bench -- project             the rows of keys: a first build, and steps
npm run bench -- sends rest visible events quotes   over a sandbox of its own
npm run bench -- backfill            the indexer beside a bare Ponder application
npm run bench -- replicas            reads from a standby, and 1, 2 and 4 api processes: about six minutes
npm run bench -- busy                polled answers while orders of other keys change: about five minutes
  --orders N      orders of the largest key, 1,000 or more
  --rounds N      rounds of each contestant
  --seconds N     seconds of each round
  --document      writes the figures of detail into docs/PERFORMANCE.md
  BENCH_DATABASE_URL   a superuser's URL of a PostgreSQL server that is the bench's alone, in place of one of its own
docs/PERFORMANCE.md says what is measured and how.
`;

export interface Options {
  /** Names of all that run. */
  names: string[];
  scenarios: Scenario[];
  sandboxScenarios: SandboxScenario[];
  ownSandboxScenarios: OwnSandboxScenario[];
  isQuick: boolean;
  orders: number;
  rounds: number;
  seconds: number;
  writesDocument: boolean;
}

/** @returns null where help was asked for @throws Error naming a wrong option */
export function parseOptions(args: string[]): Options | null {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      document: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
      orders: { type: "string" },
      rounds: { type: "string" },
      seconds: { type: "string" },
    },
  });
  if (values.help) return null;
  const isQuick = values.quick;
  if (isQuick && values.document) throw new Error("--quick has no figures for --document");
  const names = positionals.length > 0 ? positionals : DEFAULTS;
  const known = Object.keys({ ...SCENARIOS, ...SANDBOX_SCENARIOS, ...OWN_SANDBOX_SCENARIOS });
  if (values.document && !names.includes("detail")) throw new Error("--document needs the scenario detail");
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`no scenario ${unknown.join(", ")}; there are ${known.join(", ")}`);
  return {
    names,
    scenarios: names.flatMap((name) => SCENARIOS[name] ?? []),
    sandboxScenarios: names.flatMap((name) => SANDBOX_SCENARIOS[name] ?? []),
    ownSandboxScenarios: names.flatMap((name) => OWN_SANDBOX_SCENARIOS[name] ?? []),
    isQuick,
    orders: atLeast("orders", values.orders ?? (isQuick ? "20000" : "1000000"), 1_000),
    rounds: atLeast("rounds", values.rounds ?? (isQuick ? "1" : "5"), 1),
    seconds: atLeast("seconds", values.seconds ?? (isQuick ? "0.1" : "4"), 0.1),
    writesDocument: values.document,
  };
}

function atLeast(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!(value >= least)) throw new Error(`--${name} must be a number of ${least} or more`);
  return value;
}
