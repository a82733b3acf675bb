import type { Node, Nodes } from "./nodes.ts";

/**
 * Shares the head of a chain among its wallets: nodes are asked for it once in `everyMs` at most, and once for all who ask
 * meanwhile. While the head stays the same, so does the Node: what was read through it holds still.
 */
export function shareHead(nodes: Nodes, everyMs: number): Nodes {
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
      if (asked && performance.now() - asked.atMs < everyMs) return asked.opening;
      const current = { opening: openAnew(), atMs: performance.now() };
      asked = current;
      // A caller that comes after a failure asks again.
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
