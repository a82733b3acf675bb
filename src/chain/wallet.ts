import { erc20Abi, type Hex } from "viem";
import type { IndexedBlock } from "../db/checkpoint.ts";
import { ApiError } from "../protocol/errors.ts";
import type { BlockReads, ViewCall } from "./reads.ts";

/** Base units of a token in a wallet; `allowance` is null without a spender. */
export interface WalletToken {
  balance: bigint;
  allowance: bigint | null;
}

/** A wallet's balances and allowances, by lower-case token address. */
export interface Wallet {
  tokens: ReadonlyMap<Hex, WalletToken>;
  /** The block it was read at. */
  blockNumber: bigint;
}

export interface WalletQuery {
  user: Hex;
  spender: Hex | null;
  tokens: readonly Hex[];
}

/**
 * Returns a wallet's balances and allowances at an indexed block, in one request shared with all callers who ask the same.
 * @returns null where a reorg came between the index and the node (see BlockReads.at).
 * @throws ApiError RPC_UNAVAILABLE
 */
export async function readWallet(
  reads: BlockReads,
  block: IndexedBlock,
  question: WalletQuery,
): Promise<Wallet | null> {
  const answers = await reads.at(block, callsFor(question));
  if (!answers) return null;
  return { tokens: tokensOf(question, answers.results), blockNumber: answers.blockNumber };
}

function callsFor({ user, spender, tokens }: WalletQuery): ViewCall[] {
  const balances = tokens.map((address) => ({
    address,
    abi: erc20Abi,
    functionName: "balanceOf",
    args: [user],
  }));
  if (!spender) return balances;
  const allowances = tokens.map((address) => ({
    address,
    abi: erc20Abi,
    functionName: "allowance",
    args: [user, spender],
  }));
  return [...balances, ...allowances];
}

function tokensOf({ spender, tokens }: WalletQuery, results: unknown[]): Map<Hex, WalletToken> {
  return new Map(
    tokens.map((address, index) => [
      address,
      {
        balance: parseAmount(results[index]),
        allowance: spender ? parseAmount(results[tokens.length + index]) : null,
      },
    ]),
  );
}

/** Returns an amount that a view function answered. @throws ApiError RPC_UNAVAILABLE where it answered none */
export function parseAmount(result: unknown): bigint {
  if (typeof result === "bigint") return result;
  throw new ApiError("RPC_UNAVAILABLE", { cause: new Error("a contract did not tell an amount") });
}
