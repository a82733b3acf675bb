import { hrefOf } from "../frame/route.ts";
import { Deliveries, type DeliveryTermsFragment } from "../service/documents.ts";
import { defineList } from "../table/list-spec.ts";
import { counted, milliseconds } from "../values/format.ts";
import { Code, Status, Text, Time } from "../values/values.tsx";
import { FILTERS } from "./filters.ts";
import { deliveryHref, eventHref, Open } from "./links.tsx";

type Row = DeliveryTermsFragment;

/** Returns what the receiver last answered, or why there was no answer. */
export const answerOf = ({ lastStatusCode, lastError }: Row) =>
  lastError ?? (lastStatusCode === null ? null : `answered ${lastStatusCode}`);

/** Shows when a delivery is attempted next; null without a time means that an event of the same object comes first. */
export function NextAttempt({ row: { state, nextAttemptAt } }: { row: Row }) {
  return state === "pending" && nextAttemptAt === null ? (
    <>after an earlier one</>
  ) : (
    <Time at={nextAttemptAt} />
  );
}

export const DELIVERIES = defineList({
  name: "deliveries",
  title: "Deliveries",
  unit: "deliveries",
  document: Deliveries,
  filters: FILTERS.deliveries,
  connection: ({ dashboard }) => dashboard.deliveries,
  rows: ({ dashboard }) => dashboard.deliveries.edges.map(({ node }) => node),
  idOf: ({ deliveryId }: Row) => deliveryId,
  cardOf: (row) => [
    [
      <Open key="type" href={deliveryHref(row.deliveryId)}>
        {row.eventType}
      </Open>,
      <Status key="state" word={row.state} />,
    ],
    [answerOf(row), <Time key="time" at={row.eventAt} />],
    [
      counted(row.attempts, "attempts"),
      row.endedAt === null ? (
        <>
          next <NextAttempt row={row} />
        </>
      ) : (
        <>
          ended <Time at={row.endedAt} />
        </>
      ),
    ],
  ],
  concerns: () => true,
  empty: "No delivery matches.",
  required: {
    filter: "webhookId",
    hint: (
      <>
        Deliveries are of one webhook. <a href={hrefOf(["webhooks"])}>Choose a webhook</a>.
      </>
    ),
  },
  columns: [
    {
      id: "written",
      title: "Event written",
      cell: ({ deliveryId, eventAt }) => (
        <Open href={deliveryHref(deliveryId)}>
          <Time at={eventAt} />
        </Open>
      ),
    },
    { id: "type", title: "Event", cell: ({ eventType }) => eventType },
    { id: "state", title: "State", cell: ({ state }) => <Status word={state} /> },
    { id: "attempts", title: "Attempts", align: "right", cell: ({ attempts }) => attempts },
    { id: "next", title: "Next attempt", cell: (row) => <NextAttempt row={row} /> },
    { id: "last", title: "Last attempt", cell: ({ lastAttemptAt }) => <Time at={lastAttemptAt} /> },
    { id: "answer", title: "Last answer", cell: (row) => <Text>{answerOf(row)}</Text> },
    {
      id: "took",
      title: "Took",
      align: "right",
      cell: ({ lastDurationMs }) => (
        <Text>{lastDurationMs === null ? null : milliseconds(lastDurationMs)}</Text>
      ),
    },
    { id: "ended", title: "Ended", cell: ({ endedAt }) => <Time at={endedAt} /> },
    { id: "sequence", title: "Sequence", align: "right", cell: ({ sequence }) => sequence },
    {
      id: "event",
      title: "Event id",
      cell: ({ eventId }) => <Code value={eventId} href={eventHref(eventId)} />,
    },
    {
      id: "delivery",
      title: "Delivery",
      cell: ({ deliveryId }) => <Code value={deliveryId} href={deliveryHref(deliveryId)} />,
    },
  ],
});
