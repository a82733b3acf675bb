import { describe, expect, it } from "@jest/globals";
import { LONG } from "../support/assert/long.ts";
import type { NodeFault } from "../support/simulation/chain.ts";
import { tellStory } from "../support/simulation/explore.ts";
import { type Action, type Scenario, USERS, type WorldKind } from "../support/simulation/scenario.ts";
import { runScenario } from "../support/simulation/world.ts";

/** Rows of docs/faults.md that are about sending, each as a scenario: what a test of real parts found once, every seed tries again. */

const SEEDS = LONG ? [1, 2, 3] : [1];

type Send = Extract<Action, { kind: "send" }>;
type Sends = Partial<Send> & { fromMs?: number; everyMs?: number };

const sends = (count: number, { fromMs = 1_000, everyMs = 400, ...more }: Sends = {}): Action[] =>
  Array.from({ length: count }, (_, index) => ({
    atMs: fromMs + index * everyMs,
    kind: "send" as const,
    user: index % 4,
    call: "good" as const,
    deadline: null,
    notional: null,
    ...more,
  }));
const node = (fault: NodeFault, forMs = 20_000, atMs = 5_000): Action[] =>
  [0, 1].map((index) => ({ atMs, kind: "node", node: index, fault, forMs }));
const crashes = (points: readonly string[]): Action[] =>
  points.flatMap((point, index) =>
    [0, 1].map((worker) => ({
      atMs: 2_000 + index * 9_000,
      kind: "crash" as const,
      worker,
      point,
      forMs: 1_000 + 2_000 * worker,
    })),
  );
const POINTS = [
  "reserve:before-commit",
  "reserve:after-commit",
  "sign:signed",
  "sign:before-commit",
  "sign:after-commit",
  "broadcast:before",
  "broadcast:after",
  "broadcast-result:after-commit",
  "mined:before-commit",
  "mined:after-commit",
  "final:before-commit",
];

interface Row {
  /** Its number in docs/faults.md. */
  fault: string;
  actions: readonly Action[];
  world?: Partial<WorldKind>;
  /** Final states of requests, where it is not "final" alone. */
  states?: readonly string[];
}

const ROWS: readonly Row[] = [
  { fault: "1: 200 sends at once", actions: sends(200, { everyMs: 0 }) },
  {
    fault: "3: workers die between any two steps",
    actions: [...sends(140, { everyMs: 700 }), ...crashes(POINTS)],
  },
  { fault: "4: requests to nodes are lost", actions: [...sends(40), ...node("loses-requests")] },
  { fault: "5: answers of nodes are lost", actions: [...sends(40), ...node("loses-replies")] },
  { fault: "6: nodes are down for minutes", actions: [...sends(40), ...node("down", 120_000)] },
  { fault: "7: a node answers garbage", actions: [...sends(40), ...node("garbage").slice(1)] },
  { fault: "7: a node is of another chain", actions: [...sends(40), ...node("wrong-chain")] },
  { fault: "7: nodes serve neither nonces nor receipts", actions: [...sends(40), ...node("heads-only")] },
  {
    fault: "8, 9: bytes go out again that nodes know or have mined",
    actions: [...sends(40), ...crashes(["broadcast:after"]), ...node("lags")],
  },
  {
    fault: "10: a replacement must offer more",
    actions: [...sends(40), { atMs: 4_000, kind: "spike", factor: 20, forMs: 60_000 }],
  },
  {
    fault: "12: pools drop what they took",
    actions: [...sends(40), { atMs: 6_000, kind: "drop-pools" }, { atMs: 9_000, kind: "drop-pools" }],
  },
  {
    fault: "13: reorgs remove what was mined",
    actions: [
      ...sends(40),
      ...[6_000, 9_000, 14_000].map((atMs): Action => ({ atMs, kind: "reorg", depth: 3 })),
    ],
  },
  {
    fault: "14: a reorg, while the wallet's key is used elsewhere",
    actions: [
      ...sends(10),
      { atMs: 9_000, kind: "reorg", depth: 2 },
      { atMs: 9_100, kind: "foreign-use", wallet: 0 },
      ...sends(10, { fromMs: 30_000 }),
    ],
    world: { mayHalt: true },
    states: ["final", "broadcast", "signed", "accepted"],
  },
  {
    fault: "16: a gas limit that can never be mined",
    actions: [...sends(12), ...sends(4, { call: "low-gas" })],
    states: ["final", "failed"],
  },
  {
    fault: "17: a wallet without funds pauses, and resumes",
    actions: [
      ...sends(40),
      { atMs: 60_000, kind: "fund", wallet: 0, calls: 100 },
      { atMs: 60_000, kind: "fund", wallet: 1, calls: 100 },
    ],
    world: { funds: 3 },
  },
  {
    fault: "19: deadlines pass while calls are stuck",
    actions: [...sends(20, { deadline: 20 }), { atMs: 500, kind: "stall", forMs: 60_000 }],
    states: ["final", "canceled"],
  },
  {
    fault: "22: connections are cut during COMMIT",
    actions: [...sends(60), { atMs: 1_000, kind: "database", fault: "cut", forMs: 25_000 }],
  },
  {
    fault: "23, 30: the database is down under load",
    actions: [
      ...sends(60),
      ...[5_000, 12_000, 19_000].map(
        (atMs): Action => ({ atMs, kind: "database", fault: "down", forMs: 3_000 }),
      ),
    ],
  },
  {
    fault: "24: the database is slow",
    actions: [...sends(30), { atMs: 1_000, kind: "database", fault: "slow", forMs: 60_000 }],
  },
  {
    fault: "69: a worker that stood still continues after it lost its lease",
    actions: [
      ...sends(60, { everyMs: 1_000 }),
      ...[4_000, 20_000, 36_000].map(
        (atMs, index): Action => ({ atMs, kind: "stop", worker: index % 2, forMs: 14_000 }),
      ),
    ],
  },
  {
    fault: "70: users disable at the instant of their sends",
    actions: [0, 1, 2, 3].flatMap((user): Action[] => [
      ...sends(8, { fromMs: 9_950, everyMs: 12, user }),
      { atMs: 10_000, kind: "disable", user },
    ]),
    states: ["final", "canceled"],
  },
  {
    fault: "71: receipts of other transactions and blocks",
    actions: [...sends(40), ...node("false-receipts", 40_000).slice(1)],
  },
  { fault: "71: a node on its own fork", actions: [...sends(40), ...node("forks", 40_000).slice(1)] },
  {
    fault: "89: workers die between reserving, signing and storing",
    actions: [
      ...sends(120, { everyMs: 700 }),
      ...crashes(["reserve:before-commit", "reserve:after-commit", "sign:signed", "sign:before-commit"]),
    ],
  },
  {
    fault: "92: keys are slow or gone",
    actions: [
      ...sends(60, { everyMs: 700, deadline: 40 }),
      { atMs: 5_000, kind: "key", wallet: 0, fault: "gone", forMs: 60_000 },
      { atMs: 5_000, kind: "key", wallet: 1, fault: "slow", forMs: 30_000 },
      { atMs: 12_000, kind: "disable", user: 0 },
      ...crashes(["sign:signed"]),
    ],
    states: ["final", "canceled", "failed"],
  },
  {
    fault: "99: a key is given up while workers die, and comes back",
    actions: [
      ...sends(60, { everyMs: 700, user: 0 }),
      { atMs: 15_000, kind: "lose-key", wallet: 0 },
      ...crashes(["reserve:after-commit", "sign:signed", "sign:before-commit"]),
    ],
    states: ["final", "canceled"],
  },
  {
    fault: "78, 88: a failover loses commits",
    actions: [...sends(40), { atMs: 9_000, kind: "lose-commits", count: 6 }],
    world: { mayHalt: true },
    states: ["final", "broadcast", "signed", "accepted"],
  },
  {
    fault: "82: a reorg deeper than final",
    actions: [...sends(20), { atMs: 30_000, kind: "reorg", depth: 10 }, ...sends(10, { fromMs: 40_000 })],
    world: { isDeep: true },
    states: ["final", "broadcast", "signed", "accepted"],
  },
];

describe("the sender holds", () => {
  it.each(ROWS)("fault $fault", async ({ fault, actions, world, states = ["final"] }) => {
    for (const seed of SEEDS) {
      const scenario: Scenario = { seed, world: { name: fault, faults: {}, ...world }, actions };
      const outcome = await runScenario(scenario);
      expect(outcome.violation && (await tellStory({ scenario, outcome }))).toBeNull();
      const unlike = Object.keys(outcome.states).filter((state) => !states.includes(state));
      expect({ seed, unlike }).toEqual({ seed, unlike: [] });
      // Beside the users' enables, which were final before.
      const count = Object.values(outcome.states).reduce((sum, one) => sum + one, 0) - USERS;
      expect({ seed, hasSent: count > 0 }).toEqual({ seed, hasSent: true });
    }
  });
});
