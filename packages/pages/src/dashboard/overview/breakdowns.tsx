import type { ComponentChildren } from "preact";
import { hrefOf } from "../frame/route.ts";
import { chainHref, KeyLink } from "../lists/links.tsx";
import {
  EndpointTotals,
  type EndpointTotalsQuery,
  OrderTotals,
  type OrderTotalsQuery,
  RefusalTotals,
  type RefusalTotalsQuery,
  type TotalFragment,
} from "../service/documents.ts";
import { type Answer, NO_EVENT } from "../service/use-ask.ts";
import type { CardOf, Column } from "../table/list-spec.ts";
import { Panel } from "../table/panel.tsx";
import { counted, duration, milliseconds, NOTHING } from "../values/format.ts";
import { Amount, Text, Time } from "../values/values.tsx";
import type { Range } from "./series.ts";
import { ofOrders, useSeries } from "./use-series.ts";

/** Shows the figures of the range by partner, stock, chain, endpoint and cause. */
export function Breakdowns({ range }: { range: Range }) {
  const orders = useSeries(OrderTotals, range, ofOrders);
  const endpoints = useSeries(EndpointTotals, range, NO_EVENT);
  const refusals = useSeries(RefusalTotals, range, NO_EVENT);
  const totals = orders.data?.dashboard.orderTotals ?? null;
  return (
    <div class="breakdowns">
      <OrderPanel
        by="partner"
        answer={orders}
        rows={totals?.byKey ?? null}
        idOf={({ key }) => key?.keyId ?? ""}
        nameOf={({ key }) => key && <KeyLink value={key} />}
      />
      <OrderPanel
        by="stock"
        answer={orders}
        rows={totals?.bySymbol ?? null}
        idOf={({ symbol }) => symbol ?? ""}
        nameOf={({ symbol }) => <a href={hrefOf(["orders"], { symbol })}>{symbol}</a>}
      />
      <OrderPanel
        by="chain"
        answer={orders}
        rows={totals?.byChain ?? null}
        idOf={({ chainId }) => String(chainId)}
        nameOf={({ chainId }) => chainId !== null && <a href={chainHref(chainId)}>{chainId}</a>}
      />
      <RefusalPanel answer={refusals} />
      <EndpointPanel answer={endpoints} />
    </div>
  );
}

const percent = (part: number, whole: number): string =>
  whole === 0 ? NOTHING : `${Math.round((1_000 * part) / whole) / 10} %`;
const took = (seconds: number | null): string => (seconds === null ? NOTHING : duration(seconds));
const ms = (value: number | null): string => (value === null ? NOTHING : milliseconds(value));

const ORDER_COLUMNS: readonly Column<TotalFragment>[] = [
  { id: "count", title: "Orders", align: "right", cell: ({ count }) => <Amount value={String(count)} /> },
  { id: "filled", title: "Filled", align: "right", cell: ({ filled, count }) => percent(filled, count) },
  {
    id: "took",
    title: "Time to fill (median)",
    align: "right",
    cell: ({ secondsToFill }) => took(secondsToFill),
  },
  {
    id: "slippage",
    title: "Slippage (bps)",
    align: "right",
    cell: ({ slippageBps }) => <Text>{slippageBps}</Text>,
  },
  {
    id: "volume",
    title: "Volume (mUSD)",
    align: "right",
    cell: ({ volume }) => <Amount value={volume} />,
  },
];

interface OrderPanelProps<Row> {
  /** The noun of what the orders have in common. */
  by: string;
  answer: Answer<OrderTotalsQuery>;
  rows: readonly Row[] | null;
  idOf: (row: Row) => string;
  nameOf: (row: Row) => ComponentChildren;
}

function OrderPanel<Row extends TotalFragment>({ by, answer, rows, idOf, nameOf }: OrderPanelProps<Row>) {
  const heading = by[0]?.toUpperCase() + by.slice(1);
  return (
    <Panel<Row>
      title={`Orders by ${by}`}
      empty="No orders in this time."
      answer={answer}
      rows={rows}
      columns={[{ id: "name", title: heading, cell: nameOf }, ...ORDER_COLUMNS]}
      cardOf={(row) => [
        [nameOf(row), counted(row.count, "orders")],
        [
          `${percent(row.filled, row.count)} filled`,
          row.secondsToFill !== null && `in ${took(row.secondsToFill)}`,
        ],
        ["Volume", <Amount key="volume" value={row.volume} unit="mUSD" />],
      ]}
      idOf={idOf}
    />
  );
}

type Endpoint = EndpointTotalsQuery["dashboard"]["endpointTotals"][number];

const nameOfEndpoint = ({ endpoint }: Endpoint) => (endpoint === "none" ? "No such endpoint" : endpoint);

const ENDPOINT_COLUMNS: readonly Column<Endpoint>[] = [
  { id: "endpoint", title: "Endpoint", cell: nameOfEndpoint },
  {
    id: "requests",
    title: "Requests",
    align: "right",
    cell: ({ requests }) => <Amount value={String(requests)} />,
  },
  { id: "median", title: "Median", align: "right", cell: ({ p50Ms }) => ms(p50Ms) },
  { id: "high", title: "99th percentile", align: "right", cell: ({ p99Ms }) => ms(p99Ms) },
  {
    id: "client",
    title: "Refused (4xx)",
    align: "right",
    cell: ({ clientErrors, requests }) => percent(clientErrors, requests),
  },
  {
    id: "server",
    title: "Server errors (5xx)",
    align: "right",
    cell: ({ serverErrors, requests }) => percent(serverErrors, requests),
  },
];

const endpointCard: CardOf<Endpoint> = (row) => [
  [nameOfEndpoint(row), counted(row.requests, "requests")],
  [`Median ${ms(row.p50Ms)}`, `99th percentile ${ms(row.p99Ms)}`],
  [
    `${percent(row.clientErrors, row.requests)} refused (4xx)`,
    `${percent(row.serverErrors, row.requests)} errors (5xx)`,
  ],
];

function EndpointPanel({ answer }: { answer: Answer<EndpointTotalsQuery> }) {
  return (
    <Panel
      title="Endpoints"
      empty="No requests in this time."
      answer={answer}
      rows={answer.data?.dashboard.endpointTotals ?? null}
      columns={ENDPOINT_COLUMNS}
      cardOf={endpointCard}
      idOf={({ endpoint }) => endpoint}
    />
  );
}

type Refusal = RefusalTotalsQuery["dashboard"]["refusalTotals"][number];

const refusalsHref = ({ key, errCode }: Refusal) => hrefOf(["requests"], { keyId: key.keyId, errCode });

const REFUSAL_COLUMNS: readonly Column<Refusal>[] = [
  { id: "cause", title: "Cause", cell: (row) => <a href={refusalsHref(row)}>{row.errCode}</a> },
  { id: "key", title: "Partner", cell: ({ key }) => <KeyLink value={key} /> },
  { id: "count", title: "Refused", align: "right", cell: ({ count }) => <Amount value={String(count)} /> },
  { id: "last", title: "Last", cell: ({ lastAt }) => <Time at={lastAt} /> },
];

const refusalCard: CardOf<Refusal> = (row) => [
  [
    <a key="cause" href={refusalsHref(row)}>
      {row.errCode}
    </a>,
    <Text key="count">{row.count}</Text>,
  ],
  [<KeyLink key="key" value={row.key} />, <Time key="last" at={row.lastAt} />],
];

function RefusalPanel({ answer }: { answer: Answer<RefusalTotalsQuery> }) {
  return (
    <Panel
      title="Refusals"
      empty="No request of a key was refused in this time."
      answer={answer}
      rows={answer.data?.dashboard.refusalTotals ?? null}
      columns={REFUSAL_COLUMNS}
      cardOf={refusalCard}
      idOf={({ key, errCode }) => `${key.keyId} ${errCode}`}
    />
  );
}
