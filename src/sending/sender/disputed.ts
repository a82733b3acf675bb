import { z } from "zod";
import type { RpcAnswer } from "../../chain/rpc.ts";
import { blockCall } from "./chain-facts.ts";
import type { Cycle } from "./context.ts";
import { hash } from "./nodes.ts";
import type { InFlight } from "./store.ts";

const blockShape = z.object({ hash });

/**
 * Returns the requests whose blocks no other usable node contradicts. A single node on its own fork must end no request: a call
 * that reverted there may have succeeded on the chain, and its caller would send it again. A node that is behind the block, or
 * does not answer, counts neither way. Raises "nodes-disagree" for the other requests, which wait until the nodes agree.
 */
export async function withoutDisputed(
  { deps, wallet: { nodes, signer }, node }: Cycle,
  requests: readonly InFlight[],
): Promise<readonly InFlight[]> {
  const hashes = new Map(
    requests.flatMap(({ minedBlock, minedBlockHash }) =>
      minedBlock === null ? [] : [[minedBlock, minedBlockHash] as const],
    ),
  );
  if (hashes.size === 0) return requests;
  const numbers = [...hashes.keys()];
  const answers = await nodes.askOthers(node.url, numbers.map(blockCall));
  const disputed = new Set(
    numbers.filter((number, index) =>
      answers.some((given) => isOther(given[index], hashes.get(number) ?? null)),
    ),
  );
  if (disputed.size === 0) return requests;
  deps.alarm("nodes-disagree", {
    chainId: nodes.chainId,
    wallet: signer.address,
    blocks: [...disputed].map(String),
  });
  return requests.filter(({ minedBlock }) => minedBlock === null || !disputed.has(minedBlock));
}

function isOther(answer: RpcAnswer | undefined, expected: string | null): boolean {
  const block = blockShape.safeParse(answer?.kind === "result" ? answer.value : null);
  return block.success && block.data.hash !== expected;
}
