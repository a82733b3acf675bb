import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import { pino } from "pino";
import type { Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { OutboxDeps } from "../../src/sending/outbox/deps.ts";
import { findById } from "../../src/sending/outbox/request-store.ts";
import { type NewSend, write } from "../../src/sending/outbox/submit.ts";
import { type CycleState, newCycleState } from "../../src/sending/sender/context.ts";
import { runCycle } from "../../src/sending/sender/cycle.ts";
import type { Alarm, SenderDeps } from "../../src/sending/sender/deps.ts";
import {
  LeaseLost,
  registerWallet,
  releaseLease,
  takeLease,
  underLease,
} from "../../src/sending/sender/lease.ts";
import { createNodes } from "../../src/sending/sender/nodes.ts";
import { createSqlStore } from "../../src/sending/sender/sender-store.ts";
import { readWallet } from "../../src/sending/sender/shared-store.ts";
import type { Wallet } from "../../src/sending/sender/wallet.ts";
import { createLocalSigner, type Signer } from "../../src/sending/signer/signer.ts";
import { canary } from "../support/assert/logs.ts";
import { until } from "../support/assert/until.ts";
import { createDelegations } from "../support/db/builders/sends.ts";
import { statementOf } from "../support/db/plans.ts";
import { type ChainFixture, FAST, startChainFixture } from "../support/sender/chain-fixture.ts";
import { seedEnable } from "../support/sender/enables.ts";
import { NOWHERE, newSend, rulesFor, stubFacts } from "../support/sender/new-send.ts";

/**
 * docs/faults.md, row 69: a worker that lost its lease writes nothing. Cycles are run one by one, and the lease is
 * taken over at the start of a transaction: before every single write that a send makes in its life.
 */
let fixture: ChainFixture;
let bench: Bench;

beforeAll(async () => {
  fixture = await startChainFixture();
});
afterAll(() => fixture?.close());
afterEach(async () => {
  fixture.proxy.rule = null;
  await fixture.chain.setAutomine(true);
});

const HOUR_MS = 3_600_000;

/** One wallet of this test's own, and the worker that drives it, cycle by cycle. */
interface Bench {
  user: Hex;
  wallet: Wallet;
  deps: SenderDeps & OutboxDeps;
  state: CycleState;
  alarms: Alarm[];
  /** Transactions of the worker that are let through before the lease is taken over. */
  allowed: number;
  /** Everything that a worker writes, right after the last takeover; null before it. */
  atTakeover: string | null;
}

async function createBench(signer: Signer = createLocalSigner(canary("wallet key", generatePrivateKey()))) {
  const { chainId } = fixture.anvil;
  const alarms: Alarm[] = [];
  const pool = takenOver(fixture.pool, () => made);
  const made: Bench = {
    user: privateKeyToAccount(generatePrivateKey()).address.toLowerCase() as Hex,
    wallet: {
      signer,
      nodes: createNodes({
        chainId,
        rpcUrls: [fixture.proxy.url],
        confirmations: 3,
        timeoutMs: 60_000,
        compareMs: 200,
        onStale: () => undefined,
        onWrongChain: () => undefined,
      }),
      epoch: 0n,
      owner: "first",
    },
    deps: {
      pool,
      store: createSqlStore(pool),
      log: pino({ level: "silent" }),
      now: Date.now,
      // No timer causes a write.
      config: {
        ...FAST,
        foreignGraceMs: 0,
        observeMs: 1e12,
        rebroadcastMs: HOUR_MS,
        bumpAfterMs: HOUR_MS,
      },
      rules: rulesFor(fixture.caller.productType),
      facts: stubFacts(),
      alarm: (alarm) => alarms.push(alarm),
    },
    state: newCycleState(),
    alarms,
    allowed: Number.POSITIVE_INFINITY,
    atTakeover: null,
  };
  await fixture.chain.setBalance({ address: signer.address, value: 10n ** 20n });
  await registerWallet(fixture.pool, chainId, signer.address);
  const { productType } = fixture.caller;
  await createDelegations(fixture.pool, { chainId, productType }, signer.address, made.user);
  await seedEnable(fixture.pool, fixture.caller, made.user);
  bench = made;
  await drivenBy("first");
  return made;
}

/** Returns a worker's pool. Its lease is taken over before a transaction, or before a statement that writes by itself. */
function takenOver(pool: pg.Pool, current: () => Bench): pg.Pool {
  const beforeWrite = async (): Promise<void> => {
    const one = current();
    if (one.allowed === 0 && one.atTakeover === null) {
      await takeOver();
      one.atTakeover = await written();
    }
    one.allowed = Math.max(0, one.allowed - 1);
  };
  return new Proxy(pool, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (name !== "connect" && name !== "query") return value.bind(target);
      return async (...args: unknown[]): Promise<unknown> => {
        if (name === "connect" || /\b(UPDATE|INSERT|DELETE) (?!OF\b)/.test(statementOf(args[0])?.text ?? ""))
          await beforeWrite();
        return value.apply(target, args);
      };
    },
  });
}

const lease = (owner: string, leaseMs = HOUR_MS) =>
  takeLease(fixture.pool, fixture.anvil.chainId, bench.wallet.signer.address, owner, leaseMs);
const expire = () =>
  fixture.pool.query(
    "UPDATE app.delegatee_wallet SET lease_until = now() - interval '1 second' WHERE address = $1",
    [bench.wallet.signer.address],
  );

/** Takes the lease for another worker, as after a missed renewal. */
async function takeOver(): Promise<void> {
  await expire();
  if ((await lease("second")) === null) throw new Error("an expired lease is not given to another worker");
}

async function drivenBy(owner: string): Promise<void> {
  await expire();
  const epoch = await lease(owner);
  if (epoch === null) throw new Error("the lease is not free");
  Object.assign(bench.wallet, { epoch, owner });
}

const LEASE = ["lease_owner", "lease_epoch", "lease_until"];

/** Returns all rows that workers write as text, without some columns. */
async function written(without: string[] = []): Promise<string> {
  const tables = ["delegatee_wallet", "send_request", "send_attempt", "transaction_claim", "delegation"];
  const texts = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await fixture.pool.query<{ text: string }>(
        `SELECT coalesce(string_agg(r.text, '\n' ORDER BY r.text), '') AS text
         FROM (SELECT (to_jsonb(t) - $1::text[])::text AS text FROM app.${table} t) r`,
        [without],
      );
      return rows[0]?.text;
    }),
  );
  return texts.join("\n\n");
}

const cycle = async () => void (await runCycle(bench.deps, bench.wallet, bench.state));

/**
 * Runs cycles until there is nothing left to write. Each gets one write further than the one before, then its lease is
 * taken over, and it must end without having written anything more.
 * @returns how many times the lease was taken over
 */
async function runFenced(): Promise<number> {
  let fenced = 0;
  let transactions = 0;
  for (;;) {
    const before = await written(LEASE);
    const taken = await loseLeaseAfter(transactions);
    if (!taken && transactions === 0) return fenced;
    if (taken) fenced += 1;
    // Columns that every cycle renews are no progress.
    const stuck = taken && (await written(LEASE)) === before;
    transactions = stuck ? transactions + 1 : Number(taken);
  }
}

/**
 * Runs one cycle whose lease is taken over before its next transaction but so many.
 * @returns false where it made no more transactions than that
 */
async function loseLeaseAfter(transactions: number): Promise<boolean> {
  bench.allowed = transactions;
  bench.atTakeover = null;
  const failure = await cycle().catch((error: unknown) => error);
  bench.allowed = Number.POSITIVE_INFINITY;
  if (bench.atTakeover === null) {
    expect({ transactions, failure }).toEqual({ transactions, failure: undefined });
    return false;
  }
  expect(await written()).toBe(bench.atTakeover);
  await drivenBy(`after ${bench.wallet.epoch}`);
  return true;
}

const send = async (more: Partial<NewSend> = {}) =>
  (await write(bench.deps, fixture.caller, newSend(bench.wallet.signer.address, bench.user, more))).requestId;
const row = (id: string) => findById(fixture.pool, id);
const reorg = (depth: number) =>
  fixture.chain.transport.request({ method: "anvil_reorg", params: [depth, []] });
const walletState = async () => (await readWallet(fixture.pool, bench.wallet)).row.state;
const inThePast = () => BigInt(Math.floor(Date.now() / 1000) - 60);
/** Mines what the pool holds; an empty block where it holds nothing. */
const mine = (blocks = 1) => fixture.chain.mine({ blocks });

describe("row 69: a worker that lost its lease writes nothing", () => {
  it("of a send's life: nonce, bytes, broadcast, receipt, reorg, finality", async () => {
    await createBench();
    await fixture.chain.setAutomine(false);
    const id = await send();
    // Observation, first nonce, signed bytes, the node's answer.
    expect(await runFenced()).toBeGreaterThanOrEqual(4);
    expect(await row(id)).toMatchObject({ state: "broadcast", nonce: 0n });
    await mine();
    expect(await runFenced()).toBeGreaterThanOrEqual(1);
    expect(await row(id)).toMatchObject({ state: "mined", minedSuccess: true });
    await reorg(1);
    expect(await runFenced()).toBeGreaterThanOrEqual(2);
    expect(await row(id)).toMatchObject({ state: "broadcast", minedBlock: null });
    await mine(4);
    // Mined, then final.
    expect(await runFenced()).toBeGreaterThanOrEqual(2);
    expect(await row(id)).toMatchObject({ state: "final", outcome: "confirmed" });
  });

  it("of a nonce that is filled", async () => {
    await createBench();
    await fixture.chain.setAutomine(false);
    const id = await send({ deadline: BigInt(Math.floor(Date.now() / 1000) + 3_600) });
    await runFenced();
    bench.deps.now = () => Date.now() + 2 * HOUR_MS;
    // The reason, the filler's bytes, the node's answer.
    expect(await runFenced()).toBeGreaterThanOrEqual(3);
    expect(await row(id)).toMatchObject({ state: "broadcast", fillReason: "DEADLINE_EXPIRED" });
    await mine(4);
    // Mined, then final.
    expect(await runFenced()).toBeGreaterThanOrEqual(2);
    expect(await row(id)).toMatchObject({ state: "canceled", errCode: "DEADLINE_EXPIRED" });
  });

  it("of a request that ends before it has a nonce", async () => {
    await createBench();
    const id = await send({ deadline: inThePast() });
    expect(await runFenced()).toBeGreaterThanOrEqual(1);
    expect(await row(id)).toMatchObject({ state: "canceled", nonce: null });
  });

  it("of a wallet that is paused and resumes", async () => {
    await createBench();
    const { address } = bench.wallet.signer;
    await fixture.chain.setBalance({ address, value: 0n });
    await send();
    expect(await runFenced()).toBeGreaterThanOrEqual(2);
    expect(await walletState()).toBe("paused");
    await fixture.chain.setBalance({ address, value: 10n ** 20n });
    expect(await runFenced()).toBeGreaterThanOrEqual(3);
    expect(await walletState()).toBe("active");
  });

  it("of a wallet that is halted, and raises no alarm", async () => {
    const key = canary("wallet key", generatePrivateKey());
    await createBench(createLocalSigner(key));
    await runFenced();
    const elsewhere = { chainId: fixture.anvil.chainId, nonce: 0, to: NOWHERE, gas: 50_000n } as const;
    const fees = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n } as const;
    const bytes = await privateKeyToAccount(key).signTransaction({ ...elsewhere, ...fees, type: "eip1559" });
    const hash = await fixture.chain.sendRawTransaction({ serializedTransaction: bytes });
    await fixture.chain.waitForTransactionReceipt({ hash });
    // A wallet at rest looks at the chain when it is observed; this one has work.
    await send();
    expect(await loseLeaseAfter(0)).toBe(true);
    expect(bench.alarms).not.toContain("wallet-halted");
    await cycle();
    expect(await walletState()).toBe("halted");
    expect(bench.alarms).toContain("wallet-halted");
  });
});

describe("row 69: a lease", () => {
  it("has one holder until it ends, and an epoch of its own for each", async () => {
    await createBench();
    const first = bench.wallet.epoch;
    expect(await lease("first")).toBe(first);
    expect(await lease("second")).toBeNull();
    await expire();
    expect(await lease("second")).toBe(first + 1n);
    expect(await lease("first")).toBeNull();
    await expire();
    // Also where it goes back to the same worker: another one may have written in between.
    expect(await lease("second")).toBe(first + 2n);
  });

  it("that was taken over is not given back by the worker that had it", async () => {
    await createBench();
    const stale = { ...bench.wallet };
    await takeOver();
    await releaseLease(fixture.pool, stale);
    expect(await lease("third")).toBeNull();
    await expect(readWallet(fixture.pool, stale)).rejects.toThrow(LeaseLost);
  });

  it("is not taken over in the middle of a write: the next worker waits for its commit", async () => {
    await createBench();
    const { address } = bench.wallet.signer;
    await expire();
    let finish = () => {};
    let inside = () => {};
    const entered = new Promise<void>((resolve) => {
      inside = resolve;
    });
    const writing = underLease(fixture.pool, bench.wallet, async (tx) => {
      inside();
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      await tx.query("UPDATE app.delegatee_wallet SET state_reason = 'written' WHERE address = $1", [
        address,
      ]);
    });
    await entered;
    let epoch: bigint | null = null;
    const next = lease("second").then((taken) => {
      epoch = taken;
    });
    try {
      await until("the next worker waits, or has the lease", async () => {
        const { rows } = await fixture.pool.query(
          `SELECT 1 FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%SET lease_epoch%'`,
        );
        return rows.length > 0 || epoch !== null || undefined;
      });
      expect(epoch).toBeNull();
    } finally {
      finish();
    }
    await Promise.all([writing, next]);
    expect(epoch).toBe(bench.wallet.epoch + 1n);
  });
});
