import type { Node, Nodes } from "./nodes.ts";
import { SYSTEM_TIME, type WorkerTime } from "./shared-time.ts";

/**
 * Shares the head of a chain among its wallets: it is read at most once in `everyMs`, for all concurrent callers. While the head
 * stays the same, so does the Node: everything read through it stays valid.
 */
export function shareHead(
  nodes: Nodes,
  everyMs: number,
  { now }: Pick<WorkerTime, "now"> = SYSTEM_TIME,
): Nodes {
  let asked: { opening: Promise<Node>; atMs: number } | null = null;
  let last: Node | null = null;

  async function openAnew(): Promise<Node> {
    const node = await nodes.open();
    if (last?.url !== node.url || last.head.hash !== node.head.hash) last = node;
    return last;
  }

  return {
    ...nodes,
    open: () => {
      if (asked && now() - asked.atMs < everyMs) return asked.opening;
      const current = { opening: openAnew(), atMs: now() };
      asked = current;
      // A caller after a failure asks again.
      current.opening.catch(() => {
        if (asked === current) asked = null;
      });
      return current.opening;
    },
    avoid: (url, ms) => {
      asked = null;
      last = null;
      nodes.avoid(url, ms);
    },
  };
}
