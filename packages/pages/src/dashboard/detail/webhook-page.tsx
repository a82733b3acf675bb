import { answerOf, NextAttempt } from "../lists/deliveries.tsx";
import { eventHref, KeyLink, webhookHref } from "../lists/links.tsx";
import {
  DeliveryDetail,
  type DeliveryTermsFragment,
  WebhookDetail,
  type WebhookTermsFragment,
} from "../service/documents.ts";
import { NO_EVENT, useAsk } from "../service/use-ask.ts";
import { Code, Text, Time } from "../values/values.tsx";
import { Commands } from "./command-list.tsx";
import { commandsOfWebhook } from "./commands.ts";
import { ObjectPage } from "./object-page.tsx";
import { Fact } from "./timeline-page.tsx";
import { SubList } from "./user-page.tsx";

const EVERY_EVENT = () => true;

/** Shows a webhook with its deliveries. */
export function WebhookPage({ webhookId }: { webhookId: string }) {
  const answer = useAsk(WebhookDetail, { webhookId }, NO_EVENT);
  const found = answer.data?.dashboard.webhook;
  return (
    <ObjectPage
      noun="webhook"
      id={webhookId}
      title={found ? `Webhook of ${found.host}` : "Webhook"}
      word={found?.state}
      answer={answer}
      isFound={Boolean(found)}
    >
      {found && <WebhookFacts value={found} />}
      {found && <Commands of={commandsOfWebhook(found)} />}
      {found && <SubList name="deliveries" fixed={{ webhookId }} />}
    </ObjectPage>
  );
}

function WebhookFacts({ value }: { value: WebhookTermsFragment }) {
  return (
    <dl class="facts wide">
      <Fact name="Webhook id">
        <Code value={value.webhookId} />
      </Fact>
      <Fact name="Key">
        <KeyLink value={value.key} />
      </Fact>
      <Fact name="Chain, product">
        {value.chainId} {value.productType}
      </Fact>
      <Fact name="Events">{value.types || "all"}</Fact>
      <Fact name="Created">
        <Time at={value.createdAt} />
      </Fact>
      <Fact name="Failing since">
        <Time at={value.failingSince} />
      </Fact>
      <Fact name="Disabled">
        <Time at={value.disabledAt} />
      </Fact>
      <Fact name="Reason">
        <Text>{value.disabledReason}</Text>
      </Fact>
    </dl>
  );
}

/** Shows a delivery, and leads to its webhook and event. */
export function DeliveryPage({ deliveryId }: { deliveryId: string }) {
  const answer = useAsk(DeliveryDetail, { deliveryId }, EVERY_EVENT);
  const found = answer.data?.dashboard.delivery;
  return (
    <ObjectPage
      noun="delivery"
      id={deliveryId}
      title={found ? `Delivery of ${found.eventType}` : "Delivery"}
      word={found?.state}
      answer={answer}
      isFound={Boolean(found)}
    >
      {found && <DeliveryFacts value={found} webhook={found.webhook} />}
    </ObjectPage>
  );
}

function DeliveryFacts({ value, webhook }: { value: DeliveryTermsFragment; webhook: WebhookTermsFragment }) {
  return (
    <dl class="facts wide">
      <Fact name="Delivery">
        <Code value={value.deliveryId} />
      </Fact>
      <Fact name="Webhook">
        <a href={webhookHref(webhook.webhookId)}>{webhook.host}</a>, {webhook.state}
      </Fact>
      <Fact name="Key">
        <KeyLink value={webhook.key} />
      </Fact>
      <Fact name="Event">
        <Code value={value.eventId} href={eventHref(value.eventId)} />
      </Fact>
      <Fact name="Event written">
        <Time at={value.eventAt} />
      </Fact>
      <Fact name="Attempts">{value.attempts}</Fact>
      <Fact name="Last attempt">
        <Time at={value.lastAttemptAt} />
      </Fact>
      <Fact name="Last answer">
        <Text>{answerOf(value)}</Text>
      </Fact>
      <Fact name="Next attempt">
        <NextAttempt row={value} />
      </Fact>
      <Fact name="Ended">
        <Time at={value.endedAt} />
      </Fact>
    </dl>
  );
}
