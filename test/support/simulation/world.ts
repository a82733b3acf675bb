import { KEY_LOST } from "../../../src/sending/retirement/lost-key-store.ts";
import { DEFAULT_SENDER_CONFIG, type SenderConfig } from "../../../src/sending/sender/deps.ts";
import { stubFacts } from "../sender/new-send.ts";
import { SimulatedChain } from "./chain.ts";
import { MemoryDatabase } from "./database.ts";
import { Keys } from "./keys.ts";
import { nameOf, Observer, type Violation } from "./observer.ts";
import { CHAIN_ID, GAS, MUSD, Partners, usersOfWorld, walletOf, walletsOfWorld } from "./partners.ts";
import { type Action, BUSY_MS, describe, NODES, type Scenario, WORKERS, type WorldKind } from "./scenario.ts";
import { Scheduler, type StoryLine } from "./scheduler.ts";
import { Workers } from "./workers.ts";

const GWEI = 1_000_000_000n;
/** Maximum cost of a call at ordinary fees, wei. */
const CALL_COST = GAS * 3n * GWEI;
const CONFIRMATIONS = 3;

/** The defaults, with shorter waits: more happens in less time. */
const CONFIG: SenderConfig = {
  ...DEFAULT_SENDER_CONFIG,
  idlePollMs: 2_000,
  leaseMs: 9_000,
  inFlightMax: 12,
  rebroadcastMs: 5_000,
  bumpAfterMs: 12_000,
  maxFeePerGasCap: 100n * GWEI,
  maxPriorityFeeCap: 20n * GWEI,
};

/** Time until an operator gives up a key that is gone: what it signed is final by then, ms. */
const GIVEN_UP_MS = 15_000;

/** Time that requests have to end once nothing fails any more. */
const CALM_MS = 400_000;

export interface Outcome {
  /** Number of statements, requests to nodes, their answers, blocks and timers. */
  steps: number;
  violation: Violation | null;
  story: readonly StoryLine[];
  /** Numbers of requests by their last state. */
  states: Record<string, number>;
}

/** Runs a scenario until everything has ended, or an invariant is broken. */
export function runScenario(scenario: Scenario, options: { withStory?: boolean } = {}): Promise<Outcome> {
  return new World(scenario, options).run();
}

/** A chain, a database, workers and partners, in one process and one time. */
class World {
  private readonly scenario: Scenario;
  private readonly scheduler: Scheduler;
  private readonly database: MemoryDatabase;
  private readonly observer: Observer;
  private readonly chain: SimulatedChain;
  private readonly keys: Keys;
  private readonly workers: Workers;
  private readonly partners: Partners;
  private readonly facts = stubFacts();
  private isCalm = false;

  constructor(scenario: Scenario, options: { withStory?: boolean }) {
    this.scenario = scenario;
    const { world, seed } = scenario;
    const scheduler = new Scheduler(seed, options);
    const database = new MemoryDatabase(scheduler);
    const observer = new Observer({ scheduler, database, config: CONFIG, isDeep: world.isDeep ?? false });
    const chain = new SimulatedChain(scheduler, chainOptions(world), stateOf(world), observer);
    observer.chain = chain;
    const keys = new Keys(scheduler, chain, observer);
    const workers = new Workers({
      scheduler,
      database,
      chain,
      keys,
      facts: this.facts,
      config: CONFIG,
      hasLostCommits: () => database.hasLostCommits,
      onError: (error) => observer.report("a cycle fails for faults alone", error),
    });
    const partners = new Partners({ database, chain, observer, announce: workers.announce });
    this.scheduler = scheduler;
    this.database = database;
    this.observer = observer;
    this.chain = chain;
    this.keys = keys;
    this.workers = workers;
    this.partners = partners;
    this.begin();
  }

  async run(): Promise<Outcome> {
    const { scheduler, observer } = this;
    while (!observer.violation && (await scheduler.step())) {
      if (!this.isCalm) continue;
      if (observer.open.size === 0) break;
      if (scheduler.elapsedMs > BUSY_MS + CALM_MS) this.judgeStuck();
    }
    this.workers.end();
    const states: Record<string, number> = {};
    for (const { state } of this.database.all("requests")) states[state] = (states[state] ?? 0) + 1;
    return { steps: scheduler.steps, violation: observer.violation, story: scheduler.story ?? [], states };
  }

  private begin(): void {
    const { database, observer, scheduler } = this;
    this.partners.seed();
    database.observer = observer;
    database.onDeadlock = (lock) => observer.report("no two transactions deadlock", lock);
    for (const action of this.scenario.actions)
      scheduler.after(action.atMs, null, () => {
        if (action.kind !== "send") scheduler.tell(() => `* ${describe(action)}`);
        this.act(action).catch(() => undefined);
      });
    for (let index = 0; index < WORKERS; index++) this.workers.start(index);
    scheduler.after(BUSY_MS, null, () => this.calmDown());
  }

  private async act(action: Action): Promise<void> {
    const { scheduler, chain, partners, workers } = this;
    const untilMs = scheduler.nowMs + ("forMs" in action ? action.forMs : 0);
    switch (action.kind) {
      case "send":
        return partners.send(action);
      case "disable":
        return partners.disable(action.user);
      case "enable":
        return partners.enable(action.user);
      case "kill":
        return partners.killKey(action.user);
      case "retire":
        return partners.retire(action.wallet);
      case "lose-key":
        // It comes back while it is given up.
        this.keys.suffer(
          walletsOfWorld[action.wallet] ?? "0x",
          "gone",
          scheduler.nowMs + GIVEN_UP_MS - 500 + scheduler.random.below(2_000),
        );
        scheduler.after(GIVEN_UP_MS, null, () => void partners.giveUp(action.wallet).catch(() => undefined));
        return;
      case "halt-chain":
        scheduler.after(action.forMs, null, () => this.resumeChain());
        return partners.haltChain(true);
      case "no-quotes":
        this.facts.price = null;
        scheduler.after(action.forMs, null, () => this.quote());
        return;
      case "crash":
        return workers.crash(action.worker, action.point, action.forMs);
      case "stop":
        return workers.suspend(action.worker, untilMs);
      case "database":
        return this.database.fail(action.fault, untilMs);
      case "lose-commits":
        for (const changes of this.database.loseCommits(action.count)) this.observer.lost(changes);
        return;
      case "key":
        return this.keys.suffer(walletsOfWorld[action.wallet] ?? "0x", action.fault, untilMs);
      case "node":
        return chain.nodes[action.node]?.suffer(action.fault, untilMs);
      case "fund":
        return chain.fund(walletsOfWorld[action.wallet] ?? "0x", BigInt(action.calls) * CALL_COST);
      case "foreign-use":
        return chain.useElsewhere(walletsOfWorld[action.wallet] ?? "0x");
      default:
        return this.change(action, untilMs);
    }
  }

  /** Changes the chain. */
  private change(action: Action, untilMs: number): void {
    const { chain } = this;
    if (action.kind === "reorg") chain.reorg(action.depth);
    if (action.kind === "spike") chain.spike = { factor: BigInt(action.factor), untilMs };
    if (action.kind === "stall") chain.stalledUntilMs = untilMs;
    if (action.kind === "drop-pools") chain.dropPools();
  }

  private quote(): void {
    this.facts.price = MUSD;
  }

  private resumeChain(): void {
    this.partners.haltChain(false).catch(() => undefined);
  }

  /** Ends all faults, and gives wallets what they need. */
  private calmDown(): void {
    const { chain, database, scheduler, workers } = this;
    scheduler.tell(() => "* the world calms down");
    this.isCalm = true;
    for (const node of chain.nodes) node.recover();
    chain.spike = { factor: 1n, untilMs: 0 };
    chain.stalledUntilMs = 0;
    this.quote();
    database.recover();
    this.keys.recover();
    workers.recover();
    for (const wallet of walletsOfWorld) chain.fund(wallet, 10n ** 20n);
    this.resumeChain();
  }

  /** Requests that are still open are stuck, except at a wallet that an operator must look at. */
  private judgeStuck(): void {
    const { observer, database } = this;
    const stuck = [...observer.open].flatMap((requestId) => database.get("requests", requestId) ?? []);
    const wallets = [...database.all("wallets")];
    const halted = new Set(
      wallets
        .filter(({ state, leaseOwner }) => state === "halted" || leaseOwner === KEY_LOST)
        .map(({ address }) => address),
    );
    const { mayHalt, isDeep } = this.scenario.world;
    if (isDeep || (mayHalt && stuck.every(({ wallet }) => halted.has(wallet)))) {
      observer.open.clear();
      return;
    }
    const requests = stuck.map(
      ({ requestId, state, nonce }) =>
        `${nameOf(requestId)} ${state}${nonce === null ? "" : ` at nonce ${nonce}`}`,
    );
    const states = wallets.map(
      ({ address, state, nextNonce }) => `${address.slice(-1)} ${state}, next ${nextNonce}`,
    );
    observer.report(
      "what was accepted ends once nothing fails any more",
      `${requests.join("; ")}. Wallets: ${states.join("; ")}`,
    );
  }
}

const chainOptions = ({ dataFeePercent }: WorldKind) => ({
  chainId: CHAIN_ID,
  confirmations: CONFIRMATIONS,
  blockMs: 2_000,
  nodes: NODES,
  dataFee: (CALL_COST * BigInt(dataFeePercent ?? 0)) / 100n,
  baseFee: GWEI,
});

/** Wallets that were used before, and users whose enables are final. */
const stateOf = ({ funds }: WorldKind) => ({
  nonces: new Map(walletsOfWorld.map((wallet, index) => [wallet, BigInt(index * 5)])),
  balances: new Map(walletsOfWorld.map((wallet) => [wallet, BigInt(funds ?? 1_000_000) * CALL_COST])),
  delegations: new Map(usersOfWorld.map((user, index) => [user, { delegatee: walletOf(index), nonce: 1 }])),
});
