import { Balances, type BalancesQuery } from "../service/documents.ts";
import { defineList } from "../table/list-spec.ts";
import { Amount, Code, Text } from "../values/values.tsx";
import { FILTERS } from "./filters.ts";
import { KeyLink, UserLink } from "./links.tsx";

type Ledger = BalancesQuery["dashboard"]["balances"]["edges"][number]["node"];

/** One asset of a user: mUSD, or a stock. */
interface Row {
  ledger: Ledger;
  asset: string | null;
  token: string | null;
  free: string;
  locked: string;
  costBasis: string | null;
  realizedPnl: string | null;
}

const none = { token: null, costBasis: null, realizedPnl: null };

/** Returns a user's mUSD and each of their stocks as separate rows, so that every amount has a heading. */
const assetsOf = (ledger: Ledger): Row[] => [
  { ledger, asset: "mUSD", free: ledger.mUsdBalance, locked: ledger.mUsdLocked, ...none },
  ...ledger.stocks.map(
    ({ symbol, stockAddress, exchangeBalance, exchangeLocked, costBasis, realizedPnl }) => ({
      ledger,
      asset: symbol,
      token: stockAddress,
      free: exchangeBalance,
      locked: exchangeLocked,
      costBasis,
      realizedPnl,
    }),
  ),
];

const userOf = ({ ledger }: Row) => `${ledger.chainId} ${ledger.productType} ${ledger.userAddress}`;

export const BALANCES = defineList({
  name: "balances",
  title: "Balances",
  unit: "accounts",
  document: Balances,
  filters: FILTERS.balances,
  connection: ({ dashboard }) => dashboard.balances,
  rows: ({ dashboard }) => dashboard.balances.edges.flatMap(({ node }) => assetsOf(node)),
  countOf: (rows) => new Set(rows.map(userOf)).size,
  idOf: (row: Row) => `${userOf(row)} ${row.token ?? row.asset}`,
  cardOf: ({ ledger, asset, free, locked, costBasis, realizedPnl }) => [
    [<Text key="asset">{asset}</Text>, <Amount key="free" value={free} />],
    costBasis === null
      ? ["Locked", <Amount key="locked" value={locked} />]
      : [
          "Locked · cost · gain",
          <>
            <Amount value={locked} /> · <Amount value={costBasis} unit="mUSD" /> ·{" "}
            <Amount value={realizedPnl} unit="mUSD" />
          </>,
        ],
    [<UserLink key="user" address={ledger.userAddress} />, `${ledger.chainId} ${ledger.productType}`],
  ],
  concerns: ({ event }) => /^(order|operation|corporate_action)\./.test(event.type),
  empty: "No user has anything on the exchange.",
  columns: [
    { id: "user", title: "User", cell: ({ ledger }) => <UserLink address={ledger.userAddress} /> },
    { id: "asset", title: "Asset", cell: ({ asset }) => <Text>{asset}</Text> },
    { id: "free", title: "Free", align: "right", cell: ({ free }) => <Amount value={free} /> },
    { id: "locked", title: "Locked", align: "right", cell: ({ locked }) => <Amount value={locked} /> },
    {
      id: "paid",
      title: "Cost",
      align: "right",
      cell: ({ costBasis }) => <Amount value={costBasis} unit="mUSD" />,
    },
    {
      id: "gained",
      title: "Realized gain",
      align: "right",
      cell: ({ realizedPnl }) => <Amount value={realizedPnl} unit="mUSD" />,
    },
    { id: "scope", title: "Chain, product", cell: ({ ledger }) => `${ledger.chainId} ${ledger.productType}` },
    {
      id: "keys",
      title: "Bound keys",
      cell: ({ ledger }) =>
        ledger.keys.length === 0 ? (
          <Text />
        ) : (
          ledger.keys.map((key) => <KeyLink key={key.keyId} value={key} />)
        ),
    },
    { id: "token", title: "Token", cell: ({ token }) => <Code value={token} /> },
  ],
});
