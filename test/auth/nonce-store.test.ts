import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import type pg from "pg";
import type { NonceClaim } from "../../src/auth/nonce-claim-store.ts";
import {
  createNonceClaimer,
  NONCE_RETENTION_SECONDS,
  type NonceOptions,
  removeExpiredNonces,
} from "../../src/auth/nonce-store.ts";

type Row = [ordinal: number, outcome: string, left: number | null, resetMs: number | null];
type Statement = { name?: string; values: unknown[]; query_timeout: number };

const KEY_ID = "11111111-1111-4111-8111-111111111111";
const OTHER_KEY_ID = "22222222-2222-4222-8222-222222222222";
const CLAIM: NonceClaim = {
  keyId: KEY_ID,
  revision: 2,
  nonce: "3f2b8a4e-6c1d-4b7a-9e5f-000000000001",
  kind: "reads",
  cost: 1,
};
const LIMITS = { reads: 10, writes: 5 };

/** Returns a pool whose statements all go to `query`. */
function poolOf(
  query: (statement: Statement) => Promise<unknown>,
  release: () => void = () => undefined,
): pg.Pool {
  const client = { query, release, on: () => client, off: () => client };
  return { query, connect: async () => client } as unknown as pg.Pool;
}

/** Creates a claimer over a database that answers each statement with the next of `answers`. */
function makeClaimer(answers: Row[][], options: NonceOptions = { limits: LIMITS }) {
  const statements: Statement[] = [];
  const pool = poolOf(async (statement) => {
    statements.push(statement);
    const rows = answers[statements.length - 1];
    if (!rows) throw new Error("a statement that the test does not expect");
    return { rows };
  });
  const claimNonce = createNonceClaimer(pool, options);
  const claim = (change: Partial<NonceClaim> = {}) =>
    claimNonce({ ...CLAIM, nonce: randomUUID(), ...change });
  return { claim, claimNonce, statements };
}

describe("the statement that claims nonces", () => {
  it("gets every claim of a tick in turn", async () => {
    const { claim, statements } = makeClaimer([[]]);
    const { nonce } = CLAIM;
    await Promise.all([
      claim({ nonce }),
      claim({ nonce, keyId: OTHER_KEY_ID, kind: "writes", cost: 2, isPrevious: true }),
    ]);
    expect(statements.map(({ values }) => values)).toEqual([
      [
        [KEY_ID, OTHER_KEY_ID],
        [CLAIM.nonce, CLAIM.nonce],
        [2, 2],
        ["reads", "writes"],
        [1, 2],
        [10, 5],
        10,
        [false, true],
      ],
    ]);
  });

  it("gets each nonce of a key once: of the claims whose key was read last, the first", async () => {
    const { claim, statements } = makeClaimer([[[1, "claimed", 9, 4_000]]]);
    const { nonce } = CLAIM;
    const outcomes = await Promise.all([
      claim({ nonce, cost: 3 }),
      claim({ nonce: nonce.toUpperCase(), revision: 3, cost: 4 }),
      claim({ nonce, revision: 3, cost: 5 }),
    ]);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["refused", "claimed", "refused"]);
    expect(statements.map(({ values }) => values.slice(1, 6))).toEqual([
      [nonce.toUpperCase(), 3, false, "reads", 4],
    ]);
  });

  it("gets a cost of at most the limit, and any cost where there is none", async () => {
    const costs = async (options: NonceOptions) => {
      const { claim, statements } = makeClaimer([[]], options);
      await Promise.all([claim({ cost: 9 }), claim({ cost: 10 }), claim({ cost: 11 })]);
      return statements[0]?.values.slice(4, 6);
    };
    expect(await costs({ limits: LIMITS })).toEqual([
      [9, 10, 10],
      [10, 10, 10],
    ]);
    expect(await costs({})).toEqual([
      [9, 10, 11],
      [0, 0, 0],
    ]);
  });

  it("closes its connection before the claim has waited for too long", async () => {
    const { claim, statements } = makeClaimer([[[1, "claimed", null, null]]], { timeoutMs: 50_000 });
    await claim();
    expect(statements[0]?.query_timeout).toBeGreaterThan(0);
    expect(statements[0]?.query_timeout).toBeLessThanOrEqual(50_000);
  });

  it("has a name, under which a connection keeps its plan, only with prepared statements", async () => {
    const nameWith = async (options: NonceOptions, claims = 1) => {
      const { claim, statements } = makeClaimer([[[1, "claimed", null, null]]], options);
      await Promise.all(Array.from({ length: claims }, () => claim()));
      return statements[0]?.name;
    };
    expect(await nameWith({})).toBeUndefined();
    expect(await nameWith({ preparedStatements: false })).toBeUndefined();
    expect(await nameWith({ preparedStatements: true })).toBe("claim_unlimited_nonce");
    expect(await nameWith({ preparedStatements: true, limits: LIMITS })).toBe("claim_nonce");
    expect(await nameWith({ preparedStatements: true }, 2)).toBe("claim_nonces");
  });
});

it("claims that ask for a version have a statement of their own", async () => {
  const statements: Statement[] = [];
  const pool = poolOf(async (statement) => {
    statements.push(statement);
    const row =
      statement.values.length > 4 ? [1, "claimed", null, null, "v7", "17"] : [1, "claimed", null, null];
    return { rows: [row] };
  });
  const claimNonce = createNonceClaimer(pool);
  const outcomes = await Promise.all([
    claimNonce({ ...CLAIM, nonce: randomUUID() }, () => ({ chainId: 31337, productType: "stocks" })),
    claimNonce({ ...CLAIM, nonce: randomUUID() }, () => null),
  ]);
  const versioned = {
    outcome: "claimed",
    quota: null,
    version: { version: "v7", block: { number: 17n }, askedAt: expect.any(Number) },
  };
  expect(outcomes).toEqual([versioned, { outcome: "claimed", quota: null }]);
  expect(statements.map(({ values }) => values.slice(4)).sort()).toEqual([[], [31337, "stocks"]]);
});

describe("a claim that is alone in its tick", () => {
  it("asks the statement of a batch where its own has no row", async () => {
    const { claim, statements } = makeClaimer([[], [[1, "limited", 2, 4_000]]]);
    expect(await claim({ cost: 3 })).toMatchObject({ outcome: "limited", quota: { remaining: 2 } });
    expect(statements.map(({ values }) => values[4])).toEqual(["reads", [3]]);
  });

  it("is refused where neither has one", async () => {
    const { claim, statements } = makeClaimer([[], []]);
    expect(await claim()).toEqual({ outcome: "refused" });
    expect(statements).toHaveLength(2);
  });

  it.each([
    { code: "23505", answer: { outcome: "refused" }, closes: false },
    { code: "23514", answer: { code: "23514" }, closes: true },
  ])("that fails with $code answers $answer", async ({ code, answer, closes }) => {
    const query = jest.fn<() => Promise<{ rows: Row[] }>>();
    query.mockRejectedValueOnce(Object.assign(new Error("no"), { code })).mockResolvedValue({ rows: [] });
    const release = jest.fn<() => void>();
    const claimNonce = createNonceClaimer(poolOf(query, release), { limits: LIMITS });
    expect(await claimNonce(CLAIM).catch((error: unknown) => error)).toMatchObject(answer);
    expect(release.mock.calls).toEqual([[closes]]);
  });
});

describe("what is called while a claim is under way", () => {
  it("is called once, before the outcome is known", async () => {
    const { claimNonce, statements } = makeClaimer([[[1, "claimed", 9, 4_000]]]);
    const order: string[] = [];
    const onAsked = () => {
      order.push(`asked, ${statements.length} statements`);
      return null;
    };
    await claimNonce(CLAIM, onAsked).then(() => order.push("known"));
    expect(order).toEqual(["asked, 0 statements", "known"]);
  });

  it("is not called for a key that is known to be over its limit: nobody reads on its behalf", async () => {
    const { claimNonce } = makeClaimer([[[1, "limited", 0, 4_000]]]);
    await claimNonce(CLAIM);
    const onAsked = jest.fn(() => null);
    expect(await claimNonce(CLAIM, onAsked)).toMatchObject({ outcome: "limited" });
    expect(onAsked).not.toHaveBeenCalled();
  });
});

describe("the outcome of a claim", () => {
  it("is that of its row, in whatever order they come, and refused without one", async () => {
    const { claim } = makeClaimer([
      [
        [3, "limited", 2, 4_000],
        [1, "claimed", 7, 4_000],
        [4, "refused", 7, 4_000],
      ],
    ]);
    const claims = [claim(), claim(), claim({ kind: "writes", cost: 3 }), claim()];
    expect(await Promise.all(claims)).toEqual([
      { outcome: "claimed", quota: { limit: "reads", points: 10, remaining: 7, resetMs: 4_000 } },
      { outcome: "refused" },
      { outcome: "limited", quota: { limit: "writes", points: 5, remaining: 2, resetMs: 4_000 } },
      { outcome: "refused" },
    ]);
  });

  it("has no quota where the kind has no limit", async () => {
    const { claim } = makeClaimer([[[1, "claimed", null, null]]], {});
    expect(await claim()).toEqual({ outcome: "claimed", quota: null });
  });

  it.each([
    { left: -3, resetMs: -1, quota: { remaining: 0, resetMs: 0 } },
    { left: 0, resetMs: 0, quota: { remaining: 0, resetMs: 0 } },
    { left: 4, resetMs: 10_000, quota: { remaining: 4, resetMs: 10_000 } },
    { left: 4, resetMs: 10_001, quota: { remaining: 4, resetMs: 10_000 } },
  ])("with $left left and $resetMs ms to go keeps both within a window", async ({ left, resetMs, quota }) => {
    const { claim } = makeClaimer([[[1, "claimed", left, resetMs]]]);
    expect(await claim()).toMatchObject({ outcome: "claimed", quota });
  });
});

describe("a claim over a limit that is known to be reached", () => {
  let timeMs: number;
  beforeEach(() => {
    timeMs = 50_000;
    jest.spyOn(performance, "now").mockImplementation(() => timeMs);
  });
  afterEach(() => void jest.restoreAllMocks());

  const LIMITED: Row[] = [[1, "limited", 2, 4_000]];
  const CLAIMED: Row[] = [[1, "claimed", 0, 4_000]];

  it("is refused in memory until the window ends, and asks the database from that instant on", async () => {
    const { claim, statements } = makeClaimer([LIMITED, CLAIMED]);
    await claim({ cost: 3 });
    timeMs += 3_999;
    expect(await claim({ cost: 3 })).toEqual({
      outcome: "limited",
      quota: { limit: "reads", points: 10, remaining: 2, resetMs: 1 },
    });
    expect(statements).toHaveLength(1);
    timeMs += 1;
    expect(await claim({ cost: 3 })).toMatchObject({ outcome: "claimed" });
    expect(statements).toHaveLength(2);
  });

  it("asks the database long after the window, too", async () => {
    const { claim } = makeClaimer([LIMITED, CLAIMED]);
    await claim({ cost: 3 });
    timeMs += 60_000;
    expect(await claim({ cost: 3 })).toMatchObject({ outcome: "claimed" });
  });

  it("asks the database where it costs no more than what is left", async () => {
    const { claim } = makeClaimer([LIMITED, CLAIMED]);
    await claim({ cost: 3 });
    expect(await claim({ cost: 2 })).toMatchObject({ outcome: "claimed" });
  });

  it("refuses neither another key nor the key's other kind", async () => {
    const { claim, statements } = makeClaimer([LIMITED, CLAIMED, CLAIMED]);
    await claim({ cost: 3 });
    expect(await claim({ cost: 3, keyId: OTHER_KEY_ID })).toMatchObject({ outcome: "claimed" });
    expect(await claim({ cost: 3, kind: "writes" })).toMatchObject({ outcome: "claimed" });
    expect(statements).toHaveLength(3);
  });
});

describe("removing expired nonces", () => {
  /** Removes over a database that removes so many rows with each statement. */
  async function remove(...counts: (number | null)[]) {
    const asked: unknown[] = [];
    const pool = {
      query: async ({ values }: Statement) => {
        const removed = counts[asked.length];
        if (removed === undefined) throw new Error("a statement that the test does not expect");
        asked.push(values);
        return { rows: removed === null ? [] : [{ removed, since: new Date(asked.length) }] };
      },
    } as unknown as pg.Pool;
    const removed = await removeExpiredNonces(pool);
    // Each portion begins where the one before ended.
    expect(asked).toEqual(counts.map((_, n) => [NONCE_RETENTION_SECONDS, n === 0 ? null : new Date(n)]));
    return removed;
  }

  it("goes on while portions are full, and counts them all", async () => {
    expect(await remove(10_000, 10_000, 1)).toBe(20_001);
    expect(await remove(10_000, 0)).toBe(10_000);
  });

  it("ends with a portion that is not full", async () => {
    expect(await remove(9_999)).toBe(9_999);
    expect(await remove(0)).toBe(0);
    expect(await remove(null)).toBe(0);
  });

  it("answers a failure of the database with DATABASE_UNAVAILABLE", async () => {
    const error = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    const pool = { query: () => Promise.reject(error) } as unknown as pg.Pool;
    await expect(removeExpiredNonces(pool)).rejects.toMatchObject({ errCode: "DATABASE_UNAVAILABLE" });
  });
});
