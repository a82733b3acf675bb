import { Requests, type RequestTermsFragment } from "../service/documents.ts";
import { defineList } from "../table/list-spec.ts";
import { milliseconds } from "../values/format.ts";
import { Code, Status, Text, Time } from "../values/values.tsx";
import { FILTERS } from "./filters.ts";
import { KeyLink, Open, requestHref, sendHref, TransactionLink } from "./links.tsx";

type Row = RequestTermsFragment;

/** Returns what became of a request, in a word. */
export const outcomeOf = ({ status }: Pick<Row, "status">): string => {
  if (status === 0) return "abandoned";
  return status >= 400 ? "refused" : "written";
};

export const causeOf = ({ errCode, field, revert }: Row) =>
  [errCode, field, revert].filter(Boolean).join(", ");

export const REQUESTS = defineList({
  name: "requests",
  title: "Requests",
  unit: "requests",
  document: Requests,
  filters: FILTERS.requests,
  connection: ({ dashboard }) => dashboard.requests,
  rows: ({ dashboard }) => dashboard.requests.edges.map(({ node }) => node),
  idOf: ({ uuid }: Row) => uuid,
  cardOf: (row) => [
    [
      <Open key="route" href={requestHref(row.uuid)}>
        {row.method} {row.route}
      </Open>,
      <Status key="outcome" word={outcomeOf(row)} />,
    ],
    [causeOf(row), milliseconds(row.durationMs)],
    [<KeyLink key="key" value={row.key} />, <Time key="time" at={row.at} />],
    [<Code key="uuid" value={row.uuid} />, `${row.chainId} ${row.productType}`],
  ],
  concerns: () => false,
  empty: "No request that is kept matches.",
  columns: [
    {
      id: "answered",
      title: "Answered",
      cell: ({ uuid, at }) => (
        <Open href={requestHref(uuid)}>
          <Time at={at} />
        </Open>
      ),
    },
    { id: "outcome", title: "Outcome", cell: (row) => <Status word={outcomeOf(row)} /> },
    { id: "method", title: "Method", cell: ({ method }) => method },
    { id: "route", title: "Path", cell: ({ route }) => route },
    { id: "cause", title: "Error, field", cell: (row) => <Text>{causeOf(row)}</Text> },
    { id: "key", title: "Key", cell: ({ key }) => <KeyLink value={key} /> },
    { id: "scope", title: "Chain, product", cell: ({ chainId, productType }) => `${chainId} ${productType}` },
    { id: "status", title: "HTTP", align: "right", cell: ({ status }) => <Text>{status || null}</Text> },
    { id: "duration", title: "Took", align: "right", cell: ({ durationMs }) => milliseconds(durationMs) },
    {
      id: "send",
      title: "Request to send",
      cell: ({ requestId }) => <Code value={requestId} href={requestId ? sendHref(requestId) : undefined} />,
    },
    {
      id: "transaction",
      title: "Transaction",
      isHidden: true,
      cell: ({ txHash, chainId }) => <TransactionLink txHash={txHash} chainId={chainId} />,
    },
    { id: "uuid", title: "UUID", cell: ({ uuid }) => <Code value={uuid} href={requestHref(uuid)} /> },
  ],
});
