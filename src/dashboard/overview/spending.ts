import { z } from "zod";
import type { Deps } from "../../context/deps.ts";
import { queryRows } from "../../db/query.ts";
import { type Sql, sql } from "../../db/sql.ts";

/** A sending wallet, with its balance as a sender saw it last. */
export interface FundedWallet {
  chainId: number;
  wallet: string;
  /** Wei; null before the first time. */
  balanceWei: string | null;
}

/** Period of spending, and the part of it that must be known. */
const WINDOW_DAYS = 7;
const KNOWN_SECONDS_MIN = 3_600;
const DAY_SECONDS = 86_400;

const spentSchema = z.object({
  chainId: z.number(),
  wallet: z.string(),
  spent: z.coerce.bigint(),
  seconds: z.coerce.bigint(),
});

/**
 * Returns how many days the balance of each wallet lasts if it goes on as in the samples of the last seven days; null where
 * they cover less than an hour, or nothing was spent. Each fall of the balance from one hour to the next is spending: what comes
 * in is not offset against it, and hides what was spent in its own hour.
 */
export async function readDaysLeft(
  { pool, now }: Pick<Deps, "pool" | "now">,
  wallets: readonly FundedWallet[],
): Promise<(number | null)[]> {
  const since = new Date(now() - WINDOW_DAYS * DAY_SECONDS * 1_000);
  const spent = await queryRows(pool, spentSql(wallets, since, new Date(now())), spentSchema);
  return wallets.map((asked) => {
    const found = spent.find(
      ({ chainId, wallet }) => chainId === asked.chainId && wallet === asked.wallet.toLowerCase(),
    );
    return found ? daysLeft(asked, found) : null;
  });
}

function daysLeft({ balanceWei }: FundedWallet, { spent, seconds }: z.output<typeof spentSchema>) {
  if (balanceWei === null || spent === 0n || seconds < KNOWN_SECONDS_MIN) return null;
  const hundredths = (BigInt(balanceWei) * seconds * 100n) / (spent * BigInt(DAY_SECONDS));
  return Number(hundredths) / 100;
}

// The last sample of each hour: to read every minute of a week takes twenty times as long, for each dashboard that is open.
const spentSql = (wallets: readonly FundedWallet[], from: Date, to: Date): Sql => sql`
  SELECT s.chain_id, s.wallet, trunc(sum(greatest(s.previous_wei - s.balance_wei, 0)))::text AS spent,
    extract(epoch FROM max(s.minute) - min(s.minute))::bigint AS seconds
  FROM (
    SELECT k.chain_id, k.wallet, w.minute, w.balance_wei,
      lag(w.balance_wei) OVER (PARTITION BY k.chain_id, k.wallet ORDER BY w.minute) AS previous_wei
    FROM unnest(${wallets.map(({ chainId }) => chainId)}::int[], ${wallets.map(({ wallet }) => wallet.toLowerCase())}::text[]) AS k (chain_id, wallet)
    CROSS JOIN generate_series(${from}::timestamptz, ${to}::timestamptz, interval '1 hour') AS h (hour)
    CROSS JOIN LATERAL (
      SELECT w.minute, w.balance_wei FROM app.wallet_sample w
      WHERE w.chain_id = k.chain_id AND w.wallet = k.wallet AND w.minute > h.hour - interval '1 hour'
        AND w.minute <= h.hour AND w.balance_wei IS NOT NULL
      ORDER BY w.minute DESC LIMIT 1) w) s
  GROUP BY s.chain_id, s.wallet HAVING count(*) > 1`;
