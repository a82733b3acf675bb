import { CHAIN_ID } from "../archive/random-chain.ts";
import { hex } from "../support/assert/sample.ts";
import type { Onchain, Row, Tabled } from "../support/db/onchain.ts";
import { PRODUCT } from "../support/http/features.ts";

const WAD = 10n ** 18n;

/** The transaction of the first order. */
export const TX = hex(32, 0x1000);

/** An open order in a transaction of its own. */
export const orderOf = (n: number, block: bigint): Row<"stockOrder"> => ({
  ...{ chainId: CHAIN_ID, productType: PRODUCT, orderId: hex(32, 0xabc000 + n), txHash: hex(32, 0x1000 + n) },
  ...{ blockNumber: block, updatedBlock: block, createdAt: 1_799_000_000n, updatedAt: 1_799_000_100n },
  ...{ userAddress: hex(20, 0xa1), stockAddress: hex(20, 0x571), side: "Buy", orderType: "Limit" },
  ...{ status: "open", quantity: WAD, price: WAD },
});

/** The first order, open since block 11 and filled in a later one. */
export const filledOrder = (block: bigint): Row<"stockOrder"> => ({
  ...orderOf(0, 11n),
  ...{ status: "filled" as const, filledQuantity: WAD, updatedBlock: block },
});

/** A deposit in a token that has no name. */
export const depositOf = (
  n: number,
  block: bigint,
  tokenAddress = hex(20, 0x571),
): Row<"stockOperation"> => ({
  ...{ chainId: CHAIN_ID, productType: PRODUCT, opId: hex(32, 0xb000 + n), kind: "stock-deposit" },
  ...{ txHash: hex(32, 0x1000 + n), userAddress: hex(20, 0xa1), tokenAddress, amount: WAD },
  ...{ blockNumber: block, createdAt: 1_799_000_000n },
});

export const EMPTY: Tabled = {
  stockOrder: [],
  cashOperation: [],
  stockOperation: [],
  attributionSuffix: [],
  eventBlock: [],
};

const blockOf = (number: bigint) => ({ number, timestamp: 1_799_000_000n + number });

/** Returns a function that makes the index what is given, as of a block. */
export const publisher =
  (onchain: Onchain) =>
  (latest: bigint, tables: Tabled, safe = 10n): Promise<void> =>
    onchain.replace(CHAIN_ID, { ...EMPTY, ...tables }, blockOf(latest), blockOf(safe));
