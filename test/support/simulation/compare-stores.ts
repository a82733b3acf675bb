import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type pg from "pg";
import { type Hex, keccak256, numberToHex } from "viem";
import type { Caller } from "../../../src/auth/caller.ts";
import type { SendState } from "../../../src/sending/outbox/rows.ts";
import { LeaseLost } from "../../../src/sending/sender/lease.ts";
import { createSqlStore, type SenderStore, type SenderTx } from "../../../src/sending/sender/sender-store.ts";
import type { NewAttempt } from "../../../src/sending/sender/sign-store.ts";
import type { Attempt } from "../../../src/sending/sender/store.ts";
import type { Wallet } from "../../../src/sending/sender/wallet.ts";
import { type SeededRandom, seededRandom } from "../assert/seeded-random.ts";
import { present } from "../assert/until.ts";
import { createApiKey, setPolicy } from "../db/builders/keys.ts";
import { createDelegations, createSends, createWallet } from "../db/builders/sends.ts";
import { bindKey } from "../sender/enables.ts";
import { UNSENT } from "../sender/unsent.ts";
import { MemoryDatabase, type RequestRow, type Transaction } from "./database.ts";
import { createMemoryStore, newWallet } from "./memory-store.ts";
import { Scheduler } from "./scheduler.ts";

/** Differences of the two stores. */
interface Difference {
  /** Number of the operation. */
  at: number;
  operation: string;
  postgres: unknown;
  memory: unknown;
}

interface Comparison {
  operations: number;
  /** The first one, or null. */
  difference: Difference | null;
}

const USERS = 3;
const OWNERS = ["first", "second"];
const ENDED: readonly SendState[] = ["final", "failed", "canceled"];

/** Runs the same random operations on PostgreSQL and in memory, and compares every answer and the rows that are left. */
export async function compareStores(pool: pg.Pool, seed: number, count: number): Promise<Comparison> {
  const pair = await Pair.create(pool, seed);
  for (let at = 1; at <= count; at++) {
    const difference = await pair.step();
    if (difference) return { operations: at, difference: { at, ...difference } };
  }
  return { operations: count, difference: null };
}

type Found = Omit<Difference, "at"> | null;

/** Answers of a store, without what differs between any two databases. */
type Answer = { value: unknown } | { error: string };

class Pair {
  private readonly random: SeededRandom;
  private readonly scheduler: Scheduler;
  private readonly database: MemoryDatabase;
  private readonly pool: pg.Pool;
  private readonly sql: SenderStore;
  private readonly memory: SenderStore;
  private readonly address: Hex;
  private readonly callers: Caller[] = [];
  private readonly users: Hex[] = [];
  private readonly ids: string[] = [];
  private lease = { owner: "first", epoch: 0n };
  private readonly enableNonces: number[] = [];
  private count = 0;

  private constructor(pool: pg.Pool, seed: number) {
    this.pool = pool;
    this.random = seededRandom(seed);
    this.scheduler = new Scheduler(seed);
    this.database = new MemoryDatabase(this.scheduler);
    this.sql = createSqlStore(pool);
    this.memory = createMemoryStore(this.database, null);
    this.address = randomAddress();
  }

  static async create(pool: pg.Pool, seed: number): Promise<Pair> {
    const pair = new Pair(pool, seed);
    await pair.seed();
    return pair;
  }

  async step(): Promise<Found> {
    const { random } = this;
    const choices: [number, () => Promise<Found>][] = [
      [4, () => this.insert()],
      [2, () => this.operate()],
      [1, () => this.takeLease()],
      [1, () => this.leaseAgain()],
      [5, () => this.read()],
      [5, () => this.sign()],
      [5, () => this.finish()],
      [16, () => this.follow()],
      [1, () => this.compareRows()],
    ];
    const total = choices.reduce((sum, [weight]) => sum + weight, 0);
    let left = random.below(total);
    for (const [weight, run] of choices) {
      left -= weight;
      if (left < 0) return (await run()) ?? (random.chance(0.2) ? this.compareRows() : null);
    }
    return null;
  }

  private async seed(): Promise<void> {
    const { pool, database, address } = this;
    await pool.query("DELETE FROM app.sending_halt");
    await createWallet(pool, address, { nextNonce: 3 });
    const setup = database.begin(null);
    setup.put("wallets", address, { ...newWallet(address), nextNonce: 3n });
    for (let index = 0; index < USERS; index++) {
      const user = randomAddress();
      const caller = await createApiKey(pool);
      await bindKey(pool, caller.keyId, user);
      await createDelegations(pool, caller, address, user);
      setup.put("keys", caller.keyId, {
        keyId: caller.keyId,
        user,
        isWritable: true,
        isRevoked: false,
        policy: null,
      });
      setup.put("delegations", user, { user, delegatee: address, blocked: false, epoch: 0 });
      this.callers.push(caller);
      this.users.push(user);
    }
    database.applyNow(setup);
    for (let index = 0; index < USERS; index++) await this.insertEnable(index, "final");
    await this.takeLease();
  }

  // --- What other programs write ---

  private async insert(): Promise<null> {
    const { random } = this;
    const user = random.below(USERS);
    if (random.chance(0.1)) await this.insertEnable(user, random.of(["accepted", "final"]));
    else {
      await this.insertRequest(user, {
        operation: random.of(["orders/send", "orders/send", "orders/cancel", "1ct/disable"]),
        gasLimit: BigInt(random.of([50_000, 100_000, 200_000])),
        deadline: random.chance(0.5) ? BigInt(random.below(100)) : null,
        notional: random.chance(0.7) ? BigInt(random.below(1_000)) : null,
      });
    }
    return null;
  }

  private insertEnable(user: number, state: "accepted" | "final"): Promise<void> {
    // A nonce that is left out was spent by a delegation elsewhere.
    const nonce = (this.enableNonces[user] ?? -1) + (this.random.chance(0.8) ? 1 : 2);
    this.enableNonces[user] = nonce;
    const ended = { state, nonce: 0n, outcome: "confirmed", minedSuccess: true } as const;
    return this.insertRequest(user, {
      operation: "1ct/enable",
      operationKey: `enable:${this.users[user]}:${nonce}`,
      delegationEpoch: this.database.get("delegations", present(this.users[user], "a user"))?.epoch ?? 0,
      ...(state === "final" ? { ...ended, wallet: randomAddress() } : {}),
    });
  }

  private async insertRequest(user: number, more: Partial<RequestRow>): Promise<void> {
    const caller = present(this.callers[user], "a caller");
    const address = present(this.users[user], "a user");
    const row: RequestRow = {
      ...EMPTY,
      requestId: randomUUID(),
      keyId: caller.keyId,
      user: address,
      wallet: this.address,
      to: this.address,
      acceptedAtMs: this.scheduler.nowMs,
      sequence: ++this.count,
      ...more,
    };
    if (row.wallet !== this.address)
      await createWallet(this.pool, row.wallet, { state: "halted", assignable: false });
    await createSends(this.pool, caller, {
      requestId: row.requestId,
      operation: row.operation,
      userAddress: row.user,
      wallet: row.wallet,
      toAddress: row.to,
      callData: Buffer.of(),
      gasLimit: row.gasLimit,
      deadline: row.deadline,
      notional: row.notional?.toString() ?? null,
      operationKey: row.operationKey,
      delegationEpoch: row.delegationEpoch,
      state: row.state,
      nonce: row.nonce,
      outcome: row.outcome,
      minedSuccess: row.minedSuccess,
    });
    this.write((transaction) => transaction.put("requests", row.requestId, row));
    if (row.wallet === this.address) this.ids.push(row.requestId);
  }

  /** Changes what users and operators change. */
  private async operate(): Promise<null> {
    const { random, pool, database } = this;
    const index = random.below(USERS);
    const { keyId } = present(this.callers[index], "a caller");
    const user = present(this.users[index], "a user");
    const chance = random.below(6);
    if (chance === 0) {
      const blocked = random.chance(0.3);
      await pool.query("UPDATE app.delegation SET blocked = $2, epoch = epoch + 1 WHERE user_address = $1", [
        user,
        blocked,
      ]);
      this.write((tx) =>
        tx.update("delegations", user, {
          blocked,
          epoch: (database.get("delegations", user)?.epoch ?? 0) + 1,
        }),
      );
    } else if (chance === 1) {
      const isRevoked = random.chance(0.2);
      const isWritable = random.chance(0.9);
      const statement = `UPDATE app.api_key SET active = NOT $2, revoked_at = CASE WHEN $2 THEN now() END,
        access = CASE WHEN $3 THEN 'WRITABLE' ELSE 'READ_ONLY' END::app.access WHERE key_id = $1`;
      await pool.query(statement, [keyId, isRevoked, isWritable]);
      this.write((tx) => tx.update("keys", keyId, { isRevoked, isWritable }));
    } else if (chance === 2) {
      const assignable = random.chance(0.8);
      await pool.query("UPDATE app.delegatee_wallet SET assignable = $2 WHERE address = $1", [
        this.address,
        assignable,
      ]);
      this.write((tx) => tx.update("wallets", this.address, { assignable }));
    } else if (chance === 3) await this.halt(random.chance(0.5));
    else await this.limit(keyId);
    return null;
  }

  private async halt(isHalted: boolean): Promise<void> {
    const statement = isHalted
      ? "INSERT INTO app.sending_halt (chain_id, actor) VALUES (31337, 'test') ON CONFLICT DO NOTHING"
      : "DELETE FROM app.sending_halt WHERE chain_id = 31337";
    await this.pool.query(statement);
    this.write((tx) => tx.put("halts", "halt", isHalted ? { isHalted } : undefined));
  }

  private async limit(keyId: string): Promise<void> {
    const { random } = this;
    const policy = {
      dailyNotionalCap: random.chance(0.5) ? BigInt(random.below(3_000)) : null,
      allowedSymbols: random.chance(0.3) ? ["AAPL"] : [],
      allowedOperations: random.chance(0.2) ? ["orders/send"] : [],
      killed: random.chance(0.1),
    };
    await setPolicy(this.pool, { keyId }, policy);
    this.write((tx) => tx.update("keys", keyId, { policy: { ...policy, expiresAtMs: null } }));
  }

  private write(work: (transaction: Transaction) => void): void {
    const transaction = this.database.begin(null);
    work(transaction);
    this.database.applyNow(transaction);
  }

  // --- What a worker does ---

  private get wallet(): Wallet {
    const { random, lease } = this;
    const isOther = random.chance(0.05);
    const epoch = isOther ? lease.epoch + 1n : lease.epoch;
    return {
      ...lease,
      epoch,
      nodes: { chainId: 31337 },
      signer: { address: this.address },
    } as unknown as Wallet;
  }

  private async takeLease(): Promise<Found> {
    const owner = this.random.of(OWNERS);
    const ms = this.random.chance(0.7) ? 3_600_000 : -1_000;
    const found = await this.both("takeLease", async (store) => {
      const epoch = await store.takeLease(31337, this.address, owner, ms);
      if (store === this.sql && epoch !== null) this.lease = { owner, epoch };
      return epoch;
    });
    return found;
  }

  private leaseAgain(): Promise<Found> {
    const { wallet } = this;
    if (this.random.chance(0.3)) return this.both("releaseLease", (store) => store.releaseLease(wallet));
    return this.both("renewLease", (store) => store.renewLease(wallet, 3_600_000));
  }

  private read(): Promise<Found> {
    const { random, wallet } = this;
    const gas = BigInt(random.of([0, 60_000, 150_000, 1_000_000]));
    const limit = 1 + random.below(6);
    const states = (["signed", "broadcast", "mined"] as const).filter(() => random.chance(0.6));
    const except = random.some(this.ids, 3);
    const turns = this.callers.map(({ keyId }) => keyId).filter(() => random.chance(0.5));
    const nonce = BigInt(random.below(20));
    const reads: [string, (store: SenderStore) => Promise<unknown>][] = [
      ["readWallet", (store) => store.readWallet(wallet)],
      ["recordObservation", (store) => store.recordObservation({ wallet, balance: 1n, accountNonce: 1n })],
      ["readTracked", (store) => store.readTracked(wallet, states)],
      ["loadAttempts", (store) => this.loadAll(store, wallet)],
      ["readCandidates", (store) => store.readCandidates(wallet, gas % 97n, limit)],
      ["nextAccepted", (store) => store.nextAccepted(wallet, gas, except, turns, limit)],
      ["findAbove", (store) => store.findAbove(wallet, gas)],
      ["findOwner", (store) => store.findOwner(wallet, nonce)],
    ];
    const [name, run] = random.of(reads);
    return this.both(name, run);
  }

  private async loadAll(store: SenderStore, wallet: Wallet): Promise<unknown> {
    const { mined } = await store.readTracked(wallet, ["mined"]);
    for (const request of mined) await store.loadAttempts(request);
    return mined;
  }

  /** Signs waiting requests, or ends them, as a worker's transaction does. */
  private sign(): Promise<Found> {
    const { random, wallet } = this;
    const chosen = random.some(this.ids, 5).filter((id, index, all) => all.indexOf(id) === index);
    const keyIds = this.callers.map(({ keyId }) => keyId).filter(() => random.chance(0.5));
    const isKept = random.chance(0.9);
    const ends = chosen.filter(() => random.chance(0.1));
    const notional = random.chance(0.5) ? BigInt(random.below(500)) : null;
    return this.both("sign", (store) =>
      store.underLease(wallet, async (tx, row) => {
        const isHalted = await tx.isHalted(31337);
        await tx.lockDelegations(
          this.users.map((user) => ({ chainId: 31337, productType: "Sandbox", user })),
        );
        const standings = await tx.lockAccepted(chosen);
        const spent = await tx.lockSignedToday(keyIds);
        for (const id of ends)
          if (standings.has(id))
            await tx.endRequest(id, { state: "failed", errCode: "INTERNAL", reason: "test" });
        const signed = chosen.filter((id) => standings.has(id) && !ends.includes(id));
        const numbered = signed.map((requestId, index) => ({
          requestId,
          nonce: (row.nextNonce ?? 0n) + BigInt(index),
        }));
        if (numbered.length > 0)
          await tx.reserveNonces(
            wallet,
            numbered,
            { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n },
            numbered.map(() => notional),
          );
        if (!isKept) throw new LeaseLost("rolled back");
        return { row, isHalted, standings: inOrder(standings), spent: inOrder(spent) };
      }),
    );
  }

  /** Stores what was signed for reserved nonces, or for nonces that are not reserved any more. */
  private finish(): Promise<Found> {
    const { random, wallet } = this;
    const rows = this.ids.flatMap((id) => this.database.get("requests", id) ?? []);
    const numbered = rows.flatMap(({ requestId, nonce, state }) =>
      nonce === null || ENDED.includes(state) ? [] : [{ requestId, nonce, state }],
    );
    const some = numbered.filter(({ state }) => random.chance(state === "reserved" ? 0.7 : 0.1));
    const fills = some.filter(() => random.chance(0.2));
    const unique = ++this.count;
    return this.both("finish", (store) =>
      store.underLease(wallet, async (tx) => {
        const standings = await tx.lockReserved(some.map(({ requestId }) => requestId));
        for (const { requestId } of fills)
          if (standings.has(requestId)) await tx.storeFillReason(requestId, "POLICY_REFUSED");
        const attempts = some.map((one, index) => ({
          ...attemptOf(one.requestId, one.nonce, `${unique}/${index}`),
          kind: fills.includes(one) ? ("filler" as const) : ("call" as const),
        }));
        const stored = attempts.length > 0 ? await tx.storeSigned(wallet, attempts) : [];
        return { standings: inOrder(standings), stored: byHash(stored) };
      }),
    );
  }

  /** Follows what is signed: any request, in whatever state it is. */
  private follow(): Promise<Found> {
    const { random, wallet, database } = this;
    const rows = this.ids.flatMap((id) => database.get("requests", id) ?? []);
    const signed = rows.filter(({ nonce, state }) => nonce !== null && !ENDED.includes(state));
    const some = random.some(signed, 4).filter((row, index, all) => all.indexOf(row) === index);
    const ids = some.map(({ requestId }) => requestId);
    const filler = random.chance(0.3);
    const block = BigInt(random.below(1_000));
    const success = random.chance(0.7);
    const atMs = 1_800_000_000_000 + random.below(1_000_000);
    const user = random.of(this.users);
    const unique = ++this.count;
    const mined = ids.map((requestId) => ({
      requestId,
      block,
      blockHash: numberToHex(block, { size: 32 }),
      success,
      filler,
      errCode: success ? null : "CHAIN_REVERT",
      revert: success ? null : random.of(["NotDelegatee", "Other"]),
    }));
    const answers = some.map(() => random.of(["taken", "refused", "unknown", "later"]));
    const isFresh = random.chance(0.5);
    const steps: [string, (tx: SenderTx, store: SenderStore) => Promise<unknown>][] = [
      ["initializeNonce", (tx) => tx.initializeNonce(wallet, 9n)],
      [
        "pointTo",
        (tx) => tx.pointTo(ids.map((requestId) => ({ requestId, hash: keccak256(numberToHex(unique)) }))),
      ],
      ["makeAllDue", (tx) => tx.makeAllDue(ids)],
      ["storeFillReason", async (tx) => ids[0] && tx.storeFillReason(ids[0], "OUT_OF_GAS")],
      ["storeMinedRows", (tx) => tx.storeMinedRows(mined)],
      ["storeMinedRows", (tx) => tx.storeMinedRows(mined)],
      ["storeReorgedRows", (tx) => tx.storeReorgedRows(ids)],
      ["storeFinalRows", (tx) => tx.storeFinalRows(ids)],
      [
        "endFilled",
        async (tx) =>
          ids[0] && tx.endFilled(ids[0], { state: "canceled", errCode: "DEADLINE_EXPIRED", reason: "test" }),
      ],
      [
        "unblockDelegation",
        (tx) => tx.unblockDelegation({ chainId: 31337, productType: "Sandbox", user }, 1),
      ],
      ["addAttempt", (tx) => this.addAttempt(tx, wallet, some, `${unique}`)],
      ["storeResults", (tx, store) => this.storeResults(tx, store, wallet, { answers, isFresh, atMs })],
      ["storeResults", (tx, store) => this.storeResults(tx, store, wallet, { answers, isFresh, atMs })],
      ["setWalletState", async () => undefined],
    ];
    const [name, run] = random.of(steps);
    if (name === "setWalletState") {
      const state = random.of(["active", "paused", "halted"] as const);
      return this.both(name, (store) => store.setWalletState(wallet, state, state));
    }
    return this.both(name, (store) => store.underLease(wallet, (tx) => run(tx, store)));
  }

  private async addAttempt(
    tx: SenderTx,
    wallet: Wallet,
    some: readonly RequestRow[],
    unique: string,
  ): Promise<unknown> {
    const [first] = some;
    if (!first || first.nonce === null) return null;
    return tx.insertAttempts(wallet, [
      { ...attemptOf(first.requestId, first.nonce, unique), kind: "filler" },
    ]);
  }

  private async storeResults(
    tx: SenderTx,
    store: SenderStore,
    wallet: Wallet,
    { answers, isFresh, atMs }: { answers: readonly string[]; isFresh: boolean; atMs: number },
  ): Promise<void> {
    const { unmined } = await store.readTracked(wallet, ["signed", "broadcast"]);
    const outcomes = answers.flatMap((answer, index) => {
      const attempt = unmined[index]?.attempts.at(-1);
      return attempt
        ? [{ attemptId: attempt.attemptId, answer, isFresh, isBroadcast: answer !== "later" }]
        : [];
    });
    if (outcomes.length > 0) await tx.storeResults(outcomes, atMs);
  }

  private compareRows(): Promise<Found> {
    const held = {
      ...this.lease,
      nodes: { chainId: 31337 },
      signer: { address: this.address },
    } as unknown as Wallet;
    return this.both("all rows", async (store) => ({
      tracked: await store.readTracked(held),
      accepted: await store.nextAccepted(held, 2n ** 60n, [], [], 100),
    }));
  }

  private async both(operation: string, run: (store: SenderStore) => Promise<unknown>): Promise<Found> {
    const postgres = await answerOf(run(this.sql));
    const memory = await this.settle(answerOf(run(this.memory)));
    return isDeepStrictEqual(postgres, memory) ? null : { operation, postgres, memory };
  }

  /** Lets simulated time pass until something is done. */
  private async settle<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    await new Promise(setImmediate);
    while (!isDone && (await this.scheduler.step()));
    return done;
  }
}

const EMPTY: Omit<
  RequestRow,
  "requestId" | "keyId" | "user" | "wallet" | "to" | "acceptedAtMs" | "sequence"
> = {
  chainId: 31337,
  productType: "Sandbox",
  operation: "orders/send",
  data: "0x",
  gasLimit: 100_000n,
  deadline: null,
  notional: null,
  inputHash: "",
  ...UNSENT,
  operationKey: null,
  signedNotional: null,
  signedAtMs: null,
};

const randomAddress = (): Hex => `0x${randomUUID().replaceAll("-", "").padEnd(40, "0")}`;

function attemptOf(requestId: string, nonce: bigint, unique: string): NewAttempt {
  const bytes: Hex = `0x${Buffer.from(`${requestId}/${nonce}/${unique}`).toString("hex")}`;
  const fees = { gasLimit: 100_000n, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n };
  return { ...fees, requestId, nonce, kind: "call", bytes, hash: keccak256(bytes) };
}

const byHash = (attempts: readonly Attempt[]): Attempt[] =>
  attempts.toSorted((a, b) => a.hash.localeCompare(b.hash));

const inOrder = <T>(map: ReadonlyMap<string, T>): [string, T][] =>
  [...map].sort(([a], [b]) => a.localeCompare(b));

async function answerOf(work: Promise<unknown>): Promise<Answer> {
  try {
    return { value: plain(await work) };
  } catch (error) {
    return { error: error instanceof LeaseLost ? "LeaseLost" : "refused" };
  }
}

/** Takes out ids that a sequence gave, and times of the database's own clock. */
function plain(value: unknown): unknown {
  if (value instanceof Map) return inOrder(value).map(plain);
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(value).filter(([name]) => name !== "attemptId" && name !== "acceptedAtMs");
  return Object.fromEntries(kept.map(([name, each]) => [name, plain(each)]));
}
