import { z } from "zod";
import { formatDecimal } from "../../../../src/protocol/decimal.ts";
import { SESSIONS } from "../../../../src/protocol/enums.ts";
import { MICRO_DECIMALS } from "../feed/dataset.ts";
import type { Market } from "../feed/market.ts";
import { ACTION_TYPES } from "../feed/state.ts";
import { type ControlContext, ControlError, desksOf } from "./context.ts";
import { takeAction } from "./corporate-action.ts";
import { chainId, integer, oneOf, positiveMicros, stockSymbol } from "./fields.ts";
import { route } from "./route.ts";
import { stateOf } from "./state.ts";

const none = z.strictObject({});
/** Returns the market as its feed serves it. @throws ControlError 503 in an outage */
function feedOf({ market, outages }: ControlContext): Market {
  if (outages.isOut("market-data")) throw new ControlError(503, "a script has stopped the market data");
  return market;
}

const known = (message: string) => new ControlError(404, message);

export const marketRoutes = [
  route({
    method: "GET",
    path: "/feed/quotes",
    does: "All quotes.",
    params: none,
    body: none,
    run: (context) => feedOf(context).quotes(),
  }),
  route({
    method: "GET",
    path: "/feed/quotes/:symbol",
    does: "The quote of one stock.",
    params: z.strictObject({ symbol: stockSymbol }),
    body: none,
    run: (context, { symbol }) => {
      const quote = feedOf(context).quote(symbol);
      if (!quote) throw known(`there is no stock ${symbol}`);
      return quote;
    },
  }),
  route({
    method: "GET",
    path: "/feed/bars/:symbol",
    does: "Raw price bars of one stock, in pieces where an action took effect within one. Fields go into the query.",
    params: z.strictObject({ symbol: stockSymbol }),
    body: z.strictObject({
      interval: oneOf(["1m", "3m", "5m", "15m", "1h", "1d"]),
      startTime: integer.optional(),
      endTime: integer,
      limit: integer,
    }),
    run: (context, { symbol }, request) => {
      const bars = feedOf(context).bars(symbol, { ...request, startTime: request.startTime ?? null });
      if (!bars) throw known(`there is no stock ${symbol}`);
      return bars;
    },
  }),
  route({
    method: "GET",
    path: "/feed/actions",
    does: "All corporate actions, with what adjusting prices for them takes.",
    params: none,
    body: none,
    run: (context) => feedOf(context).actions(),
  }),
  route({
    method: "POST",
    path: "/mode",
    does: "auto: the settler works by itself; manual: only scripts do. Of one chain, or of all; orderDelayMs and operationDelayMs set its pace.",
    params: none,
    body: z.strictObject({
      mode: oneOf(["auto", "manual"]),
      chainId: chainId.optional(),
      orderDelayMs: integer.refine((ms) => ms >= 0, "must not be negative").optional(),
      operationDelayMs: integer.refine((ms) => ms >= 0, "must not be negative").optional(),
    }),
    run: (context, _params, { chainId: wanted, ...change }) =>
      desksOf(context, wanted).map((desk) => {
        const given = Object.entries(change).filter(([, value]) => value !== undefined);
        desk.policy = { ...desk.policy, ...Object.fromEntries(given) };
        const { mode, orderDelayMs, operationDelayMs } = desk.policy;
        return { chainId: desk.deployment.chainId, mode, orderDelayMs, operationDelayMs };
      }),
  }),
  route({
    method: "POST",
    path: "/price",
    does: "Pins a stock's price in US dollars per share; null releases it.",
    params: none,
    body: z.strictObject({ symbol: stockSymbol, price: positiveMicros.nullable() }),
    run: ({ market }, _params, { symbol, price }) => {
      if (!market.pin(symbol, price)) throw known(`there is no stock ${symbol}`);
      return market.quote(symbol);
    },
  }),
  route({
    method: "POST",
    path: "/session",
    does: "Sets the market session; calendar follows New York's. Leaving regular ends the day: DAY orders expire.",
    params: none,
    body: z.strictObject({ session: oneOf([...SESSIONS, "calendar"]) }),
    run: ({ market }, _params, { session }) => {
      market.setSession(session);
      return { session: market.session(), dayEndedAt: market.dayEndedAt() };
    },
  }),
  route({
    method: "POST",
    path: "/corporate-action",
    does: "Takes a corporate action on all chains: cancels open limit orders, then moves multiplier and price. Rates for a split, cash (US dollars per share) for a dividend or spin-off.",
    params: none,
    body: z.strictObject({
      symbol: stockSymbol,
      type: oneOf(ACTION_TYPES),
      oldRate: positiveMicros.optional(),
      newRate: positiveMicros.optional(),
      cash: positiveMicros.optional(),
    }),
    run: (context, _params, body) => takeAction(context, body),
  }),
  route({
    method: "GET",
    path: "/state",
    does: "What scripts have set, and all open work.",
    params: none,
    body: none,
    run: async ({ desks, market }) => {
      const { session: setting, pins, actions } = market.state();
      return {
        session: { setting, now: market.session(), dayEndedAt: market.dayEndedAt() },
        pinnedPrices: Object.fromEntries(
          Object.entries(pins).map(([symbol, price]) => [
            symbol,
            formatDecimal(BigInt(price), MICRO_DECIMALS),
          ]),
        ),
        corporateActions: actions,
        chains: await Promise.all([...desks.values()].map(stateOf)),
      };
    },
  }),
];
