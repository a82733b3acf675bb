import { useState } from "preact/hooks";
import { listNamed } from "../lists/index.ts";
import { TransactionLink, walletHref } from "../lists/links.tsx";
import { Delegations, type DelegationsQuery } from "../service/documents.ts";
import { NO_EVENT, useAsk } from "../service/use-ask.ts";
import { List } from "../table/list-page.tsx";
import type { CardOf, Column } from "../table/list-spec.ts";
import { Panel } from "../table/panel.tsx";
import { Code, Status, Time } from "../values/values.tsx";

/** Shows a user's balances, delegations, keys and activity. */
export function UserPage({ address }: { address: string }) {
  return (
    <>
      <div class="title">
        <h1>User</h1>
        <Code value={address} />
      </div>
      <SubList name="balances" fixed={{ userAddress: address }} />
      <DelegationPanel userAddress={address} />
      {["keys", "orders", "operations", "sends"].map((name) => (
        <SubList key={name} name={name} fixed={{ userAddress: address }} />
      ))}
    </>
  );
}

function DelegationPanel({ userAddress }: { userAddress: string }) {
  const answer = useAsk(Delegations, { userAddress }, NO_EVENT);
  return (
    <Panel
      title="Delegations"
      empty="The user has delegated to no wallet."
      answer={answer}
      rows={answer.data?.dashboard.delegations ?? null}
      columns={COLUMNS}
      cardOf={cardOf}
      idOf={scopeOf}
    />
  );
}

type DelegationRow = DelegationsQuery["dashboard"]["delegations"][number];

const scopeOf = ({ chainId, productType }: DelegationRow) => `${productType} on ${chainId}`;
const WalletLink = ({ wallet, chainId }: { wallet: string | null; chainId: number }) => (
  <Code value={wallet} href={wallet ? walletHref(wallet, chainId) : undefined} />
);

const COLUMNS: readonly Column<DelegationRow>[] = [
  { id: "scope", title: "Scope", cell: scopeOf },
  { id: "state", title: "State", cell: ({ state }) => <Status word={state} /> },
  { id: "delegatee", title: "Delegated to", cell: ({ delegatee }) => <Code value={delegatee} /> },
  {
    id: "wallet",
    title: "Sending wallet",
    cell: ({ wallet, chainId }) => <WalletLink wallet={wallet} chainId={chainId} />,
  },
  {
    id: "tx",
    title: "Transaction",
    cell: ({ txHash, chainId }) => <TransactionLink txHash={txHash} chainId={chainId} />,
  },
  { id: "updated", title: "Changed", cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];

const cardOf: CardOf<DelegationRow> = (row) => [
  [scopeOf(row), <Status key="state" word={row.state} />],
  [
    <WalletLink key="wallet" wallet={row.wallet} chainId={row.chainId} />,
    <Time key="at" at={row.updatedAt} />,
  ],
];

interface SubListProps {
  name: string;
  fixed: Readonly<Record<string, unknown>>;
  /** In place of the list's own. */
  title?: string;
}

/** Shows a list of one user's or key's rows. Its page is not in the URL, which names only the user or the key. */
export function SubList({ name, fixed, title }: SubListProps) {
  const [query, setQuery] = useState<Record<string, string>>({});
  const spec = listNamed(name);
  if (!spec) return null;
  const change = (next: Record<string, unknown>) =>
    setQuery(
      Object.fromEntries(
        Object.entries(next).flatMap(([key, value]) => (value ? [[key, String(value)]] : [])),
      ),
    );
  return (
    <div class="panel">
      <h2>{title ?? spec.title}</h2>
      <List spec={spec} query={query} onQuery={change} fixed={fixed} />
    </div>
  );
}
