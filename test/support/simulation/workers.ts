import type { Logger } from "pino";
import type { Hex } from "viem";
import type { Notifications } from "../../../src/db/notifications.ts";
import { CommitUnknown } from "../../../src/db/transaction.ts";
import { workKey } from "../../../src/sending/outbox/submit-store.ts";
import type { SenderConfig, SenderDeps } from "../../../src/sending/sender/deps.ts";
import type { Facts } from "../../../src/sending/sender/facts.ts";
import { createNodes, NodeRefused, NodeUnreachable } from "../../../src/sending/sender/nodes.ts";
import { startSender } from "../../../src/sending/sender/wallet-loop.ts";
import { rulesFor } from "../sender/new-send.ts";
import type { SimulatedChain } from "./chain.ts";
import type { MemoryDatabase } from "./database.ts";
import type { Keys } from "./keys.ts";
import { ConstraintViolated, createMemoryStore } from "./memory-store.ts";
import { CHAIN_ID, PRODUCT, walletsOfWorld } from "./partners.ts";
import type { Process, Scheduler } from "./scheduler.ts";

interface Worker {
  process: Process;
  /** Crash point at which it dies next. */
  dyingAt: string | null;
  /** Time until it starts again, ms. */
  downMs: number;
}

interface WorkersOptions {
  scheduler: Scheduler;
  database: MemoryDatabase;
  chain: SimulatedChain;
  keys: Keys;
  facts: Facts;
  config: SenderConfig;
  /** Called where a cycle fails for anything but a fault. */
  onError: (error: string) => void;
  /** True where commits were lost: constraints may refuse what was decided on them. */
  hasLostCommits: () => boolean;
}

/** Processes that run the sender, each with a clock of its own. Every one drives all wallets that it gets the lease of. */
export class Workers {
  private readonly workers: Worker[] = [];
  private readonly waits = new Map<string, Set<() => void>>();
  private readonly options: WorkersOptions;

  constructor(options: WorkersOptions) {
    this.options = options;
  }

  start(index: number): void {
    const { scheduler, database, chain, keys, config, facts } = this.options;
    const process: Process = { name: `worker ${index + 1}`, isDead: false, stoppedUntilMs: 0 };
    const worker: Worker = { process, dyingAt: null, downMs: 0 };
    this.workers[index] = worker;
    scheduler.tell(() => `${process.name} starts`);
    const skewMs = scheduler.random.below(3_000) - 1_500;
    const now = (): number => scheduler.nowMs + skewMs;
    const nodes = createNodes({
      chainId: CHAIN_ID,
      rpcUrls: chain.nodes.map(({ url }) => url),
      confirmations: chain.options.confirmations,
      timeoutMs: 5_000,
      batches: chain.batchesFor(process),
      now,
    });
    const deps: SenderDeps = {
      store: createMemoryStore(database, process),
      log: this.logOf(process),
      now,
      config,
      rules: rulesFor(PRODUCT),
      facts,
      alarm: (alarm, fields) =>
        scheduler.tell(() => `${process.name} raises ${alarm} ${JSON.stringify(fields)}`),
      crash: (point) => {
        if (worker.dyingAt === point) this.kill(index);
      },
    };
    const begin = (): void => {
      startSender(deps, {
        signers: walletsOfWorld.map((address) => keys.signerFor(address, process)),
        chains: [nodes],
        workNotifications: this.notificationsFor(process),
        time: scheduler.timeOf(process),
      }).catch(() => scheduler.after(1_000, process, begin));
    };
    begin();
  }

  /** Kills a worker, at its next crash point of this name or at once, and starts it again after so many ms. */
  crash(index: number, point: string | null, downMs: number): void {
    const worker = this.workers[index];
    if (!worker || worker.process.isDead) return;
    Object.assign(worker, { downMs, dyingAt: point });
    if (point === null) this.kill(index);
  }

  /** Stops a worker until a time. */
  suspend(index: number, untilMs: number): void {
    const worker = this.workers[index];
    if (worker) worker.process.stoppedUntilMs = untilMs;
  }

  recover(): void {
    for (const worker of this.workers) {
      worker.process.stoppedUntilMs = 0;
      worker.dyingAt = null;
    }
  }

  /** Ends all, for good. */
  end(): void {
    for (const { process } of this.workers) process.isDead = true;
  }

  /** Notifies the workers of a wallet's work. Some notifications are lost. */
  announce = (wallet: Hex): void => {
    const { scheduler } = this.options;
    if (scheduler.random.chance(0.1)) return;
    for (const done of this.waits.get(workKey(CHAIN_ID, wallet)) ?? []) scheduler.after(1, null, done);
  };

  private kill(index: number): void {
    const { scheduler, database } = this.options;
    const worker = this.workers[index];
    if (!worker || worker.process.isDead) return;
    worker.process.isDead = true;
    scheduler.tell(() => `${worker.process.name} dies${worker.dyingAt ? ` at ${worker.dyingAt}` : ""}`);
    database.disconnect(worker.process);
    scheduler.after(worker.downMs, null, () => this.start(index));
  }

  /** Faults explain some errors; any other is one of the sender. */
  private logOf({ name }: Process): Logger {
    const { scheduler, onError, hasLostCommits } = this.options;
    const ignore = (): void => undefined;
    const error = ({ err }: { err?: unknown }): void => {
      const isRefused = err instanceof ConstraintViolated && hasLostCommits();
      if (!isOfFault(err) && !isRefused) onError(err instanceof Error ? `${err.stack}` : String(err));
      scheduler.tell(() => `${name}: a cycle fails: ${err instanceof Error ? err.message : err}`);
    };
    return { debug: ignore, info: ignore, warn: ignore, error } as unknown as Logger;
  }

  private notificationsFor(process: Process): Notifications {
    const { scheduler } = this.options;
    return {
      wait: (key, ms) =>
        new Promise((resolve) => {
          const waits = this.waits.get(key) ?? new Set();
          this.waits.set(key, waits);
          const done = (): void => {
            waits.delete(done);
            cancel();
            resolve();
          };
          const cancel = scheduler.after(ms, process, done);
          waits.add(done);
        }),
      close: () => Promise.resolve(),
    };
  }
}

const isOfFault = (error: unknown): boolean =>
  error instanceof NodeUnreachable ||
  error instanceof NodeRefused ||
  error instanceof CommitUnknown ||
  (error instanceof Error && /connection terminated|statement timeout/.test(error.message));
