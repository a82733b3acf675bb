import { Webhooks, type WebhookTermsFragment } from "../service/documents.ts";
import { defineList } from "../table/list-spec.ts";
import { Code, Status, Text, Time } from "../values/values.tsx";
import { FILTERS } from "./filters.ts";
import { KeyLink, Open, webhookHref } from "./links.tsx";

export const WEBHOOKS = defineList({
  name: "webhooks",
  title: "Webhooks",
  unit: "webhooks",
  document: Webhooks,
  filters: FILTERS.webhooks,
  connection: ({ dashboard }) => dashboard.webhooks,
  rows: ({ dashboard }) => dashboard.webhooks.edges.map(({ node }) => node),
  idOf: ({ webhookId }: WebhookTermsFragment) => webhookId,
  cardOf: (row) => [
    [
      <Open key="host" href={webhookHref(row.webhookId)}>
        {row.host}
      </Open>,
      <Status key="state" word={row.state} />,
    ],
    [<KeyLink key="key" value={row.key} />, row.disabledReason],
    [
      row.types || "all events",
      row.failingSince !== null && (
        <>
          failing since <Time at={row.failingSince} />
        </>
      ),
    ],
  ],
  concerns: () => false,
  empty: "No webhook matches.",
  columns: [
    {
      id: "host",
      title: "Host",
      cell: ({ webhookId, host }) => <Open href={webhookHref(webhookId)}>{host}</Open>,
    },
    { id: "state", title: "State", cell: ({ state }) => <Status word={state} /> },
    { id: "reason", title: "Reason", cell: ({ disabledReason }) => <Text>{disabledReason}</Text> },
    { id: "failing", title: "Failing since", cell: ({ failingSince }) => <Time at={failingSince} /> },
    { id: "disabled", title: "Disabled", cell: ({ disabledAt }) => <Time at={disabledAt} /> },
    { id: "key", title: "Key", cell: ({ key }) => <KeyLink value={key} /> },
    { id: "scope", title: "Chain, product", cell: ({ chainId, productType }) => `${chainId} ${productType}` },
    { id: "types", title: "Events", cell: ({ types }) => types || "all" },
    { id: "created", title: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      id: "webhook",
      title: "Webhook",
      cell: ({ webhookId }) => <Code value={webhookId} href={webhookHref(webhookId)} />,
    },
  ],
});
