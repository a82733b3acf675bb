import { BaseError, ExecutionRevertedError, type Hex, RawContractError, RpcRequestError } from "viem";
import { decodeRevert } from "../contracts/reverts.ts";
import { ApiError } from "../protocol/errors.ts";
import type { Chain } from "./clients.ts";
import { withRpcErrors } from "./errors.ts";

/** A call as a wallet would send it. */
export interface Submission {
  from: Hex;
  to: Hex;
  data: Hex;
}

export interface Simulation {
  /** Gas used, without a margin; null where the call reverts. */
  gasEstimate: bigint | null;
  /** Name of the custom error (or Error, Panic) that the call ended in; null where it passes. */
  revert: string | null;
}

/** Revert data that no contract of ours can have made. */
const UNKNOWN_REVERT = "UnknownRevert";

/** Tries the exact call from a wallet at the latest block. @throws ApiError RPC_UNAVAILABLE */
export async function simulate(chain: Chain, { from, to, data }: Submission): Promise<Simulation> {
  const call = { account: from, to, data };
  return withRpcErrors(async () => {
    try {
      return { gasEstimate: await chain.client.estimateGas(call), revert: null };
    } catch (error) {
      // An estimate also fails where the wallet has no coins for gas, and some nodes leave out what it reverted with:
      // the plain call decides.
      return { gasEstimate: null, revert: decodeRevert(error)?.name ?? (await revertOf(chain, call)) };
    }
  });
}

/**
 * Returns the gas of a call to send for a user, without a margin.
 * @throws ApiError CHAIN_REVERT where the call reverts; RPC_UNAVAILABLE, also where it passes and the node only lacks an
 * estimate: the next attempt may reach another node
 */
export async function estimate(chain: Chain, submission: Submission): Promise<bigint> {
  const { gasEstimate, revert } = await simulate(chain, submission);
  if (revert !== null) throw new ApiError("CHAIN_REVERT", { revert });
  if (gasEstimate === null) throw new ApiError("RPC_UNAVAILABLE");
  return gasEstimate;
}

async function revertOf(chain: Chain, call: { account: Hex; to: Hex; data: Hex }): Promise<string | null> {
  try {
    await chain.client.call(call);
    return null;
  } catch (error) {
    if (!isRevert(error)) throw error;
    return decodeRevert(error)?.name ?? UNKNOWN_REVERT;
  }
}

/** Texts by which nodes report, beside a revert, that a call ran and failed. */
const HALTED = /opcode|invalid jump|stack (under|over)flow|out of gas/i;

/** Returns true where the call itself failed, not the request. */
export function isRevert(error: unknown): boolean {
  if (decodeRevert(error)) return true;
  if (!(error instanceof BaseError)) return false;
  const failed = (link: unknown) =>
    link instanceof ExecutionRevertedError ||
    link instanceof RawContractError ||
    (link instanceof RpcRequestError && HALTED.test(link.details));
  return error.walk(failed) !== null;
}
