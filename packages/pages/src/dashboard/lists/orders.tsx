import { Orders, type OrdersQuery } from "../service/documents.ts";
import { defineList } from "../table/list-spec.ts";
import { Amount, Code, Status, Text, Time } from "../values/values.tsx";
import { FILTERS } from "./filters.ts";
import { KeyLink, Open, orderHref, sendHref, TransactionLink, UserLink } from "./links.tsx";

type Row = OrdersQuery["dashboard"]["orders"]["edges"][number]["node"];
type Ended = NonNullable<Row["order"]["historyOrder"]>;

/** Terms of an order, open or ended; none before it is indexed. The query reads the same of both, but why an order ended. */
function termsOf({ order }: Row): Partial<Ended> {
  const open: Omit<Ended, "failReason"> | null = order.openOrder;
  return open ?? order.historyOrder ?? {};
}

function hrefOf({ order, sendRequest }: Row): string | undefined {
  if (order.orderId) return orderHref(order.orderId, order.mapping.chainId);
  return sendRequest ? sendHref(sendRequest.requestId) : undefined;
}

export const ORDERS = defineList({
  name: "orders",
  title: "Orders",
  unit: "orders",
  document: Orders,
  filters: FILTERS.orders,
  connection: ({ dashboard }) => dashboard.orders,
  rows: ({ dashboard }) => dashboard.orders.edges.map(({ node }) => node),
  idOf: ({ order }: Row) => `${order.mapping.mappingId} ${order.orderId}`,
  hrefOf,
  concerns: ({ event }) => /^(order|mapping|send)\./.test(event.type),
  empty: "No order matches.",
  columns: [
    {
      id: "mapped",
      title: "Mapped",
      orderBy: "createdAt",
      cell: (row) => (
        <Open href={hrefOf(row)}>
          <Time at={row.order.mapping.createdAt} />
        </Open>
      ),
    },
    { id: "status", title: "Status", cell: ({ order }) => <Status word={order.status} /> },
    { id: "symbol", title: "Symbol", cell: (row) => <Text>{termsOf(row).symbol}</Text> },
    { id: "side", title: "Side", cell: (row) => <Text>{termsOf(row).side}</Text> },
    { id: "type", title: "Type", cell: (row) => <Text>{termsOf(row).type}</Text> },
    {
      id: "quantity",
      title: "Quantity",
      align: "right",
      cell: (row) => <Amount value={termsOf(row).quantity} />,
    },
    {
      id: "notional",
      title: "Notional",
      align: "right",
      cell: (row) => <Amount value={termsOf(row).notional} unit="mUSD" />,
    },
    {
      id: "price",
      title: "Price",
      align: "right",
      cell: (row) => <Amount value={termsOf(row).price} unit="mUSD" />,
    },
    {
      id: "filled",
      title: "Filled",
      align: "right",
      cell: (row) => <Amount value={termsOf(row).filledQuantity} />,
    },
    {
      id: "average",
      title: "Average price",
      align: "right",
      cell: (row) => <Amount value={termsOf(row).averageFillPrice} unit="mUSD" />,
    },
    { id: "key", title: "Key", cell: ({ key }) => <KeyLink value={key} /> },
    {
      id: "user",
      title: "User",
      cell: (row) => <UserLink address={termsOf(row).userAddress ?? row.order.mapping.userAddress} />,
    },
    { id: "why", title: "Why", cell: (row) => <Text>{termsOf(row).failReason}</Text> },
    {
      id: "scope",
      title: "Chain, product",
      cell: ({ order: { mapping } }) => `${mapping.chainId} ${mapping.productType}`,
    },
    { id: "order", title: "Order", cell: (row) => <Code value={row.order.orderId} href={hrefOf(row)} /> },
    {
      id: "transaction",
      title: "Transaction",
      cell: ({ order }) => <TransactionLink txHash={order.txHash} chainId={order.mapping.chainId} />,
    },
    {
      id: "changed",
      title: "Changed",
      orderBy: "updatedAt",
      cell: (row) => <Time at={termsOf(row).updatedAt} />,
    },
    {
      id: "onChain",
      title: "On chain",
      isHidden: true,
      cell: ({ order }) => <Status word={order.onChainStatus} />,
    },
    { id: "source", title: "Source", isHidden: true, cell: ({ order }) => order.mapping.source },
  ],
});
