import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { parse, stringify } from "lossless-json";
import { z } from "zod";

const NO_PARENT = `0x${"0".repeat(64)}`;

const stateFile = z.looseObject({
  blocks: z.array(
    z.looseObject({ header: z.looseObject({ parentHash: z.string(), timestamp: z.string() }) }),
  ),
});

/**
 * Removes foreign genesis blocks from a chain's state file. Anvil makes one at each start, keeps it beside that of the state it
 * reads, and writes all of them; when it reads them again, any of them may become block 0, which the indexer takes for a reorg of
 * final blocks. The chain's own is the oldest. A file that holds no state is left to anvil.
 */
export function keepOwnGenesis(statePath: string): void {
  if (!existsSync(statePath)) return;
  const text = readFileSync(statePath, "utf8");
  // Most states have one, and searching a long text is faster than parsing it.
  if ((text.match(/"parentHash":\s*"0x0{64}"/g) ?? []).length <= 1) return;
  const state = stateFile.safeParse(parseState(text));
  if (!state.success) return;
  const { blocks } = state.data;
  const createdAt = ({ header }: (typeof blocks)[number]) => BigInt(header.timestamp);
  const [own] = blocks
    .filter(({ header }) => header.parentHash === NO_PARENT)
    .toSorted((one, other) => Number(createdAt(one) - createdAt(other)));
  const kept = blocks.filter((block) => block === own || block.header.parentHash !== NO_PARENT);
  const temporary = `${statePath}.${process.pid}.tmp`;
  writeFileSync(temporary, stringify({ ...state.data, blocks: kept }) ?? "");
  renameSync(temporary, statePath);
}

function parseState(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
