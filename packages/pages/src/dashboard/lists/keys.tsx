import { Keys, type KeyTermsFragment } from "../service/documents.ts";
import { defineList } from "../table/list-spec.ts";
import { Amount, Code, Status, Text, Time } from "../values/values.tsx";
import { FILTERS } from "./filters.ts";
import { keyHref, Open, UserLink } from "./links.tsx";

/** Shows the end of a key's right to send. */
export function SendingUntil({ policy }: Pick<KeyTermsFragment, "policy">) {
  if (policy?.killed) return <Status word="halted" />;
  return policy?.expiresAt ? <Time at={policy.expiresAt} /> : <>no limit</>;
}

/** Shows what a key may send for a day. */
export const Cap = ({ policy }: Pick<KeyTermsFragment, "policy">) =>
  policy?.dailyNotionalCap ? <Amount value={policy.dailyNotionalCap} unit="mUSD" /> : <>no cap</>;

export const scopesOf = ({ scopes }: Pick<KeyTermsFragment, "scopes">) =>
  scopes.map(({ chainId, productType }) => `${productType} on ${chainId}`).join(", ");

export const Expiry = ({ at }: { at: number | null }) => (at === null ? <>never</> : <Time at={at} />);

export const KEYS = defineList({
  name: "keys",
  title: "Keys",
  unit: "keys",
  document: Keys,
  filters: FILTERS.keys,
  connection: ({ dashboard }) => dashboard.keys,
  rows: ({ dashboard }) => dashboard.keys.edges.map(({ node }) => node),
  idOf: ({ keyId }: KeyTermsFragment) => keyId,
  cardOf: (key) => [
    [
      <Open key="name" href={keyHref(key.keyId)}>
        {key.name}
      </Open>,
      <Status key="status" word={key.status} />,
    ],
    [scopesOf(key), key.access],
    [
      <UserLink key="user" address={key.userAddress} />,
      key.policy?.dailyNotionalCap && (
        <Amount key="cap" value={key.policy.dailyNotionalCap} unit="mUSD a day" />
      ),
    ],
    [
      <Code key="id" value={key.apiKey} />,
      <>
        expires <Expiry at={key.expiresAt} />
      </>,
    ],
  ],
  concerns: () => false,
  empty: "No key matches.",
  columns: [
    { id: "name", title: "Name", cell: ({ keyId, name }) => <Open href={keyHref(keyId)}>{name}</Open> },
    { id: "status", title: "Status", cell: ({ status }) => <Status word={status} /> },
    { id: "access", title: "Access", cell: ({ access }) => access },
    {
      id: "scopes",
      title: "Scopes",
      cell: scopesOf,
    },
    { id: "user", title: "Bound user", cell: ({ userAddress }) => <UserLink address={userAddress} /> },
    {
      id: "cap",
      title: "Cap a day",
      align: "right",
      cell: ({ policy }) => <Cap policy={policy} />,
    },
    { id: "sending", title: "May send until", cell: ({ policy }) => <SendingUntil policy={policy} /> },
    {
      id: "expires",
      title: "Expires",
      cell: ({ expiresAt }) => <Expiry at={expiresAt} />,
    },
    { id: "made", title: "Created", orderBy: "createdAt", cell: ({ createdAt }) => <Time at={createdAt} /> },
    { id: "apiKey", title: "Public id", cell: ({ apiKey }) => <Code value={apiKey} /> },
    { id: "keyId", title: "Key id", cell: ({ keyId }) => <Code value={keyId} href={keyHref(keyId)} /> },
    { id: "ips", title: "Addresses", isHidden: true, cell: ({ ips }) => <Text>{ips.join(", ")}</Text> },
  ],
});
