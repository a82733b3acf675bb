import { plural, type Step, step } from "./steps.ts";
import { minedBlockOf, type Story } from "./story.ts";

/** Returns the block after which nothing of the object changes but by itself: its end, or else its beginning on the chain. */
export function lastBlockOf(story: Story): bigint | null {
  const { subject, orders, operations } = story;
  if (subject.kind === "send" || subject.kind === "transaction") return minedBlockOf(story);
  const [made] = subject.kind === "order" ? orders : operations;
  return made ? (made.settledAt === null ? made.blockNumber : made.updatedBlock) : minedBlockOf(story);
}

/** Returns blocks on top of a block by the newest head that is known; null where nothing is. */
export function blocksOnTop({ head, block }: Story, blockNumber: bigint): bigint | null {
  const newest = head ?? block?.number ?? null;
  if (newest === null) return null;
  return newest < blockNumber ? 0n : newest - blockNumber;
}

/** Returns how many blocks are missing until a block is final; null where it is, or nothing is known. */
export function blocksToFinal(story: Story): bigint | null {
  const last = lastBlockOf(story);
  const onTop = last === null ? null : blocksOnTop(story, last);
  const confirmations = BigInt(story.chain.config.confirmations);
  return onTop === null || onTop >= confirmations ? null : confirmations - onTop;
}

/** Returns the step that nothing changes any more, or that it is expected. A request's own record of it comes first. */
export function finalStep(story: Story): Step[] {
  const last = lastBlockOf(story);
  if (last === null || isRecorded(story, last)) return [];
  const missing = blocksToFinal(story);
  const { confirmations } = story.chain.config;
  const what = last === minedBlockOf(story) ? "The transaction" : "The settlement";
  if (missing !== null) {
    const title = `${what} is final in ${plural(missing, "block")}`;
    return [step({ kind: "final", title, state: "expected", blockNumber: last + BigInt(confirmations) })];
  }
  if (blocksOnTop(story, last) === null) return [];
  const title = `${what} is final after ${confirmations} confirmations`;
  return [step({ kind: "final", title, blockNumber: last })];
}

const isRecorded = ({ sent }: Story, last: bigint): boolean =>
  sent !== null && sent.finalMs !== null && sent.minedBlock === last;
