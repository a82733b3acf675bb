import { type Hex, numberToHex, type PublicClient } from "viem";
import { z } from "zod";
import type { Desk } from "../settler/desk.ts";
import { ControlError, deskOf } from "./context.ts";
import { chainId, flag, integer, oneOf } from "./fields.ts";
import { route } from "./route.ts";

const MINE_MAX = 5_000;
/** A week: the deadlines of orders and signatures are within it. */
const CLOCK_SECONDS_MAX = 604_800;
/** Deeper blocks are final to the indexer, which could not roll them back. */
const REORG_MAX = 30;
/** Number of times that a reorg that keeps its transactions starts over because a block was mined meanwhile. */
const ATTEMPTS = 5;

/** Methods that viem does not know. */
interface MineCall {
  Method: "anvil_mine";
  Parameters: [Hex];
  ReturnType: null;
}
interface IncreaseTimeCall {
  Method: "evm_increaseTime";
  Parameters: [number];
  ReturnType: unknown;
}
interface ReorgCall {
  Method: "anvil_reorg";
  Parameters: [number, [Hex, number][]];
  ReturnType: null;
}
interface RawCall {
  Method: "eth_getRawTransactionByHash";
  Parameters: [Hex];
  ReturnType: Hex;
}

export const chainRoutes = [
  route({
    method: "POST",
    path: "/mine",
    does: `Mines blocks at once, up to ${MINE_MAX}, also while mining is off; the first takes what waits.`,
    params: z.strictObject({}),
    body: z.strictObject({
      chainId,
      blocks: integer.refine((n) => n >= 1 && n <= MINE_MAX, `must be from 1 to ${MINE_MAX}`),
    }),
    run: async (context, _params, body) => {
      const { client } = deskOf(context, body.chainId);
      await client.request<MineCall>({ method: "anvil_mine", params: [numberToHex(body.blocks)] });
      return { chainId: body.chainId, blockNumber: Number(await client.getBlockNumber()) };
    },
  }),
  route({
    method: "POST",
    path: "/mining",
    does: "Off: transactions wait in the pool, and the settler stands still. On: what waits is mined at once.",
    params: z.strictObject({}),
    body: z.strictObject({ chainId, on: flag }),
    run: async (context, _params, { chainId: wanted, on }) => {
      const desk = deskOf(context, wanted);
      // No transaction of the settler may wait in the pool: it would delay the settler, and every script behind it.
      await (on ? desk.mining.set(true) : desk.exclusive(() => desk.mining.set(false)));
      const blockNumber = Number(await desk.client.getBlockNumber({ cacheTime: 0 }));
      return { chainId: wanted, mining: desk.mining.isOn, blockNumber };
    },
  }),
  route({
    method: "POST",
    path: "/clock",
    does: `Moves the chain's clock forward, up to ${CLOCK_SECONDS_MAX} s, and mines a block.`,
    params: z.strictObject({}),
    body: z.strictObject({
      chainId,
      seconds: integer.refine(
        (n) => n >= 1 && n <= CLOCK_SECONDS_MAX,
        `must be from 1 to ${CLOCK_SECONDS_MAX}`,
      ),
    }),
    run: async (context, _params, { chainId: wanted, seconds }) => {
      const { client } = deskOf(context, wanted);
      await client.request<IncreaseTimeCall>({ method: "evm_increaseTime", params: [seconds] });
      await client.request<MineCall>({ method: "anvil_mine", params: [numberToHex(1)] });
      const { number, timestamp } = await client.getBlock();
      return { chainId: wanted, blockNumber: Number(number), timestamp: Number(timestamp) };
    },
  }),
  route({
    method: "POST",
    path: "/reorg",
    does: `Replaces the last blocks, up to ${REORG_MAX}; their transactions are dropped (default) or kept.`,
    params: z.strictObject({}),
    body: z.strictObject({
      chainId,
      depth: integer.refine((n) => n >= 1 && n <= REORG_MAX, `must be from 1 to ${REORG_MAX}`),
      transactions: oneOf(["drop", "keep"]).optional(),
    }),
    run: (context, _params, { chainId: wanted, depth, transactions = "drop" }) => {
      const desk = deskOf(context, wanted);
      return desk.exclusive(() => reorg(desk, depth, transactions === "keep"));
    },
  }),
];

async function reorg({ client, deployment, readyBlock }: Desk, depth: number, keep: boolean) {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const head = await client.getBlockNumber({ cacheTime: 0 });
    const first = head - BigInt(depth) + 1n;
    if (first <= BigInt(readyBlock)) {
      throw new ControlError(409, "depth: so deep a reorg would undo the sandbox's own set-up");
    }
    const pairs = keep ? await transactionsFrom(client, first, head) : [];
    if ((await client.getBlockNumber({ cacheTime: 0 })) !== head) continue;
    await client.request<ReorgCall>({ method: "anvil_reorg", params: [depth, pairs] });
    return { chainId: deployment.chainId, depth, blockNumber: Number(head), transactions: pairs.length };
  }
  throw new ControlError(409, "the chain mines too fast for this reorg; try again");
}

/** Returns raw transactions, each with its new block, counted from 0. */
async function transactionsFrom(client: PublicClient, first: bigint, last: bigint): Promise<[Hex, number][]> {
  const pairs: [Hex, number][] = [];
  for (let number = first; number <= last; number += 1n) {
    const { transactions } = await client.getBlock({ blockNumber: number });
    for (const hash of transactions) {
      const raw = await client.request<RawCall>({ method: "eth_getRawTransactionByHash", params: [hash] });
      pairs.push([raw, Number(number - first)]);
    }
  }
  return pairs;
}
