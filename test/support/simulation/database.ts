import type { Hex } from "viem";
import { CommitUnknown } from "../../../src/db/transaction.ts";
import type { KeyPolicy } from "../../../src/sending/outbox/policy-store.ts";
import type { SendRow } from "../../../src/sending/outbox/rows.ts";
import type { WalletRow } from "../../../src/sending/sender/lease.ts";
import type { Attempt } from "../../../src/sending/sender/store.ts";
import type { Process, Scheduler } from "./scheduler.ts";

/** Rows are replaced, never changed. */
export interface RequestRow extends Readonly<SendRow> {
  readonly sequence: number;
  readonly operationKey: string | null;
  readonly signedNotional: bigint | null;
  readonly signedAtMs: number | null;
}

export interface AttemptRow extends Readonly<Attempt> {
  readonly requestId: string;
  readonly wallet: Hex;
  readonly nonce: bigint;
}

export interface WalletRecord extends Readonly<WalletRow> {
  readonly address: Hex;
  readonly assignable: boolean;
  readonly leaseOwner: string | null;
  readonly leaseEpoch: bigint;
  readonly leaseUntilMs: number | null;
}

export interface DelegationRecord {
  readonly user: Hex;
  readonly delegatee: Hex;
  readonly blocked: boolean;
  readonly epoch: number;
}

export interface KeyRecord {
  readonly keyId: string;
  readonly user: Hex | null;
  readonly isWritable: boolean;
  readonly isRevoked: boolean;
  readonly policy: (KeyPolicy & { readonly killed: boolean }) | null;
}

export interface SignedTotal {
  readonly day: number;
  readonly total: bigint;
}

/** Tables of one chain and one product, by their keys. */
export interface Tables {
  requests: RequestRow;
  /** By hash. */
  attempts: AttemptRow;
  wallets: WalletRecord;
  delegations: DelegationRecord;
  keys: KeyRecord;
  totals: SignedTotal;
  /** One row, "halt", while the chain is halted. */
  halts: { readonly isHalted: true };
}

export type Table = keyof Tables;

export interface Change<T extends Table = Table> {
  table: T;
  key: string;
  before: Tables[T] | undefined;
  /** Undefined: deleted. */
  after: Tables[T] | undefined;
}

/** Sees every commit. */
export interface CommitObserver {
  committed(changes: readonly Change[], process: Process | null): void;
}

/** A lock that a statement waits for. */
export interface Wish {
  key: string;
  isShared?: boolean;
}

interface Lock {
  holders: Map<Transaction, boolean>;
  waiting: { transaction: Transaction; isShared: boolean; granted: () => void }[];
}

/** Faults of the database, all of which end. */
export interface DatabaseFaults {
  downUntilMs: number;
  /** Probability by which a statement, or a COMMIT, loses its connection, until a time. */
  cut: number;
  cutUntilMs: number;
  /** More time that a statement takes, up to so many ms, until a time. */
  slowMs: number;
  slowUntilMs: number;
}

class ConnectionCut extends Error {}

/** Milliseconds that a statement waits for a lock at most, as in src/db/client.ts. */
const STATEMENT_TIMEOUT_MS = 10_000;

/** A transaction at READ COMMITTED: it sees what is committed, and its own writes. */
export class Transaction {
  readonly writes = new Map<string, Change>();
  readonly locks = new Set<string>();
  isOver = false;
  isCommitting = false;
  readonly process: Process | null;
  private readonly database: MemoryDatabase;

  constructor(database: MemoryDatabase, process: Process | null) {
    this.database = database;
    this.process = process;
  }

  get<T extends Table>(table: T, key: string): Tables[T] | undefined {
    const written = this.writes.get(`${table}/${key}`);
    return written ? (written.after as Tables[T] | undefined) : this.database.get(table, key);
  }

  put<T extends Table>(table: T, key: string, after: Tables[T] | undefined): void {
    const before = this.database.get(table, key);
    this.writes.set(`${table}/${key}`, { table, key, before, after });
  }

  /** Changes some columns of a row, which must be there. */
  update<T extends Table>(table: T, key: string, columns: Partial<Tables[T]>): void {
    const row = this.get(table, key);
    if (!row) throw new Error(`no row ${key} in ${table}`);
    this.put(table, key, { ...row, ...columns });
  }
}

/** PostgreSQL in memory, as far as the sender relies on it: transactions, row locks, lost connections, lost commits. */
export class MemoryDatabase {
  private readonly faults: DatabaseFaults = {
    downUntilMs: 0,
    cut: 0,
    cutUntilMs: 0,
    slowMs: 0,
    slowUntilMs: 0,
  };
  /** Requests of each wallet that are not ended, and of each key. */
  readonly openOf = new Map<Hex, Set<string>>();
  readonly ofKey = new Map<string, Set<string>>();
  readonly attemptsOf = new Map<string, string[]>();
  readonly enables = new Set<string>();
  /** Sees every commit. */
  observer: CommitObserver = { committed: () => undefined };
  /** Told where two transactions wait for each other. */
  onDeadlock: (names: string) => void = () => undefined;
  private readonly tables: { [T in Table]: Map<string, Tables[T]> } = {
    requests: new Map(),
    attempts: new Map(),
    wallets: new Map(),
    delegations: new Map(),
    keys: new Map(),
    totals: new Map(),
    halts: new Map(),
  };
  private readonly locks = new Map<string, Lock>();
  private readonly open = new Set<Transaction>();
  /** The latest commits, the newest last: a failover may lose them. */
  private readonly journal: (readonly Change[])[] = [];
  hasLostCommits = false;
  private sequence = 0;
  readonly scheduler: Scheduler;

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler;
  }

  get<T extends Table>(table: T, key: string): Tables[T] | undefined {
    return this.tables[table].get(key);
  }

  all<T extends Table>(table: T): Iterable<Tables[T]> {
    return this.tables[table].values();
  }

  /** Never repeats, also where a transaction is rolled back. */
  next(): number {
    return ++this.sequence;
  }

  begin(process: Process | null): Transaction {
    const transaction = new Transaction(this, process);
    this.open.add(transaction);
    return transaction;
  }

  /**
   * Runs one statement of a transaction in an event of its own.
   * @param locks the locks that it takes first, in their order, from the rows as they are when it begins
   */
  statement<T>(transaction: Transaction, locks: () => readonly Wish[], work: () => T): Promise<T> {
    const { scheduler } = this;
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => {
        this.rollback(transaction);
        reject(error);
      };
      scheduler.after(this.latencyMs(), transaction.process, () => {
        if (transaction.isOver || this.isCut()) return fail(new ConnectionCut("connection terminated"));
        let wishes: readonly Wish[];
        try {
          wishes = locks();
        } catch (error) {
          return fail(error);
        }
        const run = (): void => {
          try {
            if (transaction.isOver) throw new ConnectionCut("connection terminated");
            resolve(work());
          } catch (error) {
            fail(error);
          }
        };
        this.acquire(transaction, wishes, 0, run, fail);
      });
    });
  }

  /** Commits in an event of its own. @throws CommitUnknown where the connection is lost before its answer */
  commit(transaction: Transaction): Promise<void> {
    transaction.isCommitting = true;
    return new Promise((resolve, reject) => {
      this.scheduler.after(this.latencyMs(), transaction.process, () => {
        const isLost = transaction.isOver || this.isCut();
        if (!isLost || this.scheduler.random.chance(0.5)) this.apply(transaction);
        else this.rollback(transaction);
        if (isLost) reject(new CommitUnknown(new ConnectionCut("connection terminated")));
        else resolve();
      });
    });
  }

  /** Runs a statement that is a transaction of its own. */
  async autocommit<T>(
    process: Process | null,
    locks: () => readonly Wish[],
    work: (transaction: Transaction) => T,
  ): Promise<T> {
    const transaction = this.begin(process);
    return this.statement(transaction, locks, () => {
      const result = work(transaction);
      this.apply(transaction);
      return result;
    });
  }

  /** Commits at once what no failover loses. */
  applyNow(transaction: Transaction): void {
    this.apply(transaction);
    this.journal.length = 0;
  }

  isLocked(key: string): boolean {
    return (this.locks.get(key)?.holders.size ?? 0) > 0;
  }

  /** Ends the connections of a process that died. A COMMIT that it had sent may still take effect. */
  disconnect(process: Process): void {
    for (const transaction of [...this.open].filter((one) => one.process === process)) {
      if (transaction.isCommitting && this.scheduler.random.chance(0.5)) this.apply(transaction);
      else this.rollback(transaction);
    }
  }

  /** Begins a fault that lasts until a time. */
  fail(fault: "down" | "cut" | "slow", untilMs: number): void {
    if (fault === "down") {
      this.faults.downUntilMs = untilMs;
      this.endConnections();
    } else if (fault === "cut") Object.assign(this.faults, { cut: 0.15, cutUntilMs: untilMs });
    else Object.assign(this.faults, { slowMs: 3_000, slowUntilMs: untilMs });
  }

  /** Ends all faults. */
  recover(): void {
    Object.assign(this.faults, { downUntilMs: 0, cutUntilMs: 0, slowUntilMs: 0 });
  }

  private endConnections(): void {
    for (const transaction of [...this.open]) this.rollback(transaction);
  }

  /** Loses the latest commits, as the promotion of a standby that lacks them. @returns what was lost, the newest first */
  loseCommits(count: number): (readonly Change[])[] {
    this.hasLostCommits = true;
    this.endConnections();
    const lost = this.journal.splice(-count).reverse();
    for (const changes of lost)
      for (const { table, key, before } of [...changes].reverse()) this.set(table, key, before);
    return lost;
  }

  private latencyMs(): number {
    const { random, nowMs } = this.scheduler;
    const slow = this.faults.slowUntilMs > nowMs ? random.below(this.faults.slowMs) : 0;
    return 1 + random.below(4) + slow;
  }

  private isCut(): boolean {
    const { downUntilMs, cut, cutUntilMs } = this.faults;
    const { nowMs, random } = this.scheduler;
    return downUntilMs > nowMs || (cutUntilMs > nowMs && random.chance(cut));
  }

  private acquire(
    transaction: Transaction,
    wishes: readonly Wish[],
    index: number,
    run: () => void,
    fail: (error: unknown) => void,
  ): void {
    const wish = wishes[index];
    if (!wish) {
      run();
      return;
    }
    const isShared = wish.isShared ?? false;
    const lock: Lock = this.locks.get(wish.key) ?? { holders: new Map(), waiting: [] };
    this.locks.set(wish.key, lock);
    const next = (): void => this.acquire(transaction, wishes, index + 1, run, fail);
    if ((lock.waiting.length === 0 || lock.holders.has(transaction)) && isFree(lock, transaction, isShared)) {
      hold(lock, transaction, wish.key, isShared);
      next();
      return;
    }
    let isDone = false;
    const entry = {
      transaction,
      isShared,
      granted: () => {
        isDone = true;
        this.scheduler.after(1, transaction.process, next);
      },
    };
    lock.waiting.push(entry);
    if (this.isCircle(transaction, new Set())) this.onDeadlock(wish.key);
    this.scheduler.after(STATEMENT_TIMEOUT_MS, transaction.process, () => {
      if (isDone || transaction.isOver) return;
      lock.waiting = lock.waiting.filter((other) => other !== entry);
      fail(new Error("canceling statement due to statement timeout"));
    });
  }

  private isCircle(from: Transaction, seen: Set<Transaction>): boolean {
    for (const lock of this.locks.values()) {
      if (!lock.waiting.some(({ transaction }) => transaction === from)) continue;
      for (const holder of lock.holders.keys()) {
        if (holder === from) continue;
        if (seen.has(holder)) return true;
        if (this.isCircle(holder, new Set([...seen, from]))) return true;
      }
    }
    return false;
  }

  private release(transaction: Transaction): void {
    for (const lock of this.locks.values())
      lock.waiting = lock.waiting.filter((entry) => entry.transaction !== transaction);
    for (const key of transaction.locks) {
      const lock = this.locks.get(key);
      if (!lock) continue;
      lock.holders.delete(transaction);
      for (let entry = lock.waiting[0]; entry; entry = lock.waiting[0]) {
        if (!isFree(lock, entry.transaction, entry.isShared)) break;
        lock.waiting.shift();
        hold(lock, entry.transaction, key, entry.isShared);
        entry.granted();
      }
      if (lock.holders.size === 0 && lock.waiting.length === 0) this.locks.delete(key);
    }
  }

  rollback(transaction: Transaction): void {
    if (transaction.isOver) return;
    transaction.isOver = true;
    this.open.delete(transaction);
    this.release(transaction);
  }

  private apply(transaction: Transaction): void {
    if (transaction.isOver) return;
    const changes = [...transaction.writes.values()].map((change) => ({
      ...change,
      before: this.get(change.table, change.key),
    }));
    for (const { table, key, after } of changes) this.set(table, key, after);
    transaction.isOver = true;
    this.open.delete(transaction);
    if (changes.length > 0) {
      this.journal.push(changes);
      if (this.journal.length > 50) this.journal.shift();
      this.observer.committed(changes, transaction.process);
    }
    this.release(transaction);
  }

  private set<T extends Table>(table: T, key: string, row: Tables[T] | undefined): void {
    const known = this.tables[table].get(key);
    if (row === undefined) this.tables[table].delete(key);
    else this.tables[table].set(key, row);
    if (table === "requests") this.indexRequest(key, (row ?? known) as RequestRow, row === undefined);
    if (table === "attempts") this.indexAttempt(key, (row ?? known) as AttemptRow, row === undefined);
  }

  private indexRequest(key: string, { wallet, keyId, state, operation }: RequestRow, isGone: boolean): void {
    const isOpen = !isGone && !ENDED.has(state);
    indexed(this.openOf, wallet, key, isOpen);
    indexed(this.ofKey, keyId, key, !isGone);
    if (operation === "1ct/enable" && !isGone) this.enables.add(key);
    else this.enables.delete(key);
  }

  private indexAttempt(key: string, { requestId }: AttemptRow, isGone: boolean): void {
    const hashes = this.attemptsOf.get(requestId) ?? [];
    if (isGone)
      this.attemptsOf.set(
        requestId,
        hashes.filter((hash) => hash !== key),
      );
    else if (!hashes.includes(key)) this.attemptsOf.set(requestId, [...hashes, key]);
  }
}

/** States that no program changes. */
export const ENDED: ReadonlySet<string> = new Set(["final", "failed", "canceled"]);

function indexed<K>(index: Map<K, Set<string>>, at: K, key: string, isIn: boolean): void {
  const keys = index.get(at) ?? new Set();
  index.set(at, keys);
  if (isIn) keys.add(key);
  else keys.delete(key);
}

function isFree(lock: Lock, transaction: Transaction, isShared: boolean): boolean {
  for (const [holder, held] of lock.holders) if (holder !== transaction && !(isShared && held)) return false;
  return true;
}

function hold(lock: Lock, transaction: Transaction, key: string, isShared: boolean): void {
  const held = lock.holders.get(transaction);
  lock.holders.set(transaction, held === undefined ? isShared : held && isShared);
  transaction.locks.add(key);
}
