import { Events, type EventsQuery } from "../service/documents.ts";
import { defineList } from "../table/list-spec.ts";
import { Code, Text, Time } from "../values/values.tsx";
import { FILTERS } from "./filters.ts";
import { KeyLink, Open, operationHref, orderHref, sendHref, TransactionLink } from "./links.tsx";

type Row = EventsQuery["dashboard"]["events"]["edges"][number]["node"];

/** Fields of an event's data that name its object. */
interface Subject {
  orderId?: string | null;
  operationId?: string | null;
  requestId?: string;
}

const subjectOf = ({ event }: Row): Subject => (event.data ?? {}) as Subject;

function hrefOf(row: Row): string | undefined {
  const { orderId, operationId, requestId } = subjectOf(row);
  if (requestId) return sendHref(requestId);
  if (orderId) return orderHref(orderId, row.chainId);
  return operationId ? operationHref(operationId, row.chainId) : undefined;
}

function ObjectLink({ row }: { row: Row }) {
  const { requestId, orderId, operationId } = subjectOf(row);
  return <Code value={requestId ?? orderId ?? operationId} href={hrefOf(row)} />;
}

export const EVENTS = defineList({
  name: "events",
  title: "Events",
  unit: "events",
  document: Events,
  filters: FILTERS.events,
  connection: ({ dashboard }) => dashboard.events,
  rows: ({ dashboard }) => dashboard.events.edges.map(({ node }) => node),
  idOf: ({ event }: Row) => event.eventId,
  cardOf: (row) => [
    [
      <Open key="type" href={hrefOf(row)}>
        {row.event.type}
      </Open>,
      <Time key="time" at={row.event.createdAt} />,
    ],
    [<KeyLink key="key" value={row.key} />, hrefOf(row) && <ObjectLink key="object" row={row} />],
    [
      `${row.chainId} ${row.productType}`,
      row.event.txHash && (
        <TransactionLink key="transaction" txHash={row.event.txHash} chainId={row.chainId} />
      ),
    ],
  ],
  concerns: () => true,
  empty: "No event matches.",
  columns: [
    {
      id: "written",
      title: "Written",
      cell: (row) => (
        <Open href={hrefOf(row)}>
          <Time at={row.event.createdAt} />
        </Open>
      ),
    },
    { id: "type", title: "Type", cell: ({ event }) => event.type },
    { id: "resource", title: "About", cell: ({ event }) => event.resource },
    {
      id: "object",
      title: "Object",
      cell: (row) => <ObjectLink row={row} />,
    },
    { id: "key", title: "Key", cell: ({ key }) => <KeyLink value={key} /> },
    { id: "sequence", title: "Sequence", align: "right", cell: ({ event }) => event.sequence },
    { id: "scope", title: "Chain, product", cell: ({ chainId, productType }) => `${chainId} ${productType}` },
    {
      id: "block",
      title: "Block",
      align: "right",
      cell: ({ event }) => <Text>{event.blockNumber}</Text>,
    },
    {
      id: "transaction",
      title: "Transaction",
      cell: ({ event, chainId }) => <TransactionLink txHash={event.txHash} chainId={chainId} />,
    },
    {
      id: "retracts",
      title: "Retracts",
      cell: ({ event }) => (event.retracts ? <Code value={event.retracts} /> : <Text />),
    },
    { id: "event", title: "Event", isHidden: true, cell: ({ event }) => <Code value={event.eventId} /> },
  ],
});
