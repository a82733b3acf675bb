import type { Bar } from "../../../../src/market-data/bars.ts";
import { previousTradingDay, sessionAt, sessionsOf } from "../../../../src/market-data/calendar.ts";
import { newYorkTime } from "../../../../src/market-data/new-york.ts";
import type { Quote } from "../../../../src/market-data/provider.ts";
import type { Session } from "../../../../src/protocol/enums.ts";
import { type FeedAction, feedActions } from "./actions.ts";
import { type BarRequest, printedBars, sampled } from "./bars.ts";
import { COMPANIES, type Company } from "./companies.ts";
import { type DailyRow, type Dataset, loadDataset, type Micros } from "./dataset.ts";
import { DAY_SECONDS, momentOf } from "./days.ts";
import { pastActions } from "./history.ts";
import { type Course, courseOf, priceAt, roundToCent, STEP_SECONDS } from "./path.ts";
import { byFactor, type PriceRatio, pastRatios } from "./prices.ts";
import { type Day, presentQuote } from "./quote.ts";
import { dailySeries, rowOn } from "./series.ts";
import type { CorporateAction, MarketState } from "./state.ts";

export interface MarketOptions {
  state: MarketState;
  /** Called after every change of the state. */
  save: (state: MarketState) => void;
  /** Unix milliseconds. */
  now: () => number;
  companies?: readonly Company[];
  dataset?: Dataset;
}

/** The sandbox's market: quotes around real daily prices, changed by scripts. Symbols are upper case. */
export interface Market {
  symbols: readonly string[];
  quote(symbol: string): Quote | undefined;
  quotes(): Quote[];
  /** Returns the price at which the settler fills. */
  price(symbol: string): Micros | undefined;
  /** Returns raw bars, oldest first; undefined where there is no such stock. They do not include scripted prices. */
  bars(symbol: string, request: BarRequest): Bar[] | undefined;
  /** Returns the corporate actions of all stocks, those of scripts included, oldest first. */
  actions(): FeedAction[];
  /** Holds the price until null releases it. Returns false where there is no such stock. */
  pin(symbol: string, price: Micros | null): boolean;
  session(): Session;
  /** DAY orders placed before this time are over, Unix seconds; 0: no session has ended yet. */
  dayEndedAt(): number;
  setSession(session: Session | "calendar"): void;
  /** Adjusts the prices; pinned ones too. */
  apply(action: CorporateAction): void;
  state(): MarketState;
}

interface Listed {
  company: Company;
  series: DailyRow[];
  ratios: PriceRatio[];
  extremes: ReturnType<typeof dayExtremes>;
}

export function createMarket(options: MarketOptions): Market {
  const { save, now, companies = COMPANIES, dataset = loadDataset() } = options;
  let state = options.state;
  const listed = new Map<string, Listed>(
    companies.map((company) => [company.symbol, listedOf(dataset, company, now())]),
  );
  const appliedTo = (symbol: string) => state.actions.filter((action) => action.symbol === symbol);
  const seconds = () => Math.floor(now() / 1000);
  const session = () => (state.session === "calendar" ? sessionAt(seconds()) : state.session);
  const change = (next: Partial<MarketState>) => {
    state = { ...state, ...next };
    save(state);
  };

  function quote(symbol: string): Quote | undefined {
    const stock = listed.get(symbol);
    if (!stock) return undefined;
    const pin = state.pins[symbol];
    const day = dayOf(stock, seconds(), appliedTo(symbol), pin === undefined ? null : BigInt(pin));
    return presentQuote(stock.company, day, session(), seconds());
  }

  return {
    symbols: [...listed.keys()],
    quote,
    quotes: () => [...listed.keys()].flatMap((symbol) => quote(symbol) ?? []),
    price(symbol) {
      const stock = listed.get(symbol);
      const pin = state.pins[symbol];
      if (!stock || pin !== undefined) return pin === undefined ? undefined : BigInt(pin);
      return appliedTo(symbol).reduce(byFactor, priceAt(symbol, stock.series, seconds()));
    },
    bars(symbol, request) {
      const stock = listed.get(symbol);
      if (!stock) return undefined;
      const { series, ratios } = stock;
      return printedBars({ symbol, series, ratios, applied: appliedTo(symbol) }, request, seconds());
    },
    actions: () => feedActions([...listed.values()], state.actions, seconds()),
    pin(symbol, price) {
      if (!listed.has(symbol)) return false;
      const { [symbol]: _released, ...others } = state.pins;
      change({ pins: price === null ? others : { ...others, [symbol]: `${price}` } });
      return true;
    },
    session,
    dayEndedAt: () =>
      state.session === "calendar"
        ? Math.max(state.regularEndedAt, lastRegularEnd(seconds()))
        : state.regularEndedAt,
    setSession(next) {
      const ended = session() === "regular" && next !== "regular" && next !== "calendar";
      change({ session: next, ...(ended ? { regularEndedAt: seconds() } : {}) });
    },
    apply(action) {
      const pin = state.pins[action.symbol];
      const pins =
        pin === undefined
          ? state.pins
          : { ...state.pins, [action.symbol]: `${byFactor(BigInt(pin), action)}` };
      change({ pins, actions: [...state.actions, action] });
    },
    state: () => state,
  };
}

function listedOf(dataset: Dataset, company: Company, nowMs: number): Listed {
  const series = dailySeries(dataset, company.symbol, company.lastClose);
  const { date } = newYorkTime(Math.floor(nowMs / 1000));
  const past = pastActions(date).filter(({ symbol }) => symbol === company.symbol);
  return { company, series, ratios: pastRatios(series, past), extremes: dayExtremes() };
}

/** Returns the day so far in today's prices, with all scripted actions applied to all of it. */
function dayOf(stock: Listed, time: number, applied: readonly CorporateAction[], pin: Micros | null): Day {
  const { symbol } = stock.company;
  const { day, elapsed } = momentOf(time);
  const course = courseOf(symbol, day.number, rowOn(stock.series, day.number));
  const now = (price: Micros) => applied.reduce(byFactor, price);
  const price = pin ?? now(course.at(elapsed));
  const extremes = stock.extremes(course, day.number, elapsed);
  return {
    price,
    open: now(course.row.open),
    high: highest(now(extremes.high), price),
    low: lowest(now(extremes.low), price),
    previousClose: now(roundToCent(rowOn(stock.series, day.number - 1).close)),
    volume: (course.row.volume * BigInt(elapsed)) / BigInt(DAY_SECONDS),
  };
}

/** Returns the extremes of a day so far; examines only the part since the last call. */
function dayExtremes() {
  let seen = { day: -1, upTo: 0, high: 0n, low: 0n };
  return (course: Course, day: number, elapsed: number): { high: Micros; low: Micros } => {
    const goesOn = seen.day === day && seen.upTo <= elapsed;
    const { high, low } = sampled(course, goesOn ? seen.upTo : 0, elapsed);
    seen = {
      day,
      upTo: Math.floor(elapsed / STEP_SECONDS) * STEP_SECONDS,
      high: goesOn ? highest(seen.high, high) : high,
      low: goesOn ? lowest(seen.low, low) : low,
    };
    return seen;
  };
}

function highest(first: Micros, second: Micros): Micros {
  if (first > second) return first;
  return second;
}

function lowest(first: Micros, second: Micros): Micros {
  if (first < second) return first;
  return second;
}

/**
 * Returns the end of the last regular session at or before a time, by the exchange's calendar: DAY orders placed before it are
 * over.
 * @param time Unix seconds
 * @returns Unix seconds
 */
export function lastRegularEnd(time: number): number {
  const { date } = newYorkTime(time);
  const today = sessionsOf(date);
  if (today && today.closeAt <= time) return today.closeAt;
  return sessionsOf(previousTradingDay(date))?.closeAt ?? 0;
}
