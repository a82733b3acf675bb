// Keeps the recent blocks of a chain as its nodes reported them: enough to see that an answer is stale.
import { LRUCache } from "lru-cache";
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
  const blocks = new LRUCache<string, { number: number; hasLogs: boolean }>({ max: REMEMBERED_BLOCKS });
  let head = Number.NEGATIVE_INFINITY;

  const record = (block: SeenBlock) => {
    hashes.set(block.number, block.hash);
    hashes.set(block.number - 1, block.parentHash);
    blocks.set(block.hash, { number: block.number, hasLogs: /[1-9a-f]/.test(block.logsBloom) });
  };

  return {
    /** Records a block of the chain. */
    record,
    /**
     * Records a head. Returns false, and records nothing, where it is below a known one without being a fork from it: its
     * node is behind. A fork that is shorter shows as another hash at its height.
     */
    recordHead(block: SeenBlock): boolean {
      const known = hashes.get(block.number);
      if (block.number < head && (known === undefined || known === block.hash)) return false;
      head = block.number;
      for (const number of hashes.keys()) {
        if (number > head || number < head - REMEMBERED_BLOCKS) hashes.delete(number);
      }
      record(block);
      return true;
    },
    /** Returns the number of the block with this hash, on any fork. */
    numberOf: (hash: string) => blocks.get(hash)?.number,
    /** Returns whether the block with this hash is known to hold logs. */
    hasLogs: (hash: string) => blocks.get(hash)?.hasLogs ?? false,
  };
}
