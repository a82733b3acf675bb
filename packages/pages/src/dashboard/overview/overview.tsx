import { useEffect, useRef, useState } from "preact/hooks";
import { hrefOf } from "../frame/route.ts";
import { type Readiness, readReadiness } from "../service/ask.ts";
import { Chains, Events } from "../service/documents.ts";
import type { LiveEvent } from "../service/live.ts";
import { useSession } from "../service/session.ts";
import { useAsk } from "../service/use-ask.ts";
import { BalancePlot, ChainPlots, OrderPlots, RequestPlots, SendPlots } from "./plots.tsx";
import { failingProblems, type Problem, staleness, webhookProblems } from "./problems.ts";
import { RANGES, type Range, rangeOf } from "./series.ts";
import { ChainsTable, QueuesTable } from "./state-tables.tsx";
import { StatusStrip } from "./status-strip.tsx";

const NO_EVENT = () => false;
/** Interval of reading problems, ms: no event reports them. */
const STATE_MS = 5_000;

/** Shows the overview: present problems, and the last hours. */
export function Overview({ query }: { query: Readonly<Record<string, string>> }) {
  const { data, error, isLate, reload } = useAsk(Chains, {}, NO_EVENT);
  useEvery(STATE_MS, reload);
  const readiness = useReadiness();
  const disabled = useDisabledWebhooks();
  const chains = data?.dashboard.chains;
  const failing = data ? failingProblems(data.dashboard.failingWebhooks, Date.now() / 1_000) : [];
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
      {chains && (
        <StatusStrip
          chains={chains}
          readiness={readiness}
          stale={staleness({ error, isLate })}
          more={[...failing, ...disabled]}
        />
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

/** Calls a function at an interval, unless the reader stopped the page or does not see it. */
function useEvery(ms: number, run: () => void) {
  const { live } = useSession();
  const newest = useRef(run);
  newest.current = run;
  useEffect(() => {
    const timer = setInterval(() => {
      if (live.mode() !== "stopped" && live.mode() !== "hidden") newest.current();
    }, ms);
    return () => clearInterval(timer);
  }, [live, ms]);
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

const DISABLED = { first: 20, types: "webhook.disabled" };
const ofWebhooks = ({ event }: LiveEvent) => event.type === "webhook.disabled";

function useDisabledWebhooks(): Problem[] {
  const { data } = useAsk(Events, DISABLED, ofWebhooks);
  const edges = data?.dashboard.events.edges ?? [];
  return webhookProblems(
    edges.map(({ node }) => node.event.createdAt),
    Date.now() / 1_000,
  );
}

/** Returns the report of /readyz, read with everything else; undefined before, null where it does not answer. */
function useReadiness(): Readiness | null | undefined {
  const { live } = useSession();
  const [readiness, setReadiness] = useState<Readiness | null>();
  useEffect(() => {
    const asking = new AbortController();
    const read = async () => {
      const found = await readReadiness(asking.signal);
      if (!asking.signal.aborted) setReadiness(found);
    };
    void read();
    const off = live.onRefresh((event) => {
      if (event === null) void read();
    });
    return () => {
      asking.abort();
      off();
    };
  }, [live]);
  return readiness;
}
