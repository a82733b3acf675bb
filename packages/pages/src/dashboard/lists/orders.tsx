import { Orders, type OrdersQuery } from "../service/documents.ts";
import { defineList } from "../table/list-spec.ts";
import { Amount, Code, Line, Status, Text, Time } from "../values/values.tsx";
import { FILTERS } from "./filters.ts";
import { KeyLink, Open, orderHref, sendHref, TransactionLink, UserLink } from "./links.tsx";

type Row = OrdersQuery["dashboard"]["orders"]["edges"][number]["node"];
type Ended = NonNullable<Row["order"]["historyOrder"]>;

/** Terms of an order, open or ended; none before it is indexed. The query reads the same of both, but why an order ended. */
function termsOf({ order }: Row): Partial<Ended> {
  const open: Omit<Ended, "failReason"> | null = order.openOrder;
  return open ?? order.historyOrder ?? {};
}

interface Props {
  row: Row;
}

/** Shows the ordered shares, or the amount to spend. */
function Size({ row }: Props) {
  const { quantity, notional } = termsOf(row);
  return quantity == null ? <Amount value={notional} unit="mUSD" /> : <Amount value={quantity} />;
}

const Price = ({ row }: Props) => <Amount value={termsOf(row).price} unit="mUSD" />;

const Filled = ({ row }: Props) => <Amount value={termsOf(row).filledQuantity} />;

const Average = ({ row }: Props) => <Amount value={termsOf(row).averageFillPrice} unit="mUSD" />;

/** Shows what was ordered; before the order is indexed, nothing of it is known. */
function Ordered({ row }: Props) {
  const { side, symbol } = termsOf(row);
  if (!side) return <>Order</>;
  return (
    <>
      {side} <Size row={row} /> {symbol}
    </>
  );
}

/** Shows what was filled, or why nothing was or is known to be. */
function Fills({ row }: Props) {
  const { side, failReason, averageFillPrice } = termsOf(row);
  if (failReason) return <>{failReason}</>;
  if (!averageFillPrice) return <>not {side ? "filled" : "indexed"}</>;
  return (
    <>
      <Filled row={row} /> at <Average row={row} />
    </>
  );
}

const User = ({ row }: Props) => (
  <UserLink address={termsOf(row).userAddress ?? row.order.mapping.userAddress} />
);

/** Open and ended orders have the same terms, under one name each. */
function recordOf({ order: { openOrder, historyOrder, ...order }, ...row }: Row) {
  return { ...row, order: { ...order, ...(openOrder ?? historyOrder) } };
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
  cardOf: (row) => [
    [
      <Open key="terms" href={hrefOf(row)}>
        <Ordered row={row} />
      </Open>,
      <Status key="status" word={row.order.status} />,
    ],
    [
      <>
        {termsOf(row).type} {termsOf(row).type === "Limit" && <Price row={row} />}
      </>,
      <Fills key="fills" row={row} />,
    ],
    [<KeyLink key="key" value={row.key} />, <Time key="time" at={row.order.mapping.createdAt} />],
    [<User key="user" row={row} />, <Code key="order" value={row.order.orderId} href={hrefOf(row)} />],
  ],
  recordOf,
  concerns: ({ event }) => /^(order|mapping|send)\./.test(event.type),
  empty: "No order matches.",
  columns: [
    {
      id: "time",
      title: "Time",
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
    { id: "size", title: "Size", align: "right", cell: (row) => <Size row={row} /> },
    { id: "price", title: "Limit", align: "right", cell: (row) => <Price row={row} /> },
    { id: "filled", title: "Filled", align: "right", cell: (row) => <Filled row={row} /> },
    { id: "average", title: "Average price", align: "right", cell: (row) => <Average row={row} /> },
    { id: "key", title: "Key", cell: ({ key }) => <KeyLink value={key} /> },
    { id: "user", title: "User", cell: (row) => <User row={row} /> },
    { id: "order", title: "Order", cell: (row) => <Code value={row.order.orderId} href={hrefOf(row)} /> },
    { id: "reason", title: "Reason", cell: (row) => <Line text={termsOf(row).failReason} /> },
    {
      id: "scope",
      title: "Chain, product",
      cell: ({ order: { mapping } }) => `${mapping.chainId} ${mapping.productType}`,
    },
    {
      id: "transaction",
      title: "Transaction",
      isHidden: true,
      cell: ({ order }) => <TransactionLink txHash={order.txHash} chainId={order.mapping.chainId} />,
    },
    {
      id: "changed",
      title: "Changed",
      orderBy: "updatedAt",
      isHidden: true,
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
