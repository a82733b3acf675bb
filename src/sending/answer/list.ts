import type { Caller } from "../../auth/caller.ts";
import type { Deps } from "../../context/deps.ts";
import { encodeEventCursor } from "../../context/input/event-cursor.ts";
import { decodeCursor, encodeCursor } from "../../context/input/list.ts";
import type { BlockRead } from "../../context/request.ts";
import type { SendAnswer } from "../send.ts";
import type { SendListInput } from "./input.ts";
import { readSends } from "./store.ts";

interface SendList {
  rows: SendAnswer[];
  nextCursor: string | null;
}

/** GET /sends (docs/api.md#sends): the key's requests, newest first. @throws ApiError VALIDATION_FAILED (cursor) */
export async function listSends(
  deps: Pick<Deps, "pool">,
  caller: Caller,
  { cursor, ...input }: SendListInput,
): Promise<BlockRead<SendList>> {
  const { chainId, productType } = caller;
  const name = { list: "sends", chainId, productType };
  const after = cursor === undefined ? null : decodeCursor(name, cursor);
  const { block, data } = await readSends(deps.pool, caller, input, after);
  const shown = data.rows.slice(0, input.limit);
  const last = shown.at(-1);
  const more = last !== undefined && data.rows.length > shown.length;
  return {
    block,
    // Without the index, mappings are those of claims alone. The log may have reported them already, and would not again.
    eventCursor: block && encodeEventCursor(caller, data.eventSequence),
    data: {
      rows: shown.map(({ answer }) => answer),
      nextCursor: more ? encodeCursor(name, { ...last.position, logIndex: 0 }) : null,
    },
  };
}
