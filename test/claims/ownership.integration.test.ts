import { afterAll, beforeAll, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { Caller } from "../../src/auth/caller.ts";
import { signAttribution } from "../../src/claims/attribution/suffix.ts";
import { ownerSql } from "../../src/claims/ownership.ts";
import { sql } from "../../src/db/sql.ts";
import { readOperations } from "../../src/operations/list-store.ts";
import { LONG } from "../support/assert/long.ts";
import { CONTRACTS, hex } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import {
  createAttributions,
  createClaim,
  createClaims,
  createInvalidAttributions,
} from "../support/db/builders/claims.ts";
import { empty } from "../support/db/empty.ts";
import { createOnchain, type Onchain, type Row } from "../support/db/onchain.ts";
import { PROJECTED, project } from "../support/db/projected.ts";
import { type Features, PRODUCT, startFeatures } from "../support/http/features.ts";
import { listOrders } from "../support/http/verbs.ts";

// The SQL of ownership against the rule in plain code (docs/decisions/2026-11-24-ownership.md), over generated claims,
// suffixes, orders and deposits, by what lists show.

const scope = { chainId: 31337, productType: PRODUCT };
const viewer = { ...scope, keyId: null };
const USERS = [hex(20, 0xa), hex(20, 0xb)] as const;
const STOCK = hex(20, 0x57);
const CLAIMS = ["app.transaction_claim", "app.transaction_attribution", "app.invalid_attribution"] as const;

let features: Features;
let onchain: Onchain;
let keys: Caller[];

beforeAll(async () => {
  features = await startFeatures([
    {
      deployment: { chainId: 31337, ...CONTRACTS },
      rpcUrls: ["http://127.0.0.1:1"],
      products: [PRODUCT],
    },
  ]);
  onchain = await createOnchain(features.deps.pool);
  await onchain.setBlock(31337, { number: 50n, timestamp: 1_800_000_000n });
  keys = await Promise.all([0, 1, 2, 3].map(() => features.makeCaller()));
});

afterAll(() => features?.close());

const oneOf = <T>(...values: T[]) => fc.constantFrom(...values);
const anyUser = oneOf(0, 1);
const anyKey = oneOf(0, 1, 2, 3);

const anyClaim = fc.record({
  key: anyKey,
  type: oneOf("trade" as const, "trade" as const, "deposit" as const),
  source: oneOf("send" as const, "attributed" as const, "recorded" as const, "recorded" as const),
  state: oneOf("pending" as const, "final" as const, "dropped" as const),
  user: anyUser,
  /** User that its key is bound to when it is made. */
  bound: oneOf(null, null, 0, 1),
  /** True where the claim's row stores the bound user; false for claims from before that column. */
  isBound: oneOf(true, true, false),
  nonce: oneOf(1, 2),
  beforeFinal: fc.boolean(),
  /** True where it was made under the present rule. */
  isNew: oneOf(true, true, false),
  second: oneOf(1, 2, 3),
});

const anyTransaction = fc.record({
  claims: fc.uniqueArray(anyClaim, {
    minLength: 1,
    maxLength: 5,
    selector: ({ key, type }) => `${key} ${type}`,
  }),
  /** Key whose valid suffix it carries. */
  attributedTo: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, anyKey),
  /** Suffix that the index has of it; transactions stand in the chain as in the list. */
  suffix: oneOf(null, "another's" as const, "ours" as const, "ours" as const),
  /** True where the suffix was checked and found invalid. */
  isInvalid: fc.boolean(),
  orders: fc.array(fc.record({ user: anyUser, combined: fc.boolean() }), { minLength: 1, maxLength: 2 }),
  deposits: fc.array(fc.record({ user: anyUser }), { maxLength: 1 }),
});

type Transaction = (typeof anyTransaction extends fc.Arbitrary<infer T> ? T : never) & { index: number };
type Claim = Transaction["claims"][number] & { id: string; transaction: Transaction };

const { key, call } = {
  key: { id: "one", key: new Uint8Array(32).fill(1) },
  call: { ...scope, callData: "0x" },
} as const;
const OURS = signAttribution([key], { ...call, router: STOCK }, { apiKey: "ak", user: null });

/** Transactions and their claims, each claim with an id that sorts as it stands. */
interface World {
  transactions: Transaction[];
  claims: Claim[];
  /** User that all keys are bound to in the end. */
  bound: number | null;
}

function toWorld([generated, bound]: [Omit<Transaction, "index">[], number | null]): World {
  const transactions = generated.map((transaction, index) => ({ ...transaction, index }));
  const claims = transactions.flatMap((transaction) =>
    transaction.claims.map((claim) => ({ ...claim, transaction, id: "" })),
  );
  for (const [index, claim] of claims.entries())
    claim.id = `00000000-0000-4000-8000-${hex(6, index).slice(2)}`;
  return { transactions, claims, bound };
}

/** Returns the claim that owns the effects of a transaction for a user by the rule, or null. */
function ownerOf(world: World, transaction: Transaction, type: Claim["type"], user: number): Claim | null {
  const candidates = world.claims
    .filter((claim) => claim.transaction === transaction && claim.type === type)
    .filter((claim) => !isVoid(world, claim, user))
    .sort((a, b) => rankOf(a, user) - rankOf(b, user) || isLater(a, b));
  return candidates[0] ?? null;
}

const isLater = (a: Claim, b: Claim): number => a.second - b.second || a.id.localeCompare(b.id);

/** Returns true where the claim's key was bound to another user. */
const isOthers = ({ bound }: Claim, user: number): boolean => bound !== null && bound !== user;

function isVoid(world: World, claim: Claim, user: number): boolean {
  if (claim.source === "recorded") {
    const { attributedTo, suffix, isInvalid } = claim.transaction;
    const isUnverified = suffix === "ours" && attributedTo === null && !isInvalid;
    return carriesAnothersSuffix(claim) || (claim.isNew ? isUnverified : isOthers(claim, user));
  }
  return claim.user !== user || (claim.source === "attributed" && isUsedBefore(world, claim));
}

const carriesAnothersSuffix = ({ key, transaction: { attributedTo } }: Claim): boolean =>
  attributedTo !== null && attributedTo !== key;

const isUsedBefore = (world: World, claim: Claim): boolean =>
  world.claims.some(
    ({ source, nonce, transaction }) =>
      source === "attributed" &&
      nonce === claim.nonce &&
      transaction !== claim.transaction &&
      transaction.suffix !== null &&
      (claim.transaction.suffix === null || transaction.index < claim.transaction.index),
  );

function rankOf(claim: Claim, user: number): number {
  if (claim.source === "send") return 0;
  if (claim.source === "attributed") return 1;
  if (isOthers(claim, user)) return 4;
  if (claim.bound !== null) return claim.beforeFinal ? 2 : 3;
  const isBehind = claim.transaction.claims.some(
    (other) =>
      other.type === claim.type && other.source === "recorded" && other.isNew && other.second < claim.second,
  );
  return claim.beforeFinal || !isBehind ? 3 : 5;
}

/** Returns true for claims that lists show without an effect of their kind: all except dropped and void ones. */
const isShownUnindexed = (claim: Claim): boolean =>
  claim.state !== "dropped" && !(claim.source === "recorded" && carriesAnothersSuffix(claim));

/** A row of a list: a claim with the id of the order or operation that it owns. */
type Shown = [claimId: string, subject: string | null];

const txHash = ({ index }: Transaction) => hex(32, 0x100 + index);
const orderId = (transaction: Transaction, ordinal: number) =>
  hex(32, 0x1000 + transaction.index * 10 + ordinal);
const depositId = (transaction: Transaction, ordinal: number) =>
  hex(32, 0x2000 + transaction.index * 10 + ordinal);

/** Returns the deposits of a transaction: first those of its orders, then separate ones. */
function depositsOf(transaction: Transaction) {
  const combined = transaction.orders.flatMap(({ user, combined: made }, ordinal) =>
    made ? [{ user, opId: depositId(transaction, ordinal), orderId: orderId(transaction, ordinal) }] : [],
  );
  const own = transaction.deposits.map(({ user }, ordinal) => ({
    user,
    opId: depositId(transaction, 5 + ordinal),
    orderId: null,
  }));
  return [...combined, ...own];
}

function expectedOrders(world: World): Shown[] {
  const owned = world.transactions.flatMap((transaction) =>
    transaction.orders.flatMap(({ user }, ordinal): Shown[] => {
      const owner = ownerOf(world, transaction, "trade", user);
      return owner ? [[owner.id, orderId(transaction, ordinal)]] : [];
    }),
  );
  return [...owned, ...unindexed(world, "trade", ({ orders }) => orders.length === 0)];
}

function expectedDeposits(world: World): Shown[] {
  const owned = world.transactions.flatMap((transaction) =>
    depositsOf(transaction).flatMap(({ user, opId, orderId: order }): Shown[] => {
      const owner = ownerOf(world, transaction, order === null ? "deposit" : "trade", user);
      return owner ? [[owner.id, opId]] : [];
    }),
  );
  return [...owned, ...unindexed(world, "deposit", ({ deposits }) => deposits.length === 0)];
}

function unindexed(
  world: World,
  type: Claim["type"],
  hasNone: (transaction: Transaction) => boolean,
): Shown[] {
  return world.claims
    .filter((claim) => claim.type === type && hasNone(claim.transaction) && isShownUnindexed(claim))
    .map(({ id }) => [id, null]);
}

const userOf = (bound: number | null) => (bound === null ? null : present(USERS[bound], "the user"));
const bind = (of: readonly Caller[], bound: number | null) =>
  features.deps.pool.query("UPDATE app.api_key SET user_address = $2 WHERE key_id = ANY($1)", [
    of.map(({ keyId }) => keyId),
    userOf(bound),
  ]);

async function write({ transactions, claims, bound }: World): Promise<void> {
  const { pool } = features.deps;
  await empty(pool, ...CLAIMS, ...PROJECTED);
  await onchain.clear();
  const boundTo = new Map<Caller, number | null>();
  for (const claim of claims) {
    const createdAt = new Date(claim.second * 1000);
    const key = present(keys[claim.key], "the key");
    if (boundTo.get(key) !== claim.bound) await bind([key], claim.bound);
    boundTo.set(key, claim.bound);
    await createClaim(
      pool,
      { ...scope, keyId: key.keyId },
      {
        claimId: claim.id,
        operationType: claim.type,
        txHash: txHash(claim.transaction),
        source: claim.source,
        state: claim.state,
        userAddress: claim.source === "recorded" ? null : present(USERS[claim.user], "the user"),
        attributionNonce: claim.source === "attributed" ? `nonce ${claim.nonce}` : null,
        beforeFinal: claim.beforeFinal,
        ruleVersion: claim.isNew ? 2 : null,
        createdAt,
        updatedAt: createdAt,
      },
    );
    if (!claim.isBound)
      await pool.query("UPDATE app.transaction_claim SET bound_user_address = NULL WHERE claim_id = $1", [
        claim.id,
      ]);
  }
  await bind(keys, bound);
  for (const transaction of transactions) {
    if (transaction.attributedTo !== null) {
      const key = present(keys[transaction.attributedTo], "the key");
      await createAttributions(pool, key, txHash(transaction));
    }
    if (transaction.isInvalid) await createInvalidAttributions(pool, 31337, txHash(transaction));
  }
  await onchain.insert("attributionSuffix", ...transactions.flatMap(suffixesIn));
  await onchain.insert("stockOrder", ...transactions.flatMap(ordersIn));
  await onchain.insert("cashOperation", ...transactions.flatMap(depositsIn));
}

const positionOf = (transaction: Transaction) => ({
  ...scope,
  txHash: txHash(transaction),
  blockNumber: BigInt(10 + transaction.index),
});

function suffixesIn(transaction: Transaction): Row<"attributionSuffix">[] {
  const { suffix } = transaction;
  if (suffix === null) return [];
  const bytes = suffix === "ours" ? OURS : "0x0000078021";
  return [{ ...positionOf(transaction), transactionIndex: 0, suffix: bytes }];
}

const ordersIn = (transaction: Transaction): Row<"stockOrder">[] =>
  transaction.orders.map(({ user }, ordinal) => ({
    ...positionOf(transaction),
    orderId: orderId(transaction, ordinal),
    logIndex: ordinal,
    userAddress: USERS[user],
    side: "Buy",
    orderType: "Market",
    status: "open",
    stockAddress: STOCK,
  }));

const depositsIn = (transaction: Transaction): Row<"cashOperation">[] =>
  depositsOf(transaction).map(({ user, ...ids }, ordinal) => ({
    ...positionOf(transaction),
    ...ids,
    logIndex: 10 + ordinal,
    userAddress: USERS[user],
    kind: "deposit",
    status: "completed",
    tokenAddress: STOCK,
  }));

async function readShown(): Promise<{ orders: Shown[]; deposits: Shown[] }> {
  await project(features.deps);
  const orders = await listOrders(features.deps, viewer, { limit: "100" });
  const page = { page: 1, limit: 100 };
  const deposits = await readOperations(features.deps, viewer, "deposit", page);
  return {
    orders: orders.data.rows.map(({ mapping, orderId: id }) => [mapping.mappingId.slice(0, 36), id]),
    deposits: deposits.data.rows.map(({ mapping, operationId: id }) => [mapping.mappingId.slice(0, 36), id]),
  };
}

const sorted = (shown: Shown[]) => shown.map((row) => row.join(" ")).sort();

it("everything that a transaction did belongs to the claim that the rule names, and to no other", async () => {
  const decided = new Set<string>();
  const transactions = fc.array(anyTransaction, { minLength: 1, maxLength: 3 });
  const worlds = fc.tuple(transactions, oneOf(null, 0, 1)).map(toWorld);
  await fc.assert(
    fc.asyncProperty(worlds, async (world) => {
      await write(world);
      const { orders, deposits } = await readShown();
      expect(sorted(orders)).toEqual(sorted(expectedOrders(world)));
      expect(sorted(deposits)).toEqual(sorted(expectedDeposits(world)));
      for (const transaction of world.transactions) {
        for (const { user } of transaction.orders) {
          const owner = ownerOf(world, transaction, "trade", user);
          decided.add(owner ? `rank ${rankOf(owner, user)}` : "nobody");
        }
      }
    }),
    { numRuns: LONG ? 1_000 : 30, seed: 20261124 },
  );
  // Every branch of the rule decided something.
  expect([...decided].sort()).toEqual(["nobody", "rank 0", "rank 1", "rank 2", "rank 3", "rank 4", "rank 5"]);
});

// Records alone, against the rule that docs/ownership.md states for partners: a record owns all unowned effects, or none.

const RECORDERS = ["unbound", "user's", "another user's"] as const;
type Recorder = (typeof RECORDERS)[number];
interface Made {
  by: Recorder;
  beforeFinal: boolean;
  isNew: boolean;
}

function takes({ by, beforeFinal }: Made, from: Made | null): boolean {
  if (from === null) return true;
  if (by === "another user's") return false;
  if (from.by === "another user's") return beforeFinal || by === "user's";
  return beforeFinal && by === "user's" && (from.by === "unbound" || !from.beforeFinal);
}

/** Returns true where the previous rule applies, by which a key that is bound to another user owns nothing. */
const isVoidBefore = ({ by, isNew }: Made): boolean => !isNew && by === "another user's";

const booleans = [true, false];
const anyMade = RECORDERS.flatMap((by) =>
  booleans.flatMap((beforeFinal) => booleans.map((isNew): Made => ({ by, beforeFinal, isNew }))),
);
/** Up to three records, one after the other: none is in time that comes after a late one. */
const SEQUENCES = anyMade
  .flatMap((first) => anyMade.flatMap((second) => anyMade.map((third) => [first, second, third])))
  .filter((made) => made.every(({ beforeFinal }, at) => !beforeFinal || (made[at - 1]?.beforeFinal ?? true)));

it("of any three records the one that the rule names owns the order", async () => {
  const { pool } = features.deps;
  await empty(pool, ...CLAIMS, ...PROJECTED);
  await onchain.clear();
  const user = present(USERS[0], "the user");
  const keysOf = async (userAddress: `0x${string}` | null) =>
    Promise.all(Array.from({ length: 3 }, () => features.makeCaller({ userAddress })));
  const recorders: Record<Recorder, Caller[]> = {
    unbound: await keysOf(null),
    "user's": await keysOf(user),
    "another user's": await keysOf(present(USERS[1], "the other user")),
  };
  const hashOf = (sequence: number) => hex(32, 0x5000 + sequence);
  const rows = SEQUENCES.flatMap((made, sequence) =>
    made.map(({ by, beforeFinal, isNew }, at) => ({
      keyId: present(recorders[by][at], "the key").keyId,
      txHash: hashOf(sequence),
      beforeFinal,
      ruleVersion: isNew ? 2 : null,
      createdAt: new Date((at + 1) * 1000),
    })),
  );
  await createClaims(pool, { ...scope, keyId: "" }, rows);
  // Records of the previous rule may be from before the column: they go by their key.
  await pool.query("UPDATE app.transaction_claim SET bound_user_address = NULL WHERE rule_version IS NULL");
  // A claim of another kind has no effect here.
  const keyId = present(recorders["another user's"][0], "the key").keyId;
  const other = { operationType: "deposit", ruleVersion: 2, createdAt: new Date(500) } as const;
  await createClaims(
    pool,
    { ...scope, keyId },
    SEQUENCES.map((_, sequence) => ({ ...other, txHash: hashOf(sequence) })),
  );
  const order = { ...scope, userAddress: user, logIndex: 0, side: "Buy", orderType: "Market" } as const;
  await onchain.insert(
    "stockOrder",
    ...SEQUENCES.map((_, sequence) => ({
      ...order,
      status: "open" as const,
      stockAddress: STOCK,
      blockNumber: 10n,
      orderId: hashOf(sequence),
      txHash: hashOf(sequence),
    })),
  );
  const { text, values } = sql`
    SELECT o.tx_hash, extract(epoch FROM c.created_at)::int AS at
    FROM onchain.stock_order o LEFT JOIN ${ownerSql("o", sql`'trade'`)} owner ON true
    LEFT JOIN app.transaction_claim c ON c.claim_id = owner.claim_id`;
  const { rows: found } = await pool.query<{ tx_hash: string; at: number | null }>(text, values);
  const owners = new Map(found.map(({ tx_hash, at }) => [tx_hash, at]));
  for (const [sequence, made] of SEQUENCES.entries()) {
    const owner = made
      .filter((one) => !isVoidBefore(one))
      .reduce<Made | null>((owning, one) => (takes(one, owning) ? one : owning), null);
    const expected = owner === null ? null : made.indexOf(owner) + 1;
    expect({ made, owner: owners.get(hashOf(sequence)) }).toEqual({ made, owner: expected });
  }
});
