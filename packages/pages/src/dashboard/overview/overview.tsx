import { Freshness, type Reading } from "../frame/reading.tsx";
import { hrefOf } from "../frame/route.ts";
import { Chains, OrderSeries, RequestSeries, SendSeries } from "../service/documents.ts";
import { NO_EVENT, useAsk } from "../service/use-ask.ts";
import { useEvery } from "../service/use-every.ts";
import { Breakdowns } from "./breakdowns.tsx";
import { ChainPlots, LatencyPlot, OrderPlots, SendPlots } from "./plots.tsx";
import { RANGES, type Range, rangeOf } from "./series.ts";
import { ChainCommands, ChainsTable, QueuesTable } from "./state-tables.tsx";
import { Tiles } from "./tiles.tsx";
import { ofOrders, ofSends, useSeries } from "./use-series.ts";

/** Interval of reading chains and queues, ms: no event reports them. */
const STATE_MS = 3_000;

/** Shows the overview: the last hours, and the chains and queues now. */
export function Overview({ query }: { query: Readonly<Record<string, string>> }) {
  const answer = useAsk(Chains, {}, NO_EVENT);
  useEvery(STATE_MS, answer.reload);
  const chains = answer.data?.dashboard.chains;
  const range = rangeOf(query.range);
  const orders = usePair(OrderSeries, range, ofOrders);
  const sends = usePair(SendSeries, range, ofSends);
  const requests = usePair(RequestSeries, range, NO_EVENT);
  return (
    <>
      <div class="title">
        <h1>Overview</h1>
        <Freshness answer={notCurrent([orders.now, sends.now, requests.now]) ?? orders.now} />
        <Ranges current={range} />
      </div>
      <Tiles orders={orders} sends={sends} requests={requests} title={range.title} />
      <div class="plots">
        <OrderPlots answer={orders.now} />
        <SendPlots answer={sends.now} />
        {chains && <ChainPlots chains={chains} range={range} />}
        <LatencyPlot answer={requests.now} />
      </div>
      <Breakdowns range={range} />
      <ChainsTable answer={answer} chains={chains ?? null} />
      <QueuesTable answer={answer} chains={chains ?? null} />
      {chains && <ChainCommands chains={chains} />}
    </>
  );
}

const notCurrent = (answers: readonly Reading[]): Reading | undefined =>
  answers.find(({ error, isLate }) => error !== null || isLate);

/** Reads a series of the range, and of the range before it. */
const usePair = <Result,>(...[document, range, concerns]: Parameters<typeof useSeries<Result>>) => ({
  now: useSeries(document, range, concerns),
  before: useSeries(document, range, NO_EVENT, 1),
});

/** Selects the time span of all plots, which is in the URL. */
function Ranges({ current }: { current: Range }) {
  return (
    <fieldset class="ranges" aria-label="Time of the plots">
      {RANGES.map(({ name, title }) => (
        <a
          key={name}
          href={hrefOf(["overview"], { range: name })}
          aria-current={name === current.name || undefined}
        >
          {title}
        </a>
      ))}
    </fieldset>
  );
}
