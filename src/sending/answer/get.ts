import type { Caller } from "../../auth/caller.ts";
import type { Deps } from "../../context/deps.ts";
import type { BlockRead } from "../../context/request.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { SendAnswer } from "../send.ts";
import type { SendIdInput } from "./input.ts";
import { readSend } from "./store.ts";

/**
 * GET /sends/{requestId}: the reply of the request as it stands now.
 * @throws ApiError SEND_NOT_FOUND (also where another key sent it)
 */
export async function getSend(
  deps: Pick<Deps, "pool">,
  caller: Caller,
  { requestId }: SendIdInput,
): Promise<BlockRead<SendAnswer>> {
  const { block, data } = await readSend(deps.pool, caller, requestId);
  if (!data) throw new ApiError("SEND_NOT_FOUND");
  return { block, data };
}
