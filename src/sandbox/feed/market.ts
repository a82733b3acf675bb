import type { Quote } from "../../market/provider.ts";
import type { Session } from "../../protocol/enums.ts";
import { COMPANIES, type Company } from "./companies.ts";
import { type DailyRow, type Dataset, loadDataset, type Micros } from "./dataset.ts";
import { priceAt, roundToCent } from "./path.ts";
import { type Day, presentQuote } from "./quote.ts";
import { dailySeries, momentOf, rowOn } from "./series.ts";
import { calendarSession, lastRegularEnd } from "./session.ts";
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

/** The sandbox's market: quotes around real daily prices, and what scripts make of them. Symbols are upper case. */
export interface Market {
  symbols: readonly string[];
  quote(symbol: string): Quote | undefined;
  quotes(): Quote[];
  /** What the settler fills at. */
  price(symbol: string): Micros | undefined;
  /** Holds the price until it is released with null. False: no such stock. */
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
}

const SECONDS_PER_DAY = 86_400;
/** How finely the day so far is looked through for its high and low. */
const SAMPLE_SECONDS = 900;

export function createMarket(options: MarketOptions): Market {
  const { save, now, companies = COMPANIES, dataset = loadDataset() } = options;
  let state = options.state;
  const listed = new Map<string, Listed>(
    companies.map((company) => [
      company.symbol,
      { company, series: dailySeries(dataset, company.symbol, company.lastClose) },
    ]),
  );
  const seconds = () => Math.floor(now() / 1000);
  const session = () => (state.session === "calendar" ? calendarSession(seconds()) : state.session);
  const change = (next: Partial<MarketState>) => {
    state = { ...state, ...next };
    save(state);
  };

  function quote(symbol: string): Quote | undefined {
    const stock = listed.get(symbol);
    if (!stock) return undefined;
    const pin = state.pins[symbol];
    const day = dayOf(stock, seconds(), state.actions, pin === undefined ? null : BigInt(pin));
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
      return adjusted(priceAt(symbol, stock.series, seconds()), symbol, state.actions);
    },
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

function dayOf(
  { company: { symbol }, series }: Listed,
  time: number,
  actions: readonly CorporateAction[],
  pin: Micros | null,
): Day {
  const { weekday, start, elapsed } = momentOf(time);
  const at = (when: number) => adjusted(priceAt(symbol, series, when), symbol, actions);
  const price = pin ?? at(time);
  const open = at(start);
  let high = price;
  let low = price;
  for (let into = 0; into < elapsed; into += SAMPLE_SECONDS) {
    const sample = at(start + into);
    if (sample > high) high = sample;
    if (sample < low) low = sample;
  }
  return {
    price,
    open,
    high,
    low,
    previousClose: adjusted(roundToCent(rowOn(series, weekday - 1).close), symbol, actions),
    dayAgo: at(time - SECONDS_PER_DAY),
    volume: (rowOn(series, weekday).volume * BigInt(elapsed)) / BigInt(SECONDS_PER_DAY),
  };
}

function adjusted(price: Micros, symbol: string, actions: readonly CorporateAction[]): Micros {
  return actions
    .filter((action) => action.symbol === symbol)
    .reduce((value, action) => byFactor(value, action), price);
}

const byFactor = (price: Micros, { priceNumerator, priceDenominator }: CorporateAction): Micros =>
  roundToCent((price * BigInt(priceNumerator)) / BigInt(priceDenominator));
