import { getAddress, type Hex } from "viem";
import type { Caller } from "../auth/caller.ts";
import type { Deps } from "../context/deps.ts";
import { ApiError } from "../protocol/errors.ts";
import { type Failures, readFailures, readQueues } from "../sending/outbox/queue-store.ts";

/** GraphQL `sendQueues`, for dashboards alone: an API key sees only its own requests. */
export async function readSendQueues(deps: Deps, caller: Caller | null, chainId: number) {
  if (caller) throw new ApiError("ROUTE_NOT_FOUND");
  const [queues, failed] = await Promise.all([
    readQueues(deps.pool, chainId),
    readFailures(deps.pool, chainId),
  ]);
  return queues.map(({ wallet, ...queue }) => ({
    ...queue,
    wallet: getAddress(wallet as Hex),
    failures: failuresOf(failed.filter((one) => one.wallet === wallet)),
  }));
}

const failuresOf = (failed: readonly Failures[]) =>
  Object.fromEntries(failed.map(({ errCode, count }) => [errCode, count]));
