import { afterAll, beforeAll, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { Caller } from "../../src/auth/caller.ts";
import { readOperations } from "../../src/operations/store.ts";
import { LONG } from "../support/assert/long.ts";
import { CONTRACTS, hex } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import { createAttributions, createClaim } from "../support/db/builders/claims.ts";
import { empty } from "../support/db/empty.ts";
import { createOnchain, type Onchain } from "../support/db/onchain.ts";
import { type Features, PRODUCT, startFeatures } from "../support/http/features.ts";
import { listOrders } from "../support/http/verbs.ts";

// The SQL of ownership against the rule in plain code (docs/decisions/2026-11-21-ownership.md), over generated claims,
// suffixes, orders and deposits, by what lists show.

const scope = { chainId: 31337, productType: PRODUCT };
const viewer = { ...scope, keyId: null };
const USERS = [hex(20, 0xa), hex(20, 0xb)] as const;
const STOCK = hex(20, 0x57);

let features: Features;
let onchain: Onchain;
/** Two keys that are bound to nobody, and one that is bound to each user. */
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
  keys = await Promise.all([null, null, ...USERS].map((userAddress) => features.makeCaller({ userAddress })));
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
  nonce: oneOf(1, 2),
  beforeFinal: fc.boolean(),
  second: oneOf(1, 2, 3),
});

const anyTransaction = fc.record({
  claims: fc.uniqueArray(anyClaim, { maxLength: 5, selector: ({ key, type }) => `${key} ${type}` }),
  /** The key whose valid suffix it carries. */
  attributedTo: fc.option(anyKey),
  /** Whether the index has its suffix; transactions stand in the chain as in the list. */
  suffixIndexed: fc.boolean(),
  orders: fc.array(fc.record({ user: anyUser, combined: fc.boolean() }), { maxLength: 2 }),
  deposits: fc.array(fc.record({ user: anyUser }), { maxLength: 1 }),
});

type Transaction = (typeof anyTransaction extends fc.Arbitrary<infer T> ? T : never) & { index: number };
type Claim = Transaction["claims"][number] & { id: string; transaction: Transaction };

/** Transactions and their claims, each claim with an id that sorts as it stands. */
interface World {
  transactions: Transaction[];
  claims: Claim[];
}

function toWorld(generated: Omit<Transaction, "index">[]): World {
  const transactions = generated.map((transaction, index) => ({ ...transaction, index }));
  const claims = transactions.flatMap((transaction) =>
    transaction.claims.map((claim) => ({ ...claim, transaction, id: "" })),
  );
  for (const [index, claim] of claims.entries())
    claim.id = `00000000-0000-4000-8000-${hex(6, index).slice(2)}`;
  return { transactions, claims };
}

/** The rule: the claim that owns what a transaction did for a user, or null. */
function ownerOf(world: World, transaction: Transaction, type: Claim["type"], user: number): Claim | null {
  const candidates = world.claims
    .filter((claim) => claim.transaction === transaction && claim.type === type)
    .filter((claim) => !isVoid(world, claim, user))
    .sort((a, b) => rankOf(a) - rankOf(b) || a.second - b.second || a.id.localeCompare(b.id));
  return candidates[0] ?? null;
}

const boundTo = ({ key }: Claim): number | null => (key < 2 ? null : key - 2);

function isVoid(world: World, claim: Claim, user: number): boolean {
  if (claim.source === "recorded") {
    const bound = boundTo(claim);
    return (bound !== null && bound !== user) || carriesAnothersSuffix(claim);
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
      transaction.suffixIndexed &&
      (!claim.transaction.suffixIndexed || transaction.index < claim.transaction.index),
  );

function rankOf(claim: Claim): number {
  if (claim.source === "send") return 0;
  if (claim.source === "attributed") return 1;
  return boundTo(claim) !== null && claim.beforeFinal ? 2 : 3;
}

/** A claim whose transaction did nothing of its kind yet is shown, save where it came to nothing or is void. */
const isShownUnindexed = (claim: Claim): boolean =>
  claim.state !== "dropped" && !(claim.source === "recorded" && carriesAnothersSuffix(claim));

/** What lists show: claims with the ids of what they own. */
type Shown = [claimId: string, subject: string | null];

const txHash = ({ index }: Transaction) => hex(32, 0x100 + index);
const orderId = (transaction: Transaction, ordinal: number) =>
  hex(32, 0x1000 + transaction.index * 10 + ordinal);
const depositId = (transaction: Transaction, ordinal: number) =>
  hex(32, 0x2000 + transaction.index * 10 + ordinal);

/** The deposits of a transaction: of its orders first, then of their own. */
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

async function write({ transactions, claims }: World): Promise<void> {
  const { pool } = features.deps;
  await empty(pool, "app.transaction_claim", "app.transaction_attribution");
  await onchain.clear();
  for (const claim of claims) {
    const createdAt = new Date(claim.second * 1000);
    await createClaim(
      pool,
      { ...scope, keyId: present(keys[claim.key], "the key").keyId },
      {
        claimId: claim.id,
        operationType: claim.type,
        txHash: txHash(claim.transaction),
        source: claim.source,
        state: claim.state,
        userAddress: claim.source === "recorded" ? null : present(USERS[claim.user], "the user"),
        attributionNonce: claim.source === "attributed" ? `nonce ${claim.nonce}` : null,
        beforeFinal: claim.beforeFinal,
        createdAt,
        updatedAt: createdAt,
      },
    );
  }
  for (const transaction of transactions) await writeTransaction(transaction);
}

async function writeTransaction(transaction: Transaction): Promise<void> {
  const at = { ...scope, txHash: txHash(transaction), blockNumber: BigInt(10 + transaction.index) };
  if (transaction.attributedTo !== null) {
    const key = present(keys[transaction.attributedTo], "the key");
    await createAttributions(features.deps.pool, key, at.txHash);
  }
  if (transaction.suffixIndexed) await onchain.insert("attributionSuffix", { ...at, transactionIndex: 0 });
  for (const [ordinal, { user }] of transaction.orders.entries()) {
    const row = { orderId: orderId(transaction, ordinal), logIndex: ordinal, userAddress: USERS[user] };
    const kind = { side: "Buy", orderType: "Market", status: "open", stockAddress: STOCK } as const;
    await onchain.insert("stockOrder", { ...at, ...row, ...kind });
  }
  for (const [ordinal, { user, ...ids }] of depositsOf(transaction).entries()) {
    const row = { ...ids, logIndex: 10 + ordinal, userAddress: USERS[user] };
    await onchain.insert("cashOperation", {
      ...at,
      ...row,
      kind: "deposit",
      status: "completed",
      tokenAddress: STOCK,
    });
  }
}

async function readShown(): Promise<{ orders: Shown[]; deposits: Shown[] }> {
  const orders = await listOrders(features.deps, viewer, { limit: "100" });
  const page = { page: 1, limit: 100 };
  const deposits = await readOperations(features.deps.prisma, viewer, "deposit", page);
  return {
    orders: orders.data.rows.map(({ mapping, orderId: id }) => [mapping.mappingId.slice(0, 36), id]),
    deposits: deposits.data.rows.map(({ claim, operation }) => [claim.claim_id, operation?.op_id ?? null]),
  };
}

const sorted = (shown: Shown[]) => shown.map((row) => row.join(" ")).sort();

it("everything that a transaction did belongs to the claim that the rule names, and to no other", async () => {
  const decided = new Set<string>();
  const worlds = fc.array(anyTransaction, { minLength: 1, maxLength: 3 }).map(toWorld);
  await fc.assert(
    fc.asyncProperty(worlds, async (world) => {
      await write(world);
      const { orders, deposits } = await readShown();
      expect(sorted(orders)).toEqual(sorted(expectedOrders(world)));
      expect(sorted(deposits)).toEqual(sorted(expectedDeposits(world)));
      for (const transaction of world.transactions) {
        for (const { user } of transaction.orders) {
          const owner = ownerOf(world, transaction, "trade", user);
          decided.add(owner ? `rank ${rankOf(owner)}` : "nobody");
        }
      }
    }),
    { numRuns: LONG ? 1_000 : 40, seed: 20261121 },
  );
  // Every branch of the rule decided something.
  expect([...decided].sort()).toEqual(["nobody", "rank 0", "rank 1", "rank 2", "rank 3"]);
});
