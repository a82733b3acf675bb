import { type Abi, BlockNotFoundError, type Hex } from "viem";
import type { Chain } from "../../../../src/chain/clients.ts";
import { isMissingState } from "../../../../src/chain/errors.ts";
import type { ViewCall } from "../../../../src/chain/reads.ts";
import type { IndexedBlock } from "../../../../src/db/checkpoint.ts";
import { TryAgain } from "./try-again.ts";

/**
 * Without a Multicall3, the maximum size of a contract's code (24,576 bytes) bounds all answers together, because the node takes
 * them for the code of a new contract. An order takes 608 bytes, including the encoding around each answer.
 */
const CALLS_PER_DEPLOYLESS_REQUEST = 32;
const CALLS_PER_REQUEST = 200;

/** Contracts of a chain at one block. */
export interface ChainView {
  block: IndexedBlock;
  /** Returns the answers in the order of the calls. @throws Error where one of them has none */
  read(calls: readonly ViewCall[]): Promise<unknown[]>;
  /** Returns the number of an account's mined transactions, at this block or so many before it. */
  nonceOf(address: Hex, blocksBefore?: number): Promise<bigint>;
  /** @throws TryAgain where a reorg has replaced the block since it was opened */
  requireUnchanged(): Promise<void>;
}

/**
 * Opens a view of a block.
 * @throws TryAgain where the node's block of that number is not the indexed one
 */
export async function openChainView(chain: Chain, number: bigint, indexed: IndexedBlock): Promise<ChainView> {
  const { client, config } = chain;
  const { hash, timestamp } = await client.getBlock({ blockNumber: number }).catch(behind(number));
  const block = { number, timestamp };
  if (number === indexed.number && timestamp !== indexed.timestamp)
    throw new TryAgain(`the node's block ${number} is not the one that was indexed, as during a reorg`);
  const read = async (calls: readonly ViewCall[]): Promise<unknown[]> => {
    const answers: unknown[] = [];
    const size = config.multicall3 === null ? CALLS_PER_DEPLOYLESS_REQUEST : CALLS_PER_REQUEST;
    for (let start = 0; start < calls.length; start += size) {
      const part = calls.slice(start, start + size);
      answers.push(...(await multicall(chain, number, part)));
    }
    return answers;
  };
  return {
    block,
    read,
    nonceOf: async (address, blocksBefore = 0) => {
      const at = number - BigInt(blocksBefore);
      const blockNumber = at > 0n ? at : 0n;
      return BigInt(await client.getTransactionCount({ address, blockNumber }).catch(explain(number)));
    },
    requireUnchanged: async () => {
      const now = await client.getBlock({ blockNumber: number }).catch(behind(number));
      if (now.hash !== hash)
        throw new TryAgain(`a reorg replaced block ${number} of chain ${config.chainId} meanwhile`);
    },
  };
}

async function multicall({ client, config }: Chain, blockNumber: bigint, calls: readonly ViewCall[]) {
  const answers = await client
    .multicall({
      contracts: calls as { address: Hex; abi: Abi; functionName: string }[],
      blockNumber,
      batchSize: 0,
      deployless: config.multicall3 === null,
    })
    .catch(explain(blockNumber));
  return answers.map((answer, index) => {
    if (answer.status === "success") return answer.result;
    const { address, functionName } = calls[index] as ViewCall;
    const message = `${address} does not answer ${functionName} at block ${blockNumber}: the deployments file names another contract, or the node has no state of that block`;
    throw new Error(message, { cause: answer.error });
  });
}

const explain =
  (block: bigint) =>
  (cause: unknown): never => {
    if (!isMissingState(cause)) throw cause;
    const message = `the node has no state of block ${block}: name a node that keeps old states in rpcUrls, or try again`;
    throw new Error(message, { cause });
  };

const behind =
  (block: bigint) =>
  (cause: unknown): never => {
    if (!(cause instanceof BlockNotFoundError)) throw cause;
    throw new TryAgain(`the node does not have block ${block}, which is indexed`, { cause });
  };
