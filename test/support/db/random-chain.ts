import type { Hex } from "viem";
import { signAttribution } from "../../../src/claims/attribution/suffix.ts";
import { hex } from "../assert/sample.ts";
import type { SeededRandom } from "../assert/seeded-random.ts";
import type { Onchain } from "./onchain.ts";

/** An index whose blocks are made at random, with reorgs: orders, operations and suffixes of a few users, in some products. */

const START_SECONDS = 1_799_000_000;
const BLOCK_SECONDS = 10;
/** Blocks that a reorg may take out. */
const DEPTH = 6;

const TABLES = ["stockOrder", "cashOperation", "stockOperation", "attributionSuffix"] as const;
type Table = (typeof TABLES)[number];

/** A version of a row, valid from a block on. */
interface Version {
  block: number;
  row: Record<string, unknown>;
}

export interface RandomChain {
  /** Indexed block, and the last one that no reorg takes out. */
  latest: number;
  safe: number;
  /** Transactions that are mined, or may be. */
  transactions: Hex[];
  /** Makes a block: transactions with orders and operations, fills, ends. */
  mine(): Promise<void>;
  /** Keeps a transaction from doing anything: claims to it are reverted once that is final. */
  fail(txHash: Hex): void;
  /** Takes out blocks that are not final. */
  reorg(): Promise<void>;
  /** Returns the time of the indexed block, Unix milliseconds. */
  nowMs(): number;
}

export const CHAIN_ID = 31337;
/** Returns true for transactions that go directly to the router and carry a suffix, mined or not. */
export const carriesSuffix = (txHash: Hex): boolean => Number.parseInt(txHash.slice(-1), 16) % 5 < 3;
/** Returns true where a transaction's suffix has our form: no record owns its effects before the suffix is checked. */
const hasOwnForm = (txHash: Hex): boolean => Number.parseInt(txHash.slice(-2), 16) % 2 === 0;
/** A suffix in the form of ours. */
export const OURS = signAttribution(
  [{ id: "one", key: new Uint8Array(32).fill(1) }],
  { chainId: CHAIN_ID, router: hex(20, 0x7), callData: "0x" },
  { apiKey: "ak", user: null },
);
export const USERS = [1, 2, 3].map((user) => hex(20, 0xa0 + user));
export const STOCKS = [1, 2].map((stock) => hex(20, 0x570 + stock));

export function createRandomChain(
  onchain: Onchain,
  random: SeededRandom,
  ...products: string[]
): RandomChain {
  const rows = new Map<string, { table: Table; versions: Version[] }>();
  const transactions: Hex[] = [];
  const failed = new Set<string>();
  let ids = 0;
  const id = () => hex(32, 0xabc000 + ids++);
  const chain = { latest: 10, safe: 4 };
  const salt = random.below(2 ** 20);
  const hashOf = (serial: number) => hex(32, 0xb10c * 2 ** 36 + salt * 2 ** 16 + serial);
  let mined = 0;
  /** Hashes of the blocks with an event, by number; the set-up is final. */
  const hashes = new Map([[chain.safe, hashOf(mined)]]);
  const timeOf = (block: number) => BigInt(START_SECONDS + block * BLOCK_SECONDS);

  const write = (key: string, table: Table, row: Record<string, unknown>) => {
    const known = rows.get(key) ?? { table, versions: [] };
    const before = known.versions.at(-1)?.row ?? {};
    known.versions.push({ block: chain.latest, row: { ...before, ...row } });
    rows.set(key, known);
    hashes.set(chain.latest, hashOf(mined));
  };
  const touched = () => ({ updatedAt: timeOf(chain.latest), updatedBlock: BigInt(chain.latest) });
  const productOf = (txHash: string) => products[Number.parseInt(txHash.slice(-2), 16) % products.length];
  const made = (txHash: string, logIndex: number) => ({
    chainId: CHAIN_ID,
    productType: productOf(txHash),
    txHash,
    logIndex,
    userAddress: random.of(USERS),
    blockNumber: BigInt(chain.latest),
    createdAt: timeOf(chain.latest),
    ...touched(),
  });

  function order(txHash: string, logIndex: number): void {
    const orderId = id();
    write(orderId, "stockOrder", {
      ...made(txHash, logIndex),
      orderId,
      stockAddress: random.of(STOCKS),
      side: random.of(["Buy", "Sell"]),
      orderType: random.of(["Market", "Limit"]),
      status: "open",
    });
    if (random.chance(0.2)) cash(txHash, logIndex + 1, orderId);
  }

  function cash(txHash: string, logIndex: number, orderId: string | null): void {
    const opId = id();
    const kind = orderId ? "deposit" : random.of(["deposit", "withdraw"]);
    write(opId, "cashOperation", {
      ...made(txHash, logIndex),
      opId,
      kind,
      orderId,
      tokenAddress: random.of(STOCKS),
      isInstant: random.chance(0.5),
      status: "processing",
    });
  }

  function stock(txHash: string, logIndex: number): void {
    const opId = id();
    const { updatedAt: _at, updatedBlock: _block, ...row } = made(txHash, logIndex);
    const kind = random.of(["stock-deposit", "stock-withdraw"]);
    write(opId, "stockOperation", { ...row, opId, kind, tokenAddress: random.of(STOCKS), amount: 1n });
  }

  function mineTransaction(transactionIndex: number): void {
    const known = [...rows.values()].map(({ versions }) => versions[0]?.row.txHash);
    const waiting = transactions.filter((txHash) => !known.includes(txHash) && !failed.has(txHash));
    const txHash = waiting.length > 0 && random.chance(0.7) ? random.of(waiting) : id();
    if (!transactions.includes(txHash)) transactions.push(txHash);
    for (let n = random.below(3); n >= 0; n--)
      random.of([order, order, stock, (t: string, l: number) => cash(t, l, null)])(txHash, 10 * n);
    if (carriesSuffix(txHash)) {
      write(`suffix ${txHash}`, "attributionSuffix", {
        chainId: CHAIN_ID,
        productType: productOf(txHash),
        txHash,
        fromAddress: random.of(USERS),
        callData: "0x",
        suffix: hasOwnForm(txHash) ? OURS : "0x",
        blockNumber: BigInt(chain.latest),
        transactionIndex,
      });
    }
  }

  /** Changes what is open, also a second time in the same block. */
  function change(): void {
    for (const [key, { table, versions }] of rows) {
      const status = versions.at(-1)?.row.status;
      if (table === "stockOrder" && (status === "open" || status === "canceling") && random.chance(0.3)) {
        const next = random.of(["open", "canceling", "filled", "canceled", "rejected", "expired"]);
        write(key, table, { status: next, filledQuantity: BigInt(random.below(2)), ...touched() });
      }
      if (table === "cashOperation" && status === "processing" && random.chance(0.3))
        write(key, table, { status: random.of(["completed", "failed"]), ...touched() });
    }
  }

  const publish = () => {
    const of = (wanted: Table) =>
      [...rows.values()].flatMap(({ table, versions }) =>
        table === wanted ? [versions.at(-1)?.row ?? {}] : [],
      );
    const tables = Object.fromEntries(TABLES.map((table) => [table, of(table)]));
    const block = (number: number) => ({ number: BigInt(number), timestamp: timeOf(number) });
    const eventBlock = [...hashes].map(([number, hash]) => ({
      chainId: CHAIN_ID,
      number: BigInt(number),
      hash,
    }));
    return onchain.replace(CHAIN_ID, { ...tables, eventBlock }, block(chain.latest), block(chain.safe));
  };

  return {
    get latest() {
      return chain.latest;
    },
    get safe() {
      return chain.safe;
    },
    transactions,
    fail: (txHash) => failed.add(txHash),
    nowMs: () => Number(timeOf(chain.latest)) * 1000,
    mine: async () => {
      chain.latest += 1;
      mined += 1;
      chain.safe = Math.max(chain.safe, chain.latest - DEPTH);
      for (let n = random.below(3); n > 0; n--) mineTransaction(n);
      change();
      await publish();
    },
    reorg: async () => {
      chain.latest = Math.max(chain.safe, chain.latest - random.below(random.of([2, DEPTH + 1])));
      for (const [key, entry] of rows) {
        entry.versions = entry.versions.filter(({ block }) => block <= chain.latest);
        if (entry.versions.length === 0) rows.delete(key);
      }
      for (const number of hashes.keys()) if (number > chain.latest) hashes.delete(number);
      await publish();
    },
  };
}
