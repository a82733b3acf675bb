// Lets Ponder ask for the head of a chain as soon as a node announces it. Ponder's own `ws` does not fit: it never notices a
// socket that falls silent, asks no other node then, and takes announced blocks past transport.ts. Here a socket decides nothing
// but when the next poll begins. The polls by the clock go on beside it, except for those that would only find again what was
// announced (ponder-patches.mjs puts this in their place).
import { chain } from "./deployed.ts";
import { createPolls, followHeads } from "./heads.ts";

/** Describes the part of Ponder that is used. Ponder calls the argument of `add` when it ends. */
interface Polled {
  shutdown: { add(end: () => void): void };
}

/**
 * Polls at once, by the clock, and whenever a node of the chain announces a block.
 * @param poll asks for the head, indexes it and returns its hash; never rejects
 * @returns the timer of the clock
 */
export function pollHeads({ shutdown }: Polled, poll: () => Promise<string | undefined>, everyMs: number) {
  const { announced, lost, ticked } = createPolls(poll, everyMs);
  for (const [node, url] of chain.wsUrls.entries()) {
    const onChange = (isFollowed: boolean) => {
      if (!isFollowed) lost();
      logChange(node, isFollowed);
    };
    shutdown.add(followHeads(url, { onHead: announced, onChange }).stop);
  }
  // Ponder would wait for the clock, and the index is not ready until then.
  announced();
  return setInterval(ticked, everyMs);
}

/** Writes a line of JSON like those of Ponder's own log, on the same stream. Names a URL by its place: it may hold a credential. */
function logChange(node: number, isFollowed: boolean): void {
  const msg = isFollowed
    ? "a node announces new blocks"
    : "a node announces new blocks no more: polling goes on";
  const line = { level: isFollowed ? 30 : 40, time: Date.now(), node, msg };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
