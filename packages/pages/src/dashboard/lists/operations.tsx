import { Operations, type OperationsQuery, type OperationTermsFragment } from "../service/documents.ts";
import { defineList } from "../table/list-spec.ts";
import { Amount, Code, Line, Status, Text, Time } from "../values/values.tsx";
import { FILTERS } from "./filters.ts";
import { KeyLink, Open, operationHref, sendHref, TransactionLink, UserLink } from "./links.tsx";

type Row = OperationsQuery["dashboard"]["operations"]["edges"][number]["node"];

const termsOf = ({ operation }: Row): Partial<OperationTermsFragment> =>
  operation.depositOperation ?? operation.withdrawalOperation ?? {};

function hrefOf({ operation, sendRequest }: Row): string | undefined {
  if (operation.operationId) return operationHref(operation.operationId, operation.mapping.chainId);
  return sendRequest ? sendHref(sendRequest.requestId) : undefined;
}

interface Props {
  row: Row;
}

const Moved = ({ row }: Props) => (
  <Amount value={termsOf(row).amount} unit={row.kind === "withdraw" ? "mUSD" : termsOf(row).tokenSymbol} />
);

const User = ({ row }: Props) => (
  <UserLink address={termsOf(row).userAddress ?? row.operation.mapping.userAddress} />
);

const Transaction = ({ row: { operation } }: Props) => (
  <TransactionLink txHash={operation.mapping.txHash} chainId={operation.mapping.chainId} />
);

/** Deposits and withdrawals have the same terms, under one name each. */
function recordOf({ operation: { depositOperation, withdrawalOperation, ...operation }, ...row }: Row) {
  return { ...row, operation: { ...operation, ...(depositOperation ?? withdrawalOperation) } };
}

export const OPERATIONS = defineList({
  name: "operations",
  title: "Operations",
  unit: "operations",
  document: Operations,
  filters: FILTERS.operations,
  connection: ({ dashboard }) => dashboard.operations,
  rows: ({ dashboard }) => dashboard.operations.edges.map(({ node }) => node),
  idOf: ({ operation }: Row) => `${operation.mapping.mappingId} ${operation.operationId}`,
  cardOf: (row) => [
    [
      <Open key="kind" href={hrefOf(row)}>
        {row.kind}
      </Open>,
      <Status key="status" word={row.operation.operationStatus} />,
    ],
    [<Moved key="amount" row={row} />, termsOf(row).failReason],
    [<KeyLink key="key" value={row.key} />, <Time key="time" at={row.operation.mapping.createdAt} />],
    [
      <User key="user" row={row} />,
      row.operation.mapping.txHash && <Transaction key="transaction" row={row} />,
    ],
  ],
  concerns: ({ event }) => /^(operation|mapping|send)\./.test(event.type),
  recordOf,
  empty: "No operation matches.",
  columns: [
    {
      id: "time",
      title: "Time",
      orderBy: "createdAt",
      cell: (row) => (
        <Open href={hrefOf(row)}>
          <Time at={row.operation.mapping.createdAt} />
        </Open>
      ),
    },
    { id: "kind", title: "Kind", cell: ({ kind }) => kind },
    { id: "status", title: "Status", cell: ({ operation }) => <Status word={operation.operationStatus} /> },
    {
      id: "amount",
      title: "Amount",
      align: "right",
      cell: (row) => <Moved row={row} />,
    },
    {
      id: "credited",
      title: "Credited",
      align: "right",
      cell: (row) => <Amount value={termsOf(row).creditAmount} />,
    },
    { id: "fee", title: "Fee", align: "right", cell: (row) => <Amount value={termsOf(row).feeAmount} /> },
    { id: "token", title: "Token", cell: (row) => <Text>{termsOf(row).tokenSymbol}</Text> },
    { id: "key", title: "Key", cell: ({ key }) => <KeyLink value={key} /> },
    { id: "user", title: "User", cell: (row) => <User row={row} /> },
    { id: "reason", title: "Reason", cell: (row) => <Line text={termsOf(row).failReason} /> },
    {
      id: "scope",
      title: "Chain, product",
      cell: ({ operation: { mapping } }) => `${mapping.chainId} ${mapping.productType}`,
    },
    {
      id: "operation",
      title: "Operation",
      cell: (row) => <Code value={row.operation.operationId} href={hrefOf(row)} />,
    },
    { id: "transaction", title: "Transaction", cell: (row) => <Transaction row={row} /> },
    { id: "settled", title: "Settled", cell: (row) => <Time at={termsOf(row).settledAt} /> },
    {
      id: "instant",
      title: "Instant",
      isHidden: true,
      cell: (row) => <Text>{{ true: "yes", false: "no" }[String(termsOf(row).isInstant)]}</Text>,
    },
    { id: "source", title: "Source", isHidden: true, cell: ({ operation }) => operation.mapping.source },
  ],
});
