// The recent blocks of a chain as its nodes have told them: enough to see that an answer is stale.
import { z } from "zod";

const REMEMBERED_BLOCKS = 1024;

export const blockSchema = z.object({
  number: z.string().transform(Number),
  hash: z.string(),
  parentHash: z.string(),
  logsBloom: z.string(),
});
export type SeenBlock = z.output<typeof blockSchema>;

export function chainMemory() {
  const hashes = new Map<number, string>();
  const numbers = new Map<string, number>();
  const withLogs = new Set<string>();
  let head = Number.NEGATIVE_INFINITY;

  const record = (block: SeenBlock) => {
    hashes.set(block.number, block.hash);
    hashes.set(block.number - 1, block.parentHash);
    if (numbers.size > REMEMBERED_BLOCKS) numbers.clear();
    numbers.set(block.hash, block.number);
    if (/[1-9a-f]/.test(block.logsBloom.slice(2))) withLogs.add(block.hash);
  };

  return {
    /** Takes a block in that belongs to the chain. */
    record,
    /**
     * Takes a head in. False, and nothing taken in, where it is below a known one without being a fork from it: the
     * node that tells it is behind. A fork that is shorter shows as another hash at its height.
     */
    recordHead(block: SeenBlock): boolean {
      const known = hashes.get(block.number);
      if (block.number < head && (known === undefined || known === block.hash)) return false;
      head = block.number;
      for (const number of hashes.keys()) {
        if (number > head || number < head - REMEMBERED_BLOCKS) hashes.delete(number);
      }
      if (withLogs.size > REMEMBERED_BLOCKS) withLogs.clear();
      record(block);
      return true;
    },
    /** The number of the block with this hash, on whatever fork it was. */
    numberOf: (hash: string) => numbers.get(hash),
    /** Whether the block with this hash is known to hold logs. */
    hasLogs: (hash: string) => withLogs.has(hash),
  };
}
