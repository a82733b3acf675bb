import { Expiry, SendingUntil, scopesOf } from "../lists/keys.tsx";
import { UserLink } from "../lists/links.tsx";
import { KeyDetail, type KeyTermsFragment } from "../service/documents.ts";
import { useAsk } from "../service/use-ask.ts";
import { Amount, Code, Status, Text, Time } from "../values/values.tsx";
import { Commands } from "./command-list.tsx";
import { commandsOfKey } from "./commands.ts";
import { Fact } from "./timeline-page.tsx";
import { SubList } from "./user-page.tsx";

const NO_EVENT = () => false;

/** Shows an API key: its rights, and its activity. */
export function KeyPage({ keyId }: { keyId: string }) {
  const { data, error } = useAsk(KeyDetail, { keyId }, NO_EVENT);
  const found = data?.dashboard.key;
  return (
    <>
      <div class="title">
        <h1>{found?.name ?? "Key"}</h1>
        {found && <Status word={found.status} />}
      </div>
      {error && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      {data && !found && <p class="empty">There is no such key.</p>}
      {found && <Facts value={found} />}
      {found && <Commands of={commandsOfKey(found)} />}
      {found &&
        ["requests", "orders", "operations", "sends", "webhooks", "events"].map((name) => (
          <SubList key={name} name={name} fixed={{ keyId }} />
        ))}
    </>
  );
}

function Facts({ value }: { value: KeyTermsFragment }) {
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
        <Amount value={policy?.dailyNotionalCap} unit="mUSD" />
      </Fact>
      <Fact name="Symbols">{policy?.allowedSymbols.join(", ") || "all"}</Fact>
      <Fact name="Operations">{policy?.allowedOperations.join(", ") || "all"}</Fact>
    </dl>
  );
}
