export interface UsableNodesOptions {
  rpcUrls: readonly string[];
  /** Validity of a comparison of all nodes, ms. */
  compareMs?: number;
  /** Unix ms. */
  now?: () => number;
  /** Called with a node (its position in the file, from 1) that answers and does not keep up. */
  onStale?: ((stale: { node: number; blocksBehind: string }) => void) | undefined;
}

/** Selects the usable nodes of a chain: those that answered lately, for the right chain and not far behind the others. */
export interface UsableNodes {
  /**
   * Returns the usable nodes, in the order of the file. Where there is none, returns those of the right chain, the latest failure
   * last.
   */
  candidates(): readonly string[];
  /** Avoids a node for at least so many milliseconds. */
  avoid(url: string, ms: number): void;
  /** Records that a node answered for the right chain, or for another one. */
  setChain(url: string, isRight: boolean): void;
  /** Opens every node, and selects the usable ones. */
  compare(): Promise<void>;
  /** Compares the nodes where the last comparison is no longer valid. Runs in the background: a silent node delays no work. */
  compareInTime(): void;
}

const COMPARE_MS = 5_000;
/** Nodes of one chain seldom have the same height: a node further behind than this is not used. */
const BLOCKS_BEHIND = 5n;

/** @param open opens a node at its head */
export function createUsableNodes(
  { rpcUrls, compareMs = COMPARE_MS, now = Date.now, onStale }: UsableNodesOptions,
  open: (url: string) => Promise<{ url: string; head: { number: bigint } }>,
): UsableNodes {
  /** End of each node's avoidance, Unix ms. */
  const avoided = new Map<string, number>();
  const ofAnotherChain = new Set<string>();
  let usable: readonly string[] = [];
  let comparedMs: number | null = null;
  const avoidedUntil = (url: string): number => avoided.get(url) ?? 0;

  async function compare(): Promise<void> {
    const openings = await Promise.allSettled(rpcUrls.map(open));
    const opened = openings
      .flatMap((opening) => (opening.status === "fulfilled" ? [opening.value] : []))
      .map(({ url, head }) => ({ url, height: head.number }));
    const top = opened.reduce((highest, { height }) => (height > highest ? height : highest), 0n);
    const isStale = ({ height }: { height: bigint }): boolean => top - height > BLOCKS_BEHIND;
    for (const { url, height } of opened.filter(isStale))
      onStale?.({ node: rpcUrls.indexOf(url) + 1, blocksBehind: (top - height).toString() });
    usable = opened.filter((node) => !isStale(node) && avoidedUntil(node.url) <= now()).map(({ url }) => url);
  }

  return {
    candidates: () => {
      if (usable.length > 0) return usable;
      const right = rpcUrls.filter((url) => !ofAnotherChain.has(url));
      const urls = right.length > 0 ? right : rpcUrls;
      return urls.toSorted((one, other) => avoidedUntil(one) - avoidedUntil(other));
    },
    avoid: (url, ms) => {
      avoided.set(url, Math.max(avoidedUntil(url), now() + ms));
      usable = usable.filter((other) => other !== url);
    },
    setChain: (url, isRight) => {
      if (isRight) ofAnotherChain.delete(url);
      else ofAnotherChain.add(url);
    },
    compare,
    compareInTime: () => {
      if (rpcUrls.length === 1 || (comparedMs !== null && now() - comparedMs < compareMs)) return;
      comparedMs = now();
      void compare();
    },
  };
}
