import { hrefOf } from "../frame/route.ts";
import { Cap, Expiry, SendingUntil, scopesOf } from "../lists/keys.tsx";
import { UserLink } from "../lists/links.tsx";
import { KeyDetail, type KeyDetailQuery, type KeyTermsFragment } from "../service/documents.ts";
import { NO_EVENT, useAsk } from "../service/use-ask.ts";
import type { CardOf, Column } from "../table/list-spec.ts";
import { Panel } from "../table/panel.tsx";
import { amount, sumOf } from "../values/format.ts";
import { Amount, Code, Status, Text, Time } from "../values/values.tsx";
import { Commands } from "./command-list.tsx";
import { commandsOfKey } from "./commands.ts";
import { ObjectPage } from "./object-page.tsx";
import { Fact } from "./timeline-page.tsx";
import { SubList } from "./user-page.tsx";

/** Shows an API key: its rights, and its activity. */
export function KeyPage({ keyId }: { keyId: string }) {
  const answer = useAsk(KeyDetail, { keyId }, NO_EVENT);
  const { key: found, keyUsage: usage } = answer.data?.dashboard ?? {};
  return (
    <ObjectPage
      noun="key"
      id={keyId}
      title={found?.name ?? "Key"}
      word={found?.status}
      answer={answer}
      isFound={Boolean(found)}
    >
      {found && usage && <KeyDetails value={found} usage={usage} />}
    </ObjectPage>
  );
}

function KeyDetails({ value, usage }: { value: KeyTermsFragment; usage: Usage }) {
  const { keyId, name } = value;
  return (
    <>
      <Facts value={value} usage={usage} />
      <SubList name="keys" title="Keys of this name" fixed={{ name }} />
      <Commands of={commandsOfKey(value)} />
      <Routes keyId={keyId} routes={usage.routes} />
      <Streams streams={usage.streams} />
      {["requests", "orders", "operations", "sends", "webhooks", "events"].map((list) => (
        <SubList key={list} name={list} fixed={{ keyId }} />
      ))}
    </>
  );
}

type Usage = KeyDetailQuery["dashboard"]["keyUsage"];

/** Returns what is used of a limit. */
const usedOf = ({ limit, used }: Usage["reads"], seconds: number) =>
  limit === null ? "no limit" : `${used} of ${amount(String(limit))} in ${seconds} s`;

/** Returns what is left of a cap, exactly; at least 0, since it may have been lowered below what is spent. */
function leftOf(cap: string | null | undefined, spent: string): string | null {
  if (!cap) return null;
  const left = sumOf([cap, `-${spent}`]);
  return left.startsWith("-") ? "0" : left;
}

function Routes({ keyId, routes }: { keyId: string; routes: Usage["routes"] }) {
  return (
    <Panel
      title="Refused and written within a day"
      empty="Nothing was refused, and nothing written."
      rows={routes}
      columns={columnsOf(keyId)}
      cardOf={cardOf}
      idOf={({ method, route }) => `${method} ${route}`}
    />
  );
}

type RouteRow = Usage["routes"][number];

const columnsOf = (keyId: string): readonly Column<RouteRow>[] => [
  {
    id: "endpoint",
    title: "Endpoint",
    cell: ({ method, route }) => (
      <a href={hrefOf(["requests"], { keyId, route })}>
        {method} {route}
      </a>
    ),
  },
  { id: "refused", title: "Refused", align: "right", cell: ({ refused }) => refused },
  { id: "written", title: "Written", align: "right", cell: ({ written }) => written },
  { id: "error", title: "Last error", cell: ({ lastErrCode }) => <Text>{lastErrCode}</Text> },
  { id: "last", title: "Last request", cell: ({ lastAt }) => <Time at={lastAt} /> },
];

const cardOf: CardOf<RouteRow> = ({ method, route, refused, written, lastErrCode, lastAt }) => [
  [
    `${method} ${route}`,
    <>
      last request <Time at={lastAt} />
    </>,
  ],
  [`Refused ${refused}, written ${written}`, lastErrCode],
];

function Streams({ streams }: { streams: Usage["streams"] }) {
  return (
    <Panel
      title="Open streams"
      empty="No stream is open."
      rows={streams}
      columns={STREAM_COLUMNS}
      cardOf={streamCard}
      idOf={({ streamId }) => streamId}
    />
  );
}

type StreamRow = Usage["streams"][number];

const filterOf = ({ filter }: StreamRow) => [filter ?? "all"].flat().join(", ");
const scopeOf = ({ chainId, productType }: StreamRow) => `${chainId} ${productType}`;
const stateOf = ({ isBehind }: StreamRow) => <Status word={isBehind ? "behind" : "up to date"} />;

const STREAM_COLUMNS: readonly Column<StreamRow>[] = [
  { id: "kind", title: "Stream", cell: ({ kind }) => kind },
  { id: "filter", title: "Types or symbols", cell: filterOf },
  { id: "scope", title: "Chain and product", cell: scopeOf },
  { id: "state", title: "State", cell: stateOf },
  { id: "sent", title: "Last sent", cell: ({ sentAt }) => <Time at={sentAt} /> },
  { id: "opened", title: "Opened", cell: ({ openedAt }) => <Time at={openedAt} /> },
];

const streamCard: CardOf<StreamRow> = (row) => [
  [`${row.kind}: ${filterOf(row)}`, stateOf(row)],
  [
    scopeOf(row),
    <>
      opened <Time at={row.openedAt} />
    </>,
  ],
  ["Last sent", <Time key="sent" at={row.sentAt} />],
];

function Facts({ value, usage }: { value: KeyTermsFragment; usage: Usage }) {
  const { policy } = value;
  return (
    <dl class="facts wide">
      <Fact name="Key id">
        <Code value={value.keyId} />
      </Fact>
      <Fact name="Public id">
        <Code value={value.apiKey} />
      </Fact>
      <Fact name="Access">{value.access}</Fact>
      <Fact name="Scopes">{scopesOf(value)}</Fact>
      <Fact name="Bound user">
        <UserLink address={value.userAddress} />
      </Fact>
      <Fact name="Created">
        <Time at={value.createdAt} />
      </Fact>
      <Fact name="Expires">
        <Expiry at={value.expiresAt} />
      </Fact>
      <Fact name="Addresses">
        <Text>{value.ips.join(", ")}</Text>
      </Fact>
      <Fact name="May send until">
        <SendingUntil policy={policy} />
      </Fact>
      <Fact name="Cap a day">
        <Cap policy={policy} />
      </Fact>
      <Fact name="Left today">
        <Amount value={leftOf(policy?.dailyNotionalCap, usage.spent)} unit="mUSD" />
      </Fact>
      <Fact name="Reads">{usedOf(usage.reads, usage.windowSeconds)}</Fact>
      <Fact name="Writes">{usedOf(usage.writes, usage.windowSeconds)}</Fact>
      <Fact name="In flight">
        {usage.inFlight === null ? "no limit" : `${amount(String(usage.inFlight))} at most`}
      </Fact>
      <Fact name="Symbols">{policy?.allowedSymbols.join(", ") || "all"}</Fact>
      <Fact name="Operations">{policy?.allowedOperations.join(", ") || "all"}</Fact>
    </dl>
  );
}
