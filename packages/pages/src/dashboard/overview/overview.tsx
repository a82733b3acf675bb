import { hrefOf } from "../frame/route.ts";
import { Chains } from "../service/documents.ts";
import { useAsk } from "../service/use-ask.ts";
import { useEvery } from "../service/use-every.ts";
import { BalancePlot, ChainPlots, OrderPlots, RequestPlots, SendPlots } from "./plots.tsx";
import { RANGES, type Range, rangeOf } from "./series.ts";
import { ChainsTable, QueuesTable } from "./state-tables.tsx";

const NO_EVENT = () => false;
/** Interval of reading chains and queues, ms: no event reports them. */
const STATE_MS = 5_000;

/** Shows the overview: the last hours, and the chains and queues now. */
export function Overview({ query }: { query: Readonly<Record<string, string>> }) {
  const { data, error, reload } = useAsk(Chains, {}, NO_EVENT);
  useEvery(STATE_MS, reload);
  const chains = data?.dashboard.chains;
  const range = rangeOf(query.range);
  return (
    <>
      <div class="title">
        <h1>Overview</h1>
        <Ranges current={range} />
      </div>
      {error && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      <div class="plots">
        <OrderPlots range={range} />
        <SendPlots range={range} />
        {chains && <ChainPlots chains={chains} range={range} />}
        <RequestPlots range={range} />
        {chains && <BalancePlot chains={chains} range={range} />}
      </div>
      {chains && <ChainsTable chains={chains} />}
      {chains && <QueuesTable chains={chains} />}
    </>
  );
}

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
