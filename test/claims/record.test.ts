import { describe, expect, it } from "@jest/globals";
import {
  concat,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  TransactionNotFoundError,
  TransactionReceiptNotFoundError,
} from "viem";
import type { Caller } from "../../src/auth/caller.ts";
import { signAttribution } from "../../src/claims/attribution/suffix.ts";
import { recordTransaction } from "../../src/claims/record.ts";
import type { Deps } from "../../src/context/deps.ts";
import { stockAbi } from "../../src/contracts/abi/index.ts";
import { expectRefusal } from "../support/assert/errors.ts";
import { CONTRACTS, hex } from "../support/assert/sample.ts";
import { fakePool } from "../support/sender/fake-outbox.ts";

// POST .../tx between a database, an index and a node that each fail, or change, at a chosen moment.

const caller: Caller = {
  keyId: "11111111-1111-4111-8111-111111111111",
  apiKey: "ak",
  access: "WRITABLE",
  chainId: 31337,
  productType: "Sandbox",
  userAddress: null,
};
const OTHER_KEY = "22222222-2222-4222-8222-222222222222";
const HASH = hex(32, 0xab);
const USER = hex(20, 0xa);
const CLAIM_ID = "33333333-3333-4333-8333-333333333333";
const OTHER_CLAIM_ID = "44444444-4444-4444-8444-444444444444";
const attributionKeys = [{ id: "one", key: new Uint8Array(32).fill(1) }];
const CALL: Hex = "0x12345678";
const SUFFIXED = concat([
  CALL,
  signAttribution(
    attributionKeys,
    { chainId: caller.chainId, router: CONTRACTS.stockRouter, callData: CALL },
    { apiKey: "ak", user: null },
  ),
]);

const ANOTHERS = "The transaction belongs to another API key";

function claimRow(more: { source?: string; state?: string } = {}) {
  return {
    claim_id: CLAIM_ID,
    chain_id: caller.chainId,
    product_type: caller.productType,
    operation_type: "trade",
    tx_hash: HASH,
    source: "recorded",
    state: "pending",
    claim_user: null,
    client_order_id: null,
    created_ms: "1800000000000",
    updated_ms: "1800000000000",
    ...more,
  };
}

/** Returns the claim's row as Prisma reads it. */
const modelOf = (row: ReturnType<typeof claimRow>) => ({
  claimId: row.claim_id,
  chainId: row.chain_id,
  productType: row.product_type,
  operationType: row.operation_type,
  txHash: row.tx_hash,
  source: row.source,
  state: row.state,
  userAddress: row.claim_user,
  clientOrderId: row.client_order_id,
  createdAt: new Date(Number(row.created_ms)),
  updatedAt: new Date(Number(row.updated_ms)),
});

const orderId = (ordinal: number) => hex(32, 0x100 + ordinal);

/** Returns an indexed order of the transaction; `mine`: the key's claim owns it; `open`: it may still come to own it. */
const indexedOrder = (mine: boolean, open = false) => ({
  ...claimRow(),
  user_address: USER,
  order_id: orderId(0),
  operation_id: null,
  ordinal: 0,
  mine,
  open,
  rebound: false,
});

const orderLog = (ordinal: number) => ({
  address: CONTRACTS.stock,
  transactionHash: HASH,
  logIndex: ordinal,
  topics: encodeEventTopics({
    abi: stockAbi,
    eventName: "MarketOrderPlaced",
    args: { orderId: orderId(ordinal), user: USER, stockToken: hex(20, 0x57) },
  }),
  data: encodeAbiParameters([{ type: "int96" }, { type: "uint32" }, { type: "uint256" }], [1n, 2, 3n]),
});

const thrown = (error: Error): never => {
  throw error;
};
const down = () => thrown(new Error("the node is down"));

/** Configures the answers of the fake database, index and node. */
interface World {
  /** The claim of what this service sent. */
  sent: (ReturnType<typeof claimRow> & { key_id: string }) | null;
  /** The key's own claim. */
  claim: ReturnType<typeof claimRow> | null;
  /** Key whose valid suffix the transaction is known to carry. */
  verified: string | null;
  /** Returns the key that the suffix names, if it is valid. */
  named(): string;
  /** Claim that owns each order, in log order. */
  owners: (string | null)[];
  /** The claim's indexed rows at the first read, the second and so on; the last entry is repeated. */
  index: (() => ReturnType<typeof indexedOrder>[])[];
  /** Returns the number of the transaction's orders; null where it has no receipt. */
  receipt(): number | null;
  /** Returns the calldata; null where the node does not know the transaction. */
  input(): Hex | null;
}

function world(more: Partial<World> = {}) {
  const state: World = {
    sent: null,
    claim: null,
    verified: null,
    named: () => OTHER_KEY,
    owners: [CLAIM_ID],
    index: [() => []],
    receipt: () => 1,
    input: () => CALL,
    ...more,
  };
  const counts = { claimsWritten: 0, transactionsAsked: 0 };
  const pool = fakePool((text) => {
    if (text.includes("_ponder_checkpoint")) return readIndex();
    if (text.includes("c.source = 'send'")) return state.sent ? [state.sent] : [];
    if (text.includes("INSERT INTO app.transaction_attribution")) return [{ key_id: state.named() }];
    if (text.includes("INSERT INTO app.transaction_claim")) {
      counts.claimsWritten += 1;
      return [{ ...(state.claim ?? claimRow()), is_rebound: false }];
    }
    if (text.includes("AS unknown")) return [{ unknown: 0 }];
    if (text.includes("AS owner")) return state.owners.map((owner) => ({ owner }));
    return [];
  });
  const answers = [...state.index];
  const readIndex = () => {
    const rows = (answers.length > 1 ? answers.shift() : answers[0])?.() ?? [];
    const checkpoint = `1800000000${"0".repeat(16)}${"7".padStart(16, "0")}${"0".repeat(33)}`;
    if (rows.length === 0) return [{ checkpoint, row_ordinal: null }];
    return rows.map((row, row_ordinal) => ({ checkpoint, row_ordinal, ...row }));
  };
  const node = {
    getTransactionReceipt: async ({ hash }: { hash: Hex }) => {
      const orders = state.receipt();
      if (orders === null) throw new TransactionReceiptNotFoundError({ hash });
      const logs = Array.from({ length: orders }, (_, ordinal) => orderLog(ordinal));
      return { status: "success", blockNumber: 7n, blockHash: hex(32, 7), logs };
    },
    getTransaction: async ({ hash }: { hash: Hex }) => {
      counts.transactionsAsked += 1;
      const input = state.input();
      if (input === null) throw new TransactionNotFoundError({ hash });
      return { hash, from: USER, to: CONTRACTS.stockRouter, input };
    },
  };
  const config = {
    chainId: caller.chainId,
    confirmations: 3,
    products: [{ productType: caller.productType, contracts: CONTRACTS }],
  };
  const chain = { config, nodes: [node], client: { getBlockNumber: async () => 8n } };
  const deps = {
    pool,
    rowsWaitMs: 0,
    attributionKeys,
    prisma: {
      transactionAttribution: { findUnique: async () => state.verified && { keyId: state.verified } },
      transactionClaim: { findUnique: async () => state.claim && modelOf(state.claim) },
    },
    deployments: { chains: [config] },
    chains: new Map([[caller.chainId, chain]]),
  } as unknown as Deps;
  return { deps, counts };
}

const record = (deps: Deps) => recordTransaction(deps, caller, "trade", { txHash: HASH });

async function expectAnothers(answer: Promise<unknown>): Promise<void> {
  const { message } = await expectRefusal(answer, "TX_OWNED_BY_ANOTHER_KEY", "txHash");
  expect(message).toBe(ANOTHERS);
}

describe("a record that the key has", () => {
  it("is another key's where all that is indexed of it is, whether nodes answer or not", async () => {
    const { deps } = world({ claim: claimRow(), index: [() => [indexedOrder(false)]], receipt: down });
    await expectAnothers(record(deps));
  });

  it("is decided anew where it may yet own what is indexed, and not answered where no node answers", async () => {
    const open = () => [indexedOrder(false, true)];
    const { deps, counts } = world({ claim: claimRow(), index: [open, () => [indexedOrder(true)]] });
    expect((await record(deps)).data).toMatchObject({ mappingStatus: "indexed", orderId: orderId(0) });
    expect(counts.claimsWritten).toBe(1);
    for (const failure of [{ receipt: down }, { input: down }]) {
      const failing = world({ claim: claimRow(), index: [open], ...failure });
      await expectRefusal(record(failing.deps), "RPC_UNAVAILABLE");
    }
  });

  it("is pending where it may yet own what is indexed, and its node lags", async () => {
    const { deps } = world({
      receipt: () => null,
      input: () => null,
      index: [() => [indexedOrder(false, true)]],
    });
    expect((await record(deps)).data).toMatchObject({ mappingStatus: "pending", orderId: null });
  });

  it("may be of a suffix that was used before, which maps nothing by itself", async () => {
    const { deps, counts } = world({
      claim: claimRow({ source: "attributed" }),
      index: [() => [indexedOrder(false)], () => [indexedOrder(true)]],
    });
    expect(await record(deps)).toMatchObject({
      block: { number: 7n },
      data: { mappingStatus: "indexed", orderId: orderId(0) },
    });
    expect(counts.claimsWritten).toBe(1);
  });

  it("is answered though no node does", async () => {
    const { deps } = world({ claim: claimRow(), receipt: down, input: down });
    expect((await record(deps)).data).toMatchObject({ mappingId: CLAIM_ID, mappingStatus: "pending" });
  });

  it("is answered as its receipt has it though no node gives the calldata", async () => {
    const { deps } = world({ claim: claimRow(), input: down });
    expect((await record(deps)).data).toMatchObject({ mappingId: CLAIM_ID, orderId: orderId(0) });
  });

  it("hides no mistake of ours", async () => {
    const claim = claimRow();
    const { deps } = world({
      claim,
      input: () => SUFFIXED,
      named: () => thrown(new Error("a mistake")),
    });
    await expect(record(deps)).rejects.toThrow("a mistake");
    const sent = world({ sent: { ...claimRow({ source: "send" }), key_id: caller.keyId } });
    const unserved = { ...sent.deps, chains: new Map() };
    await expect(record(unserved)).rejects.toThrow("is not in the deployments file");
  });
});

describe("a new record", () => {
  it.each<[string, Partial<World>]>([
    ["the receipt", { receipt: down }],
    ["the calldata", { input: down }],
  ])("is refused while no node gives %s, and nothing is written", async (_what, failure) => {
    const { deps, counts } = world(failure);
    await expectRefusal(record(deps), "RPC_UNAVAILABLE");
    expect(counts.claimsWritten).toBe(0);
  });

  it("is pending where the index has nothing yet, and fails where the database does", async () => {
    const missing = () =>
      thrown(Object.assign(new Error('relation "onchain.stock_order" does not exist'), { code: "42P01" }));
    const { deps } = world({ index: [missing] });
    expect(await record(deps)).toMatchObject({ block: null, data: { mappingStatus: "pending" } });
    const gone = world({ index: [() => thrown(Object.assign(new Error("gone"), { code: "ECONNRESET" }))] });
    await expectRefusal(record(gone.deps), "DATABASE_UNAVAILABLE");
  });

  it("is answered as indexed where it is by then", async () => {
    const { deps } = world({ index: [() => [indexedOrder(true)]] });
    expect(await record(deps)).toMatchObject({
      block: { number: 7n },
      data: { mappingId: CLAIM_ID, mappingStatus: "indexed" },
    });
  });

  it("is another key's where all that is indexed by then is, though its node lags", async () => {
    const { deps } = world({ receipt: () => null, index: [() => [indexedOrder(false)]] });
    await expectAnothers(record(deps));
  });

  it("has the claim's id while its transaction is not mined", async () => {
    const { deps } = world({ receipt: () => null });
    expect((await record(deps)).data).toMatchObject({ mappingId: CLAIM_ID, orderId: null });
  });

  it("is mapped to the first order that it owns, under an id of that order's place", async () => {
    const { deps } = world({ receipt: () => 3, owners: [OTHER_CLAIM_ID, CLAIM_ID, CLAIM_ID] });
    expect((await record(deps)).data).toMatchObject({ mappingId: `${CLAIM_ID}.1`, orderId: orderId(1) });
  });

  it("is another key's where it owns none of its orders", async () => {
    const { deps } = world({ receipt: () => 2, owners: [OTHER_CLAIM_ID, null] });
    await expectAnothers(record(deps));
    const nobodys = world({ receipt: () => 2, owners: [null, null] });
    await expectAnothers(record(nobodys.deps));
  });
});

describe("a transaction with a valid suffix", () => {
  it("is refused to every key but the one that it names", async () => {
    const anothers = world({ input: () => SUFFIXED });
    await expectAnothers(record(anothers.deps));
    expect(anothers.counts.claimsWritten).toBe(0);
    const own = world({ input: () => SUFFIXED, named: () => caller.keyId });
    expect((await record(own.deps)).data).toMatchObject({ mappingId: CLAIM_ID, source: "recorded" });
  });

  it("is refused by what was verified before where no node knows it any more, without asking twice", async () => {
    const { deps, counts } = world({ receipt: () => null, input: () => null, verified: OTHER_KEY });
    await expectAnothers(record(deps));
    expect(counts).toEqual({ claimsWritten: 0, transactionsAsked: 1 });
  });

  it("is the sender's where this service sent it", async () => {
    const { deps } = world({
      sent: { ...claimRow({ source: "send" }), key_id: caller.keyId },
      verified: OTHER_KEY,
    });
    expect((await record(deps)).data).toMatchObject({ mappingId: CLAIM_ID, orderId: orderId(0) });
    const anothers = world({ sent: { ...claimRow({ source: "send" }), key_id: OTHER_KEY } });
    await expectAnothers(record(anothers.deps));
  });
});
