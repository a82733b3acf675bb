import { Sends, type SendsQuery } from "../service/documents.ts";
import { defineList } from "../table/list-spec.ts";
import { Amount, Code, Line, Status, Text, Time } from "../values/values.tsx";
import { FILTERS } from "./filters.ts";
import { KeyLink, Open, sendHref, TransactionLink, UserLink, walletHref } from "./links.tsx";

type Row = SendsQuery["dashboard"]["sendRequests"]["edges"][number]["node"];

/** Only orders have one; others count as 0 against caps. */
const notionalOf = ({ notional }: Row) => (notional === "0" ? null : notional);

const reasonOf = ({ errCode, revert, reason, fillReason }: Row) =>
  [errCode, revert, reason, fillReason].filter(Boolean).join(", ");

export const SENDS = defineList({
  name: "sends",
  title: "Sends",
  unit: "requests",
  document: Sends,
  filters: FILTERS.sends,
  connection: ({ dashboard }) => dashboard.sendRequests,
  rows: ({ dashboard }) => dashboard.sendRequests.edges.map(({ node }) => node),
  idOf: ({ requestId }: Row) => requestId,
  cardOf: (row) => [
    [
      <Open key="operation" href={sendHref(row.requestId)}>
        {row.operation}
      </Open>,
      <Status key="state" word={row.state} />,
    ],
    [
      row.symbol,
      reasonOf(row) || (notionalOf(row) && <Amount key="notional" value={notionalOf(row)} unit="mUSD" />),
    ],
    [<KeyLink key="key" value={row.key} />, <Time key="time" at={row.acceptedAt} />],
    [
      <UserLink key="user" address={row.userAddress} />,
      row.txHash && <TransactionLink key="transaction" txHash={row.txHash} chainId={row.chainId} />,
    ],
  ],
  concerns: ({ event }) => event.type.startsWith("send."),
  empty: "No request to send matches.",
  columns: [
    {
      id: "accepted",
      title: "Accepted",
      orderBy: "createdAt",
      cell: ({ requestId, acceptedAt }) => (
        <Open href={sendHref(requestId)}>
          <Time at={acceptedAt} />
        </Open>
      ),
    },
    { id: "state", title: "State", cell: ({ state }) => <Status word={state} /> },
    { id: "operation", title: "Operation", cell: ({ operation }) => operation },
    { id: "symbol", title: "Symbol", cell: ({ symbol }) => <Text>{symbol}</Text> },
    {
      id: "notional",
      title: "Notional",
      align: "right",
      cell: (row) => <Amount value={notionalOf(row)} unit="mUSD" />,
    },
    {
      id: "reason",
      title: "Reason",
      cell: (row) => <Line text={reasonOf(row)} />,
    },
    { id: "key", title: "Key", cell: ({ key }) => <KeyLink value={key} /> },
    { id: "user", title: "User", cell: ({ userAddress }) => <UserLink address={userAddress} /> },
    { id: "scope", title: "Chain, product", cell: ({ chainId, productType }) => `${chainId} ${productType}` },
    {
      id: "wallet",
      title: "Wallet",
      cell: ({ wallet, chainId }) => <Code value={wallet} href={walletHref(wallet, chainId)} />,
    },
    { id: "nonce", title: "Nonce", align: "right", cell: ({ nonce }) => <Text>{nonce}</Text> },
    { id: "attempts", title: "Attempts", align: "right", cell: ({ attempts }) => attempts.length },
    {
      id: "transaction",
      title: "Transaction",
      cell: ({ txHash, chainId }) => <TransactionLink txHash={txHash} chainId={chainId} />,
    },
    {
      id: "block",
      title: "Block",
      align: "right",
      isHidden: true,
      cell: ({ minedBlock }) => <Text>{minedBlock}</Text>,
    },
    { id: "ended", title: "Ended", cell: ({ finalAt }) => <Time at={finalAt} /> },
    {
      id: "request",
      title: "Request",
      cell: ({ requestId }) => <Code value={requestId} href={sendHref(requestId)} />,
    },
    {
      id: "clientOrderId",
      title: "Client order",
      isHidden: true,
      cell: ({ clientOrderId }) => <Text>{clientOrderId}</Text>,
    },
    { id: "status", title: "Partners see", isHidden: true, cell: ({ status }) => <Status word={status} /> },
  ],
});
