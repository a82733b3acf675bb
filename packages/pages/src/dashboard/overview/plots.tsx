import { useMemo } from "preact/hooks";
import { Freshness, ReadingState } from "../frame/reading.tsx";
import { hrefOf } from "../frame/route.ts";
import type { PageDocument } from "../service/ask.ts";
import {
  ChainSeries,
  type OrderSeriesQuery,
  QueueSeries,
  type RequestSeriesQuery,
  type SendSeriesQuery,
} from "../service/documents.ts";
import { type Answer, NO_EVENT, useAnswer } from "../service/use-ask.ts";
import { coins, duration, shortCode } from "../values/format.ts";
import { Time } from "../values/values.tsx";
import type { Chain } from "./chain.ts";
import { Plot } from "./plot.tsx";
import { lines, ordersByStatus, type PlotData, type Range, volume } from "./series.ts";

interface Named {
  label: string;
  chainId: number;
  wallet?: string;
}

/** Reads a series for each of several chains or wallets. */
function useEach<Result>(
  document: PageDocument<Result, Named & { from: number }>,
  named: readonly Named[],
  { name, seconds }: Range,
): Answer<{ label: string; result: Result }[]> {
  return useAnswer(
    `${document.name} ${name} ${JSON.stringify(named)}`,
    (ask, signal) => {
      const from = Math.floor(Date.now() / 1_000) - seconds;
      return Promise.all(
        named.map(async ({ label, ...scope }) => {
          // The type of variables is that of one chain; a label is not a variable.
          const variables = { ...scope, from } as Named & { from: number };
          return { label, result: await ask(document, variables, signal) };
        }),
      );
    },
    NO_EVENT,
  );
}

/** Returns the time of the newest of several series' samples; null where there is none. */
const newest = (times: readonly (number | null | undefined)[]): number | null => {
  const known = times.flatMap((at) => at ?? []);
  return known.length === 0 ? null : Math.max(...known);
};

/** Returns a plot's data, the same object for the same answer. */
function usePlot<Result>({ data }: Answer<Result>, make: (result: Result) => PlotData): PlotData | null {
  return useMemo(() => (data === null ? null : make(data)), [data]);
}

export function OrderPlots({ answer }: { answer: Answer<OrderSeriesQuery> }) {
  const statuses = usePlot(answer, ({ dashboard }) => ordersByStatus(dashboard.orderSeries.points));
  const volumes = usePlot(answer, ({ dashboard }) => volume(dashboard.orderSeries.points));
  const shared = {
    kind: "bars",
    answer,
    empty: "No orders in this time.",
    zeroIsNothing: true,
    addsUp: true,
  } as const;
  return (
    <>
      <Plot {...shared} title="Orders by status" unit="orders" data={statuses} />
      <Plot {...shared} title="Volume of orders" unit="mUSD" data={volumes} empty="No fills in this time." />
    </>
  );
}

export function SendPlots({ answer }: { answer: Answer<SendSeriesQuery> }) {
  const plot = usePlot(answer, ({ dashboard }) => {
    const { points } = dashboard.sendSeries;
    const line = (label: string, colour: number, value: (point: (typeof points)[number]) => number) => ({
      label,
      colour,
      values: points.map(value),
    });
    return {
      at: points.map(({ at }) => at),
      series: [
        line("Accepted", 1, ({ accepted }) => accepted),
        line("Final", 2, ({ final }) => final),
        line("Failed", 6, ({ failed }) => failed),
        line("Canceled", 3, ({ canceled }) => canceled),
      ],
    };
  });
  return (
    <>
      <Plot
        title="Requests to send"
        unit="requests"
        kind="lines"
        data={plot}
        answer={answer}
        empty="Nothing was sent in this time."
        zeroIsNothing
        addsUp
      />
      <Failures answer={answer} />
    </>
  );
}

type Failure = SendSeriesQuery["dashboard"]["sendSeries"]["failures"][number];

/** Shows causes, each with a bar as long as its share of the most frequent one. */
function Failures({ answer }: { answer: Answer<SendSeriesQuery> }) {
  const failures: readonly Failure[] | undefined = answer.data?.dashboard.sendSeries.failures;
  const most = Math.max(1, ...(failures ?? []).map(({ count }) => count));
  return (
    <section class="plot" aria-label="Failed or canceled, by cause">
      <div class="figcaption">
        <h2>Failed or canceled, by cause</h2> <span class="unit">requests</span>
        <span class="at">
          <Freshness answer={answer} />
        </span>
      </div>
      <ReadingState answer={answer} />
      {failures?.length === 0 && <p class="blank">No request failed or was canceled in this time.</p>}
      {failures && failures.length > 0 && (
        <ol class="bars">
          {failures.map(({ errCode, count, lastAt }) => (
            <li key={errCode}>
              <a href={hrefOf(["sends"], { errCode })}>{errCode}</a>
              <span class="unit">
                last <Time at={lastAt} />
              </span>
              <b>{count}</b>
              <span class="meter">
                <span style={{ width: `${(100 * count) / most}%` }} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

export function ChainPlots({ chains, range }: { chains: readonly Chain[]; range: Range }) {
  const named = chains.map(({ chainId }) => ({ chainId, label: `Chain ${chainId}` }));
  const lag = useEach(ChainSeries, named, range);
  const queues = useEach(QueueSeries, named, range);
  const queuePoints = (answers: NonNullable<typeof queues.data>) =>
    answers.map(({ label, result }) => ({ label, points: result.dashboard.queueSeries.points }));
  const lags = usePlot(lag, (answers) =>
    lines(
      answers.map(({ label, result }) => ({ label, points: result.dashboard.chainSeries.points })),
      ({ lagSeconds }) => lagSeconds,
    ),
  );
  const depths = usePlot(queues, (answers) => lines(queuePoints(answers), ({ depth }) => depth));
  const ages = usePlot(queues, (answers) =>
    lines(queuePoints(answers), ({ oldestSeconds }) => oldestSeconds),
  );
  const shared = { kind: "lines", empty: "No samples in this time." } as const;
  const lagAt = newest((lag.data ?? []).map(({ result }) => result.dashboard.chainSeries.lastAt));
  const ofQueues = {
    ...shared,
    answer: queues,
    lastAt: newest((queues.data ?? []).map(({ result }) => result.dashboard.queueSeries.lastAt)),
  };
  return (
    <>
      <Plot {...shared} title="Lag of the index" unit="seconds" data={lags} answer={lag} lastAt={lagAt} />
      <Plot {...ofQueues} title="Depth of the queues" unit="requests" data={depths} />
      <Plot {...ofQueues} title="Oldest request in the queues" unit="seconds" data={ages} />
    </>
  );
}

export function BalancePlot({ chains, range }: { chains: readonly Chain[]; range: Range }) {
  const queues = chains.flatMap(({ chainId, sendQueues }) =>
    sendQueues.map((queue) => ({ ...queue, chainId })),
  );
  const named = queues.map(({ chainId, wallet }) => ({
    chainId,
    wallet,
    label: `${shortCode(wallet)} on ${chainId}`,
  }));
  const answer = useEach(QueueSeries, named, range);
  const plot = usePlot(answer, (answers) =>
    lines(
      answers.map(({ label, result }) => ({ label, points: result.dashboard.queueSeries.points })),
      ({ balanceWei }) => (balanceWei === null ? null : Number(balanceWei) / 1e18),
      ({ balanceWei }) => (balanceWei === null ? "" : coins(balanceWei)),
    ),
  );
  const left = new Map(
    queues.map(({ chainId, wallet, daysLeft }) => [`${shortCode(wallet)} on ${chainId}`, daysLeft]),
  );
  const data = plot && {
    ...plot,
    series: plot.series.map((series) => ({
      ...series,
      label: withDays(series.label, left.get(series.label)),
    })),
  };
  const stable = useMemo(() => data, [plot, JSON.stringify([...left])]);
  return (
    <Plot
      title="Balance"
      unit="coins"
      kind="lines"
      data={stable}
      answer={answer}
      lastAt={newest((answer.data ?? []).map(({ result }) => result.dashboard.queueSeries.lastAt))}
      empty="No samples in this time."
    />
  );
}

const withDays = (label: string, days: number | null | undefined) =>
  typeof days === "number" ? `${label}, ${duration(days * 86_400)} left` : label;

export function LatencyPlot({ answer }: { answer: Answer<RequestSeriesQuery> }) {
  const latency = usePlot(answer, ({ dashboard }) => {
    const { points } = dashboard.requestSeries;
    const [median] = lines([{ label: "Median", points }], ({ p50Ms }) => p50Ms).series;
    const high = lines([{ label: "99th percentile", points }], ({ p99Ms }) => p99Ms);
    return {
      at: high.at,
      series: [...(median ? [median] : []), ...high.series.map((series) => ({ ...series, colour: 3 }))],
    };
  });
  return (
    <Plot
      title="Latency"
      unit="ms"
      kind="lines"
      data={latency}
      answer={answer}
      empty="No requests in this time."
    />
  );
}
