import { orderDetailCalls } from "../contestants/order-detail.ts";
import type { DataSet } from "../dataset/database.ts";
import { clearNonces } from "../dataset/nonces.ts";
import type { Call, Outcome } from "../load/job.ts";
import { buildPrograms } from "../programs.ts";
import type { Section } from "../report/result.ts";
import { median, summarize } from "../rounds.ts";
import { secondsOf } from "../sandbox/cpu.ts";
import type { OwnSandboxScenario } from "../sandbox/scenario.ts";
import { type Servers, withServers } from "./servers.ts";

const ORDERS = 10_000;
const CONNECTIONS = 32;
/** Signed before it is known how many are answered, a second. */
const PER_SECOND = 8_000;

interface Sizes {
  rounds: number;
  seconds: number;
}

/** Numbers of api processes that share the load, and of replicas that each reads from. */
interface Setup {
  processes: number;
  replicas: 0 | 1;
}

/** The cost of a request in one round. */
interface Cost {
  outcome: Outcome;
  /** Processor seconds. */
  api: number;
  primary: number;
  standby: number;
  statements: number;
  standbyStatements: number;
}

/** Measures the cost of requests for api, primary and standby: with and without reads from the standby, by the number of apis. */
export const replicas: OwnSandboxScenario = async ({ isQuick }, report) => {
  await buildPrograms();
  const sizes: Sizes = isQuick ? { rounds: 1, seconds: 0.5 } : { rounds: 5, seconds: 4 };
  await withServers(isQuick ? ORDERS / 10 : ORDERS, async (servers) => {
    const one = setups([1]);
    const run = async (what: string, calls: Call[], tried: Setup[]) =>
      report(
        sectionOf(`${what}, PostgreSQL ${servers.version}`, await compare(servers, calls, tried, sizes)),
      );
    await run("Order detail by api processes", orderDetailCalls(servers.data), setups([1, 2, 4]));
    await run("A page of 20 orders", listCalls(servers.data), one);
  });
};

const setups = (processes: number[]): Setup[] =>
  processes.flatMap((count) => ([0, 1] as const).map((each) => ({ processes: count, replicas: each })));

/** Returns calls for the newest orders of each key. */
const listCalls = ({ keys }: DataSet): Call[] =>
  keys.map((_key, key) => ({
    method: "GET",
    path: "/api/v1/orders?limit=20",
    key,
    status: 200,
    includes: ['{"code":200,'],
  }));

/** Measures setups in turns, after a round each that does not count. */
async function compare(
  servers: Servers,
  calls: Call[],
  tried: Setup[],
  { rounds, seconds }: Sizes,
): Promise<Map<string, Cost[]>> {
  const costs = new Map(tried.map((setup) => [nameOf(setup), [] as Cost[]]));
  for (const setup of tried) await measure(servers, calls, setup, Math.min(seconds, 2));
  await clearNonces(servers.data);
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < tried.length; turn++) {
      const setup = tried[(round + turn) % tried.length];
      if (setup) costs.get(nameOf(setup))?.push(await measure(servers, calls, setup, seconds));
    }
  }
  for (const setup of tried) {
    const isRead = (costs.get(nameOf(setup)) ?? []).some(({ standbyStatements }) => standbyStatements > 0);
    if (isRead !== (setup.replicas === 1))
      throw new Error(`${nameOf(setup)}: reads of the standby: ${isRead}`);
  }
  return costs;
}

const nameOf = ({ processes, replicas: count }: Setup): string =>
  `${processes} ${processes === 1 ? "process" : "processes"}, ${count === 0 ? "no replica" : "a replica"}`;

async function measure(
  { apis, generators, data, use }: Servers,
  calls: Call[],
  setup: Setup,
  seconds: number,
): Promise<Cost> {
  const { processes } = setup;
  const used = apis[setup.replicas].slice(0, processes);
  const apiSeconds = () => used.reduce((sum, { pid }) => sum + secondsOf(pid), 0);
  const [primary, standby, api] = [await use("primary"), await use("standby"), apiSeconds()];
  const outcomes = await Promise.all(
    used.map(({ url }, index) => {
      const generator = generators[index];
      if (!generator) throw new Error(`no load generator ${index}`);
      const requests = Math.ceil((PER_SECOND * seconds) / processes);
      const connections = CONNECTIONS / processes;
      return generator.run({ url, calls, keys: data.keys, connections, seconds, requests });
    }),
  );
  return {
    outcome: joined(outcomes),
    api: apiSeconds() - api,
    ...(await difference(use, primary, standby)),
  };
}

type Use = Awaited<ReturnType<Servers["use"]>>;

async function difference(use: Servers["use"], primary: Use, standby: Use) {
  const [now, then] = [await use("primary"), await use("standby")];
  return {
    primary: now.seconds - primary.seconds,
    standby: then.seconds - standby.seconds,
    statements: now.statements - primary.statements,
    standbyStatements: then.statements - standby.statements,
  };
}

/** Sums the outcomes of generators that ran at once; latencies are the worst ones. */
function joined(outcomes: Outcome[]): Outcome {
  const sum = (of: (outcome: Outcome) => number) =>
    outcomes.reduce((total, outcome) => total + of(outcome), 0);
  const most = (of: (outcome: Outcome) => number) => Math.max(...outcomes.map(of));
  return {
    answers: sum(({ answers }) => answers),
    unavailable: sum(({ unavailable }) => unavailable),
    elapsedMs: most(({ elapsedMs }) => elapsedMs),
    perSecond: sum(({ perSecond }) => perSecond),
    p50Ms: most(({ p50Ms }) => p50Ms),
    p99Ms: most(({ p99Ms }) => p99Ms),
    maxMs: most(({ maxMs }) => maxMs),
    generatorCpu: most(({ generatorCpu }) => generatorCpu),
  };
}

function sectionOf(title: string, costs: Map<string, Cost[]>): Section {
  const values = [...costs].flatMap(([name, rounds]) => {
    const value = (what: string, of: (cost: Cost) => number, unit: string) => ({
      name: `${name}: ${what}`,
      value: median(rounds.map(of)),
      unit,
    });
    const perSecond = (what: string, seconds: (cost: Cost) => number) =>
      value(`requests a CPU second of ${what}`, (cost) => cost.outcome.answers / seconds(cost), "");
    const perRequest = (what: string, of: (cost: Cost) => number) =>
      value(`statements a request on the ${what}`, (cost) => of(cost) / cost.outcome.answers, "");
    const found = [
      perSecond("the api", ({ api }) => api),
      perSecond("the primary", ({ primary }) => primary),
      perSecond("the standby", ({ standby }) => standby),
      perSecond("all three", ({ api, primary, standby }) => api + primary + standby),
      perRequest("primary", ({ statements }) => statements),
      perRequest("standby", ({ standbyStatements }) => standbyStatements),
    ];
    // A standby that nothing reads uses less than a tick of its clock.
    return found.filter((each) => Number.isFinite(each.value));
  });
  return {
    scenario: "replicas",
    title,
    connections: CONNECTIONS,
    series: [...costs].map(([name, rounds]) =>
      summarize({ name, outcomes: rounds.map(({ outcome }) => outcome) }),
    ),
    ratios: [],
    values,
  };
}
