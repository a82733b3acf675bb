import type { Address, Hex, PublicClient } from "viem";
import { applyLogs, type Book, emptyBook } from "./book.ts";

/** Maximum number of blocks in one request; public nodes refuse more. */
const RANGE = 5_000n;

/** Position up to which the book is complete. */
interface Cursor {
  number: bigint;
  hash: Hex;
}

export interface Scanner {
  book: Book;
  /** Reads the chain up to its head. A reorg below the last head, or a chain that got shorter, rebuilds the book. */
  refresh(): Promise<void>;
}

export interface ScanOptions {
  client: PublicClient;
  /** Stock and Cashier. */
  addresses: Address[];
  startBlock: bigint;
  /** Unix milliseconds. */
  now: () => number;
}

export function createScanner({ client, addresses, startBlock, now }: ScanOptions): Scanner {
  let cursor: Cursor | null = null;
  const scanner: Scanner = { book: emptyBook(), refresh };

  async function refresh(): Promise<void> {
    const head = await client.getBlock({ blockTag: "latest" });
    if (cursor?.hash === head.hash) return;
    const follows = cursor !== null && head.parentHash === cursor.hash;
    if (follows && BigInt(head.logsBloom ?? 1) === 0n) {
      cursor = { number: head.number, hash: head.hash };
      return;
    }
    const isOnTop = follows || (await isStillThere(cursor));
    const from = isOnTop && cursor ? cursor.number + 1n : startBlock;
    const fresh = from === startBlock;
    const book = fresh ? emptyBook() : scanner.book;
    for (let low = from; low <= head.number; low += RANGE) {
      const high = low + RANGE - 1n < head.number ? low + RANGE - 1n : head.number;
      await read(book, low, high);
    }
    if (fresh) keepTouches(scanner.book, book);
    scanner.book = book;
    cursor = { number: head.number, hash: head.hash };
  }

  async function isStillThere(known: Cursor | null): Promise<boolean> {
    if (!known) return false;
    const block = await client.getBlock({ blockNumber: known.number }).catch(() => null);
    return block?.hash === known.hash;
  }

  async function read(book: Book, fromBlock: bigint, toBlock: bigint): Promise<void> {
    const logs = await client.getLogs({ address: addresses, fromBlock, toBlock });
    if (logs.length === 0) return;
    const numbers = [...new Set(logs.map((log) => log.blockNumber))];
    const blocks = await Promise.all(numbers.map((blockNumber) => client.getBlock({ blockNumber })));
    const times = new Map(blocks.map((block) => [block.number, Number(block.timestamp)]));
    applyLogs(book, logs, { now: now(), timeOf: (number) => times.get(number) ?? 0 });
  }

  return scanner;
}

/** Keeps the times of work that is still open after a reorg, so that its delay does not start again. */
function keepTouches(before: Book, after: Book): void {
  for (const [id, order] of after.orders) {
    const known = before.orders.get(id);
    if (known && known.filled === order.filled && known.canceling === order.canceling) {
      after.orders.set(id, { ...order, touchedAt: known.touchedAt });
    }
  }
  for (const [id, operation] of after.operations) {
    const known = before.operations.get(id);
    if (known) after.operations.set(id, { ...operation, touchedAt: known.touchedAt });
  }
}
