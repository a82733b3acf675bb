import { getAddress, type Hex } from "viem";
import type { Caller } from "../auth/caller.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import type { Deps } from "../deps.ts";
import { ApiError } from "../protocol/errors.ts";
import { readFailures, readQueues } from "../transactions/outbox/queue.ts";

/** GraphQL `sendQueues`, for dashboards alone: an API key is told of its own requests and of nobody else's. */
export async function readSendQueues(deps: Deps, caller: Caller | null, chainId: number) {
  if (caller) throw new ApiError("ROUTE_NOT_FOUND");
  const [queues, failed] = await withDatabaseErrors(() =>
    Promise.all([readQueues(deps.pool, chainId), readFailures(deps.pool, chainId)]),
  );
  const failures = Object.fromEntries(failed.map(({ errCode, count }) => [errCode, count]));
  return queues.map((queue) => ({ ...queue, wallet: getAddress(queue.wallet as Hex), failures }));
}
