import { useCallback } from "preact/hooks";
import { Freshness, ReadingState } from "../frame/reading.tsx";
import { TransactionLink, UserLink } from "../lists/links.tsx";
import { type HitFragment, TimelineOf } from "../service/documents.ts";
import type { LiveEvent } from "../service/live.ts";
import { useAsk } from "../service/use-ask.ts";
import { shortCode } from "../values/format.ts";
import { Code, Text } from "../values/values.tsx";
import { Commands } from "./command-list.tsx";
import { commandsOfSend } from "./commands.ts";
import { hrefOfHit } from "./hits.ts";
import { Steps, type TimelineData } from "./steps.tsx";

interface Props {
  kind: string;
  id: string;
  chainId: number | undefined;
}

/** Shows the past steps of an order, an operation, a request to send or a transaction, and its next one. */
export function TimelinePage({ kind, id, chainId }: Props) {
  const concerns = useCallback((event: LiveEvent) => JSON.stringify(event).includes(id), [id]);
  const answer = useAsk(TimelineOf, { kind, id, ...(chainId ? { chainId } : {}) }, concerns);
  const { data, isLoading } = answer;
  const timeline = data?.dashboard.timeline;
  return (
    <section aria-label="Timeline" aria-busy={isLoading} class="detail">
      <div class="title">
        <h1>{timeline?.title ?? NAMES[kind] ?? kind}</h1>
        <Freshness answer={answer} />
      </div>
      <ReadingState answer={answer} />
      {data && !timeline && (
        <p class="empty">
          There is no {NAMES[kind]?.toLowerCase() ?? kind} with the id <code title={id}>{shortCode(id)}</code>
          .
        </p>
      )}
      {timeline && <Timeline timeline={timeline} />}
    </section>
  );
}

const NAMES: Readonly<Record<string, string>> = {
  order: "Order",
  operation: "Operation",
  send: "Request to send",
  transaction: "Transaction",
};

function Timeline({ timeline }: { timeline: TimelineData }) {
  const { steps, next, stalled, related } = timeline;
  return (
    <>
      {stalled && (
        <p class="callout" data-tone="bad" role="status">
          <b>It stands still.</b> {stalled}
        </p>
      )}
      {next && (
        <p class="callout" role="status">
          <b>Next:</b> {next}
        </p>
      )}
      <div class="columns">
        <Steps steps={steps} />
        <aside aria-label="Facts">
          <Facts timeline={timeline} />
          {timeline.kind === "send" && <Commands of={commandsOfSend(timeline.id)} />}
          {related.length > 0 && <Related hits={related} />}
        </aside>
      </div>
    </>
  );
}

function Facts({ timeline }: { timeline: TimelineData }) {
  const { kind, id, chainId, productType, userAddress, txHash, indexedBlock } = timeline;
  return (
    <dl class="facts">
      <Fact name={NAMES[kind] ?? kind}>
        <Code value={id} />
      </Fact>
      <Fact name="Chain">{chainId}</Fact>
      {productType && <Fact name="Product">{productType}</Fact>}
      <Fact name="User">
        <UserLink address={userAddress} />
      </Fact>
      {kind !== "transaction" && (
        <Fact name="Transaction">
          <TransactionLink txHash={txHash} chainId={chainId} />
        </Fact>
      )}
      <Fact name="Read at block">
        <Text>{indexedBlock}</Text>
      </Fact>
    </dl>
  );
}

export function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Related({ hits }: { hits: readonly HitFragment[] }) {
  return (
    <div class="panel">
      <h2>Belongs with</h2>
      <ul class="related">
        {hits.map((hit) => (
          <li key={`${hit.kind} ${hit.id}`}>
            {hit.title.toLowerCase() !== hit.kind && <span class="unit">{NAMES[hit.kind] ?? hit.kind} </span>}
            <a href={hrefOfHit(hit)}>{hit.title}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}
