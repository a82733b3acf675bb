import { createHash } from "node:crypto";

/**
 * The orders of the data set, by formula: order `i` of key `j`, 0 the oldest. Every value exists twice, in SQL that
 * fills the tables and in TypeScript that computes the expected answers; orders.integration.test.ts compares the two.
 */

/** Block that the seeded index has reached; the newest order was mapped at its time. */
export interface Head {
  number: number;
  /** Unix seconds. */
  timestamp: number;
}

export interface OrderKey {
  /** Position in the data set, 0 for the largest key. */
  index: number;
  /** Orders that the key owns. */
  orders: number;
}

export interface SeededOrder {
  orderId: string;
  txHash: string;
  userAddress: string;
  stockAddress: string;
  side: "Buy" | "Sell";
  type: "Market" | "Limit";
  /** The API's name of the status. */
  status: "New" | "Partial filled" | "Pending" | "Filled" | "Canceled" | "Rejected" | "Expired";
  /** Time of the claim, Unix milliseconds. */
  mappedMs: number;
  /** Time of the order's last change on the chain, Unix seconds. */
  updatedAt: number;
}

/** Seconds that the history of every key covers: 1,000,000 blocks of 15 s. */
export const SPAN_S = 15_000_000;
/** Seconds from a block to the next. */
export const BLOCK_S = 15;
/** Seconds from an order's block to its claim, and from its placing to its end. */
const CLAIM_DELAY_S = 2;
const SETTLE_DELAY_S = 30;
/** The first seven tokens trade; what is listed after them has no orders. */
export const TRADED_TOKENS = 7;

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
export const orderIdOf = (key: number, i: number): string => `0x${sha256(`order:${key}:${i}`)}`;
const txHashOf = (key: number, i: number): string => `0x${sha256(`tx:${key}:${i}`)}`;
export const userOf = (key: number, user: number): string =>
  `0x${sha256(`user:${key}:${user}`).slice(0, 40)}`;

/** Returns the number of users who trade through a key. */
export const usersOf = (orders: number): number => Math.max(1, Math.min(100, Math.floor(orders / 10)));
/** Milliseconds between two claims of a key. */
export const stepMs = (orders: number): number => Math.floor((SPAN_S * 1000) / orders);

export function orderOf(
  { index, orders }: OrderKey,
  i: number,
  { timestamp }: Pick<Head, "timestamp">,
  tokens: readonly string[],
): SeededOrder {
  const mappedMs = timestamp * 1000 - (orders - 1 - i) * stepMs(orders);
  const placedAt = Math.floor(mappedMs / 1000) - CLAIM_DELAY_S;
  const status = statusOf(i);
  const rests = status === "New" || status === "Pending";
  return {
    orderId: orderIdOf(index, i),
    txHash: txHashOf(index, i),
    userAddress: userOf(index, i % usersOf(orders)),
    stockAddress: (tokens[i % TRADED_TOKENS] ?? "").toLowerCase(),
    side: i % 3 === 0 ? "Sell" : "Buy",
    type: isLimit(i) ? "Limit" : "Market",
    status,
    mappedMs,
    updatedAt: rests ? placedAt : Math.min(placedAt + SETTLE_DELAY_S, timestamp),
  };
}

/** Returns an order's status: every fiftieth order rests, a sixth of the others ended without a fill. */
function statusOf(i: number): SeededOrder["status"] {
  if (i % 500 === 7) return "Partial filled";
  if (i % 500 === 107) return "Pending";
  if (i % 50 === 7) return "New";
  if (i % 20 === 3) return "Canceled";
  if (i % 1000 === 11) return "Rejected";
  if (i % 40 === 9) return "Expired";
  return "Filled";
}

const isLimit = (i: number) => i % 2 === 1 && i % 500 !== 107;

const hash = (kind: string) =>
  `'0x' || encode(sha256(convert_to('${kind}:' || k.j || ':' || i, 'UTF8')), 'hex')`;

/**
 * A FROM item: all orders of the keys of the temporary table `bench_key` (j, key_id, orders).
 * $1 the head's timestamp, $2 its number, $3 addresses of stock tokens.
 */
export const ORDERS_SQL = `(
  SELECT o.*, o.quantity / 1e18 * o.price AS notional,
    CASE o.status WHEN 'filled' THEN o.quantity ELSE CASE WHEN o.is_partial THEN o.quantity / 2 ELSE 0 END END AS filled,
    CASE WHEN o.status = 'filled' THEN CASE WHEN o.i % 10 = 0 THEN 2 ELSE 1 END ELSE o.is_partial::int END AS fills,
    CASE WHEN o.status IN ('open', 'canceling') AND NOT o.is_partial THEN o.placed_at
      ELSE least(o.placed_at + ${SETTLE_DELAY_S}, $1::bigint) END AS updated_at,
    $2::bigint - ($1::bigint - o.placed_at) / ${BLOCK_S} AS block_number
  FROM (
    SELECT k.j, k.key_id, i, ${hash("order")} AS order_id, ${hash("tx")} AS tx_hash,
      '0x' || substr(encode(sha256(convert_to(
        'user:' || k.j || ':' || i % greatest(1, least(100, k.orders / 10)), 'UTF8')), 'hex'), 1, 40) AS user_address,
      lower(($3::text[])[1 + i % ${TRADED_TOKENS}]) AS stock_address,
      CASE WHEN i % 3 = 0 THEN 'Sell' ELSE 'Buy' END AS side,
      CASE WHEN i % 2 = 1 AND i % 500 <> 107 THEN 'Limit' ELSE 'Market' END AS order_type,
      CASE WHEN i % 500 = 57 THEN 'canceling' WHEN i % 50 = 7 THEN 'open' WHEN i % 20 = 3 THEN 'canceled'
        WHEN i % 1000 = 11 THEN 'rejected' WHEN i % 40 = 9 THEN 'expired' ELSE 'filled' END AS status,
      i % 500 = 7 AS is_partial,
      (1 + i % 9) * 1000000000000000000::numeric AS quantity,
      (100 + i % 50) * 1000000000000000000::numeric AS price,
      m.mapped_ms, m.mapped_ms / 1000 - ${CLAIM_DELAY_S} AS placed_at
    FROM bench_key k
    CROSS JOIN generate_series(0, k.orders - 1) i
    CROSS JOIN LATERAL (
      SELECT $1::bigint * 1000 - (k.orders - 1 - i)::bigint * (${SPAN_S}000 / k.orders) AS mapped_ms) m
  ) o
) o`;
