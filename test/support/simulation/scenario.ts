import { type SeededRandom, seededRandom } from "../assert/seeded-random.ts";
import type { NodeFault } from "./chain.ts";

/** "gone": signs nothing, and says so at once or after a while; "slow": takes seconds. */
export type KeyFault = "gone" | "slow";

/** Something that happens at a time, ms after the begin. */
export type Action = { atMs: number } & (
  | {
      kind: "send";
      user: number;
      /** "low": less than any node takes; "reverting": its call fails on the chain. */
      call: "good" | "low-gas" | "reverting";
      /** Seconds; null: a day. */
      deadline: number | null;
      /** mUSD of a buy; null: a sale. */
      notional: number | null;
    }
  | { kind: "disable" | "enable" | "kill"; user: number }
  | { kind: "halt-chain" | "no-quotes"; forMs: number }
  /** "lose-key": its key is gone, until an operator has retired the wallet and given it up. */
  | { kind: "retire" | "lose-key"; wallet: number }
  /** Kills a worker, at its next crash point of this name or at once, and starts it again. */
  | { kind: "crash"; worker: number; point: string | null; forMs: number }
  | { kind: "stop"; worker: number; forMs: number }
  | { kind: "database"; fault: "down" | "cut" | "slow"; forMs: number }
  | { kind: "lose-commits"; count: number }
  | { kind: "key"; wallet: number; fault: KeyFault; forMs: number }
  | { kind: "node"; node: number; fault: NodeFault; forMs: number }
  | { kind: "reorg"; depth: number }
  | { kind: "spike"; factor: number; forMs: number }
  | { kind: "stall"; forMs: number }
  | { kind: "drop-pools" }
  | { kind: "fund"; wallet: number; calls: number }
  | { kind: "foreign-use"; wallet: number }
);

export type Kind = Action["kind"];

/** A kind of world: what may happen in it, and how often. */
export interface WorldKind {
  name: string;
  /** Weights of the faults. */
  faults: Partial<Record<Kind, number>>;
  nodeFaults?: readonly NodeFault[];
  /** Calls that a wallet can pay for at first; many by default. */
  funds?: number;
  /** Share of a call's price on its own chain that its data costs elsewhere, in percent. */
  dataFeePercent?: number;
  /** Sends in a run, and faults. */
  sends?: number;
  count?: number;
  /** Wallets that may be halted in the end: their keys are used elsewhere. */
  mayHalt?: boolean;
  /** True where reorgs are deeper than final: a gap may stay until an operator acts. */
  isDeep?: boolean;
}

const HONEST: readonly NodeFault[] = [
  "down",
  "loses-requests",
  "loses-replies",
  "lags",
  "refuses",
  "pool-is-full",
  "black-hole",
];
const LYING: readonly NodeFault[] = ["garbage", "wrong-chain", "heads-only", "false-receipts"];

export const WORLDS: readonly WorldKind[] = [
  { name: "processes that die and stop", faults: { crash: 5, stop: 3 }, count: 25 },
  { name: "a database that fails", faults: { database: 5, crash: 1 }, count: 20 },
  { name: "nodes that fail", faults: { node: 1 }, nodeFaults: HONEST, count: 25 },
  { name: "nodes that lie", faults: { node: 4, crash: 1 }, nodeFaults: [...LYING, "lags"], count: 20 },
  { name: "a node on its own fork", faults: { node: 1 }, nodeFaults: ["forks"], count: 6 },
  { name: "a chain that changes", faults: { reorg: 5, spike: 2, stall: 1, "drop-pools": 1 }, count: 20 },
  {
    name: "wallets without funds",
    faults: { fund: 4, spike: 1, crash: 1, retire: 0.3 },
    funds: 6,
    count: 20,
  },
  {
    name: "a chain with a second price",
    faults: { fund: 3, spike: 2, reorg: 1, node: 1 },
    nodeFaults: HONEST,
    dataFeePercent: 300,
    funds: 10,
    count: 20,
  },
  {
    name: "users and operators",
    faults: {
      disable: 8,
      enable: 2,
      kill: 0.3,
      "halt-chain": 2,
      "no-quotes": 1,
      crash: 2,
      reorg: 2,
      database: 1,
    },
    count: 30,
  },
  {
    name: "keys that do not answer",
    faults: { key: 8, crash: 3, stop: 1, disable: 3, enable: 1, kill: 0.3, "halt-chain": 2, database: 1 },
    count: 25,
  },
  {
    name: "keys that are given up",
    faults: { "lose-key": 0.7, crash: 3, stop: 2, disable: 2, enable: 1, database: 1 },
    count: 20,
    mayHalt: true,
  },
  {
    name: "a failover that loses commits",
    faults: { "lose-commits": 2, crash: 1, reorg: 1, key: 1 },
    count: 5,
    mayHalt: true,
  },
  {
    name: "keys that are used elsewhere",
    faults: { "foreign-use": 1, crash: 3, stop: 1 },
    count: 5,
    mayHalt: true,
  },
  {
    name: "everything at once",
    faults: {
      crash: 3,
      stop: 2,
      database: 2,
      key: 1,
      node: 3,
      reorg: 2,
      spike: 1,
      stall: 1,
      "drop-pools": 1,
      disable: 1,
      enable: 2,
      "halt-chain": 0.5,
      fund: 1,
    },
    nodeFaults: [...HONEST, ...LYING],
    funds: 200,
    count: 40,
  },
];

/** A run: the world, and what happens in it. */
export interface Scenario {
  seed: number;
  world: WorldKind;
  actions: readonly Action[];
}

/** Time in which things happen; then the world calms down. */
export const BUSY_MS = 240_000;
export const USERS = 4;
export const WALLETS = 2;
export const WORKERS = 2;
export const NODES = 3;

const CRASH_POINTS = [
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
] as const;

/** Plans a run of a world. */
export function planScenario(world: WorldKind, seed: number): Scenario {
  const random = seededRandom(seed);
  const actions: Action[] = [];
  for (let index = 0; index < (world.sends ?? 60); index++) actions.push(...planSends(random));
  const kinds = Object.entries(world.faults) as [Kind, number][];
  for (let index = 0; index < (world.count ?? 20); index++) {
    const fault = planFault(random, weighted(random, kinds), world);
    if (fault) actions.push(fault);
    if (fault?.kind === "disable") actions.push(...planAround(random, fault));
    if (fault?.kind === "halt-chain") actions.push(...planAt(random, fault.atMs, () => random.below(USERS)));
  }
  return { seed, world, actions: actions.sort((a, b) => a.atMs - b.atMs) };
}

function planSends(random: SeededRandom): Action[] {
  const atMs = random.below(BUSY_MS);
  const user = random.below(USERS);
  const burst = random.chance(0.1) ? 1 + random.below(12) : 1;
  return Array.from({ length: burst }, () => ({ ...planSend(random, user), atMs }));
}

function planSend(random: SeededRandom, user: number) {
  return {
    kind: "send",
    user,
    call: random.chance(0.04) ? "low-gas" : random.chance(0.05) ? "reverting" : "good",
    deadline: random.chance(0.15) ? 2 + random.below(60) : null,
    notional: random.chance(0.5) ? 1 + random.below(100) : null,
  } as const;
}

/** Sends of a user at the instant of their disable, and an enable after it. */
function planAround(random: SeededRandom, { atMs, user }: { atMs: number; user: number }): Action[] {
  const sends = planAt(random, atMs, () => user);
  return [...sends, { atMs: atMs + 4_000 + random.below(12_000), kind: "enable", user }];
}

/** Sends at an instant: some come before it, some after it, and some meet it. */
const planAt = (random: SeededRandom, atMs: number, user: () => number): Action[] =>
  Array.from({ length: 4 }, () => ({
    ...planSend(random, user()),
    atMs: Math.max(atMs - 60 + random.below(80), 0),
  }));

function weighted(random: SeededRandom, kinds: readonly [Kind, number][]): Kind {
  const total = kinds.reduce((sum, [, weight]) => sum + weight, 0);
  let left = (random.below(1_000_000) / 1_000_000) * total;
  for (const [kind, weight] of kinds) {
    left -= weight;
    if (left < 0) return kind;
  }
  return (kinds[0] as [Kind, number])[0];
}

function planFault(random: SeededRandom, kind: Kind, { nodeFaults }: WorldKind): Action | null {
  const atMs = random.below(BUSY_MS);
  const forMs = 500 + random.below(random.chance(0.3) ? 40_000 : 8_000);
  switch (kind) {
    case "disable":
    case "enable":
    case "kill":
      return { atMs, kind, user: random.below(USERS) };
    case "halt-chain":
    case "no-quotes":
    case "stall":
      return { atMs, kind, forMs };
    case "retire":
    case "lose-key":
    case "foreign-use":
      return { atMs, kind, wallet: random.below(WALLETS) };
    case "crash": {
      const point = random.chance(0.7) ? random.of(CRASH_POINTS) : null;
      return { atMs, kind, worker: random.below(WORKERS), point, forMs };
    }
    case "stop":
      return { atMs, kind, worker: random.below(WORKERS), forMs };
    case "database":
      return { atMs, kind, fault: random.of(["down", "cut", "slow"]), forMs: Math.min(forMs, 15_000) };
    case "key": {
      const fault = random.of(["gone", "slow"] as const);
      return {
        atMs,
        kind,
        wallet: random.below(WALLETS),
        fault,
        forMs: random.chance(0.2) ? 120_000 : forMs,
      };
    }
    case "lose-commits":
      return { atMs, kind, count: 1 + random.below(10) };
    case "node":
      return { atMs, kind, node: random.below(NODES), fault: random.of(nodeFaults ?? HONEST), forMs };
    case "reorg":
      return { atMs, kind, depth: 1 + random.below(3) };
    case "spike":
      return { atMs, kind, factor: 2 + random.below(200), forMs: forMs * 2 };
    case "drop-pools":
      return { atMs, kind };
    case "fund":
      return { atMs, kind, wallet: random.below(WALLETS), calls: 1 + random.below(10) };
    default:
      return null;
  }
}

/** Says what an action is, in a story. */
export function describe(action: Action): string {
  const { atMs: _at, kind, ...rest } = action;
  return `${kind} ${Object.entries(rest)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ")}`;
}
