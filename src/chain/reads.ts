import { LRUCache } from "lru-cache";
import { type Abi, type Hex, type PublicClient, parseAbi } from "viem";
import { createBatcher } from "../db/batch.ts";
import type { IndexedBlock } from "../db/checkpoint.ts";
import { ApiError } from "../protocol/errors.ts";
import { isMissingState, withRpcErrors } from "./errors.ts";

/** A view function of a contract, batched with others into one request. */
export interface ViewCall {
  address: Hex;
  abi: Abi;
  functionName: string;
  args?: readonly unknown[];
}

/** Answers in the order of the calls, decoded; null where a call reverted. */
interface Answers {
  results: unknown[];
  /** Block of the answers. */
  blockNumber: bigint;
}

export interface BlockReads {
  /**
   * Reads at an indexed block. Reuses calls that other requests of this block made, and sends all others in one request. Where
   * the node lacks the state of that block, reads everything at its latest.
   * @returns null where the node's block of that number differs from the indexed one: a reorg came in between.
   * @throws ApiError RPC_UNAVAILABLE
   */
  at(block: IndexedBlock, calls: readonly ViewCall[]): Promise<Answers | null>;
  /**
   * Reads at the node's latest block, in one request with others that have not begun yet; never at a block older than this call.
   * @throws ApiError RPC_UNAVAILABLE
   */
  latest(calls: readonly ViewCall[]): Promise<Answers>;
}

const multicallAbi = parseAbi([
  "function getCurrentBlockTimestamp() view returns (uint256)",
  "function getBlockNumber() view returns (uint256)",
]);

/**
 * Where a deployment names no Multicall3, viem sends its code along ("deployless"). To ask this code for the block as well, its
 * address must be known, and hence its sender: an address without a known private key, whose nonce is always 0. The address
 * follows from sender and code; a test recomputes it.
 */
export const DEPLOYLESS_SENDER: Hex = "0x00000000000000000000000000000000000b10c5";
export const DEPLOYLESS_MULTICALL: Hex = "0xe7d2e9c17bce8c8dbb11ae07650bd1636bf3f3f0";

/** Blocks whose answers are kept: requests of the newest, and stragglers. */
const BLOCKS_KEPT = 3;
/** Answers that are kept of one block, some 10 MB: beyond it the least recently used goes, and is read again on demand. */
const ANSWERS_KEPT = 10_000;
/** The size of init code (48 KiB) bounds a deployless call; each call in it takes some 250 bytes. */
const CALLS_PER_REQUEST = 120;

/**
 * Reads at the latest block: each run waits for a node, so few of them gather much. Nodes are given up long before the time
 * limit (clients.ts).
 */
const LATEST = { maxItems: 40, maxRunning: 4, timeoutMs: 60_000 };

type Answer = Promise<{ result: unknown; timestamp: bigint }>;

interface BlockAnswers {
  calls: LRUCache<string, Answer>;
  /** True where the node lacks the state of this block. */
  gone: boolean;
}

export function createBlockReads(client: PublicClient, multicall3: Hex | null): BlockReads {
  const blocks = new LRUCache<string, BlockAnswers>({ max: BLOCKS_KEPT });

  function answersOf(block: IndexedBlock): BlockAnswers {
    const key = `${block.number}/${block.timestamp}`;
    const known = blocks.get(key);
    if (known) return known;
    const created: BlockAnswers = { calls: new LRUCache({ max: ANSWERS_KEPT }), gone: false };
    blocks.set(key, created);
    return created;
  }

  async function shared(block: IndexedBlock, calls: readonly ViewCall[], known: BlockAnswers) {
    const keyed = calls.map((call) => ({ call, key: keyOf(call) }));
    // Taken before anything new is kept, which may push out what is there.
    const answers = new Map(keyed.map(({ key }) => [key, known.calls.get(key)]));
    const missing = keyed.filter(({ key }) => !answers.get(key));
    for (let start = 0; start < missing.length; start += CALLS_PER_REQUEST) {
      const part = missing.slice(start, start + CALLS_PER_REQUEST);
      const request = multicall(
        client,
        multicall3,
        part.map(({ call }) => call),
        block.number,
      );
      for (const [index, { key }] of part.entries()) {
        const answer = request.then(({ results, timestamp }) => ({ result: results[index], timestamp }));
        answers.set(key, answer);
        keep(known, key, answer);
      }
    }
    return Promise.all(keyed.map(({ key }) => answers.get(key)));
  }

  const latestInBatch = createBatcher<readonly ViewCall[], Answers>(
    (asked) => readBatch(client, multicall3, asked),
    LATEST,
  );
  const latest = (calls: readonly ViewCall[]): Promise<Answers> => withRpcErrors(() => latestInBatch(calls));

  async function at(block: IndexedBlock, calls: readonly ViewCall[]): Promise<Answers | null> {
    if (calls.length === 0) return { results: [], blockNumber: block.number };
    const known = answersOf(block);
    if (known.gone) return latest(calls);
    try {
      const answers = await shared(block, calls, known);
      if (answers.some((answer) => answer?.timestamp !== block.timestamp)) {
        known.calls.clear();
        return null;
      }
      return { results: answers.map((answer) => answer?.result ?? null), blockNumber: block.number };
    } catch (error) {
      if (!isMissingState(error)) throw new ApiError("RPC_UNAVAILABLE", { cause: error });
      known.gone = true;
      return latest(calls);
    }
  }

  return { at, latest };
}

function keep({ calls }: BlockAnswers, key: string, answer: Answer): void {
  calls.set(key, answer);
  // A failure is not cached: its callers get it, and the next request tries again.
  answer.catch(() => {
    if (calls.get(key) === answer) calls.delete(key);
  });
}

const abiNames = new Map<Abi, number>();

/** Returns the number of an ABI. ABIs are constants, so each keeps its number. */
function numberOf(abi: Abi): number {
  const known = abiNames.get(abi) ?? abiNames.size;
  abiNames.set(abi, known);
  return known;
}

/** Names a call by its ABI and arguments: to encode each call for its name would take most of the time of a read. */
function keyOf({ address, abi, functionName, args }: ViewCall): string {
  const toText = (_: string, value: unknown): unknown => (typeof value === "bigint" ? `${value}n` : value);
  return JSON.stringify([numberOf(abi), address, functionName, args], toText);
}

/** Sends several callers' calls at the latest block, without duplicates, in as few requests as possible. */
async function readBatch(
  client: PublicClient,
  multicall3: Hex | null,
  asked: readonly (readonly ViewCall[])[],
): Promise<Answers[]> {
  const answers: Answers[] = [];
  for (let rest = asked; rest.length > 0; ) {
    const together = fitting(rest);
    const keys = together.map((own) => own.map(keyOf));
    const calls = new Map(together.flatMap((own, asker) => own.map((call, n) => [keys[asker]?.[n], call])));
    const { results, blockNumber } = await multicall(client, multicall3, [...calls.values()]);
    const byKey = new Map([...calls.keys()].map((key, index) => [key, results[index]]));
    for (const own of keys) answers.push({ results: own.map((key) => byKey.get(key) ?? null), blockNumber });
    rest = rest.slice(together.length);
  }
  return answers;
}

/** Returns the calls of the first caller, and of as many after it as fit into one request. */
function fitting(asked: readonly (readonly ViewCall[])[]): (readonly ViewCall[])[] {
  let count = 0;
  const end = asked.findIndex((calls, index) => {
    count += calls.length;
    return index > 0 && count > CALLS_PER_REQUEST;
  });
  return asked.slice(0, end < 0 ? asked.length : end);
}

async function multicall(
  client: PublicClient,
  multicall3: Hex | null,
  calls: readonly ViewCall[],
  blockNumber?: bigint,
): Promise<Answers & { timestamp: bigint }> {
  const own = { address: multicall3 ?? DEPLOYLESS_MULTICALL, abi: multicallAbi } as const;
  const contracts: readonly ViewCall[] = [
    { ...own, functionName: "getCurrentBlockTimestamp" },
    { ...own, functionName: "getBlockNumber" },
    ...calls,
  ];
  const answers = await client.multicall({
    account: DEPLOYLESS_SENDER,
    deployless: multicall3 === null,
    batchSize: 0,
    contracts,
    ...(blockNumber === undefined ? { blockTag: "latest" as const } : { blockNumber }),
  });
  const [timestamp, number] = answers;
  // These two never revert: where they fail, the whole request failed.
  if (timestamp?.status !== "success") throw timestamp?.error ?? new Error("a multicall without an answer");
  if (number?.status !== "success") throw number?.error ?? new Error("a multicall without an answer");
  return {
    timestamp: BigInt(String(timestamp.result)),
    blockNumber: BigInt(String(number.result)),
    results: answers.slice(2).map(({ status, result }) => (status === "success" ? result : null)),
  };
}
