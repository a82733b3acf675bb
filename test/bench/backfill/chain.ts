import { concat, type Hex, type LocalAccount, parseEther, parseEventLogs, size, toHex } from "viem";
import { rpc } from "../../../packages/sandbox/src/rpc.ts";
import { type Step, sendAll } from "../../../packages/sandbox/src/transact.ts";
import { stockAbi } from "../../../src/contracts/abi/index.ts";
import { LATER, router, stock } from "../../contracts/calls.ts";
import { present } from "../../support/assert/until.ts";
import type { Product } from "../../support/chain/product.ts";

/** Orders of a user that are sent at once. */
const AT_ONCE = 200;
/** Orders that one transaction of the settler fills. */
const FILLED_AT_ONCE = 25;
/** Blocks on top of which Ponder takes a development chain's block for final. */
const FINAL_AFTER = 30;
const PRICE = parseEther("100");

/**
 * Places market orders, each in a transaction of its own with a suffix behind its call, and fills all of them.
 * @returns how many were placed
 */
export async function makeHistory(product: Product, orders: number): Promise<number> {
  const { users, client, settler, deployment } = product;
  let placed = 0;
  while (placed < orders) {
    const count = Math.min(AT_ONCE, Math.ceil((orders - placed) / users.length));
    const ids = await Promise.all(users.map((user) => placeOrders(product, user, count)));
    const fills: Step[] = inParts(ids.flat(), FILLED_AT_ONCE).map((orderIds) => ({
      name: "fill orders",
      to: deployment.stock,
      data: stock(
        "settleMarketOrders",
        orderIds,
        orderIds.map(() => PRICE),
      ),
      gas: 15_000_000n,
    }));
    await sendAll(client, settler, fills);
    placed += ids.flat().length;
  }
  // A backfill ends with the block that is final; the others are followed afterwards.
  await rpc(product.rpcUrl, "anvil_mine", [toHex(2 * FINAL_AFTER)]);
  return placed;
}

async function placeOrders(
  { client, deployment }: Product,
  user: LocalAccount,
  count: number,
): Promise<Hex[]> {
  const { address } = present(deployment.stockTokens[0], "a stock token");
  const call = router("placeMarketOrder", address, parseEther("1"), LATER);
  const steps = Array.from(
    { length: count },
    (): Step => ({
      name: "place an order",
      to: deployment.stockRouter,
      data: concat([call, SUFFIX]),
      gas: 1_000_000n,
    }),
  );
  const receipts = await sendAll(client, user, steps);
  const logs = receipts.flatMap((receipt) => receipt.logs);
  return parseEventLogs({ abi: stockAbi, eventName: "MarketOrderPlaced", logs }).map(
    ({ args }) => args.orderId,
  );
}

/** ERC-8021, as long as those of this service. */
const METADATA = toHex(1n, { size: 120 });
const SUFFIX = concat([
  METADATA,
  toHex(size(METADATA), { size: 2 }),
  "0x02",
  "0x80218021802180218021802180218021",
]);

function inParts<T>(items: readonly T[], length: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / length) }, (_, part) =>
    items.slice(part * length, (part + 1) * length),
  );
}
