import type { Quote } from "../../../../src/market-data/provider.ts";
import { formatDecimal } from "../../../../src/protocol/decimal.ts";
import type { Session } from "../../../../src/protocol/enums.ts";
import type { Company } from "./companies.ts";
import { MICRO_DECIMALS, type Micros } from "./dataset.ts";
import { CENT } from "./path.ts";

/** Marks these numbers as the sandbox's own, not a market's. */
const SOURCE = "sandbox";
const LOT = 100n;

/** A day as a quote shows it, adjusted for every corporate action so far. `volume` counts shares. */
export interface Day {
  price: Micros;
  open: Micros;
  high: Micros;
  low: Micros;
  previousClose: Micros;
  volume: bigint;
}

/**
 * Returns a quote as docs/api.md#market-and-portfolio shows it.
 * @param time Unix seconds
 */
export function presentQuote({ symbol, name }: Company, day: Day, session: Session, time: number): Quote {
  const change = day.price - day.previousClose;
  const halfSpread = day.price > 100n * CENT ? CENT : day.price / 200n;
  // Sizes change every few seconds, the same for all callers.
  const beat = BigInt(Math.floor(time / 5));
  return {
    symbol,
    name,
    price: usd(day.price),
    bid: usd(day.price - halfSpread),
    ask: usd(day.price + halfSpread),
    bidSize: `${LOT * (1n + ((beat * 7n) % 12n))}`,
    askSize: `${LOT * (1n + ((beat * 5n) % 11n))}`,
    open: usd(day.open),
    high: usd(day.high),
    low: usd(day.low),
    previousClose: usd(day.previousClose),
    volume: `${day.volume}`,
    change24H: usd(change),
    change24HPercent: formatDecimal((change * 10_000n) / day.previousClose, 2),
    session,
    timestamp: time,
    stale: false,
    source: SOURCE,
  };
}

const usd = (amount: Micros): string => formatDecimal(amount, MICRO_DECIMALS);
