import { type DeliveryRow, EVENTS_MAX, type EventRow } from "./event-store.ts";
import { type Step, step, timeOf } from "./steps.ts";
import type { Story } from "./story.ts";

/** Returns the steps of the log of events: each event, what it takes back, and its deliveries. */
export function eventSteps({ events, deliveries, hasMoreEvents }: Story): Step[] {
  const steps = events.flatMap((event) => [
    ...retraction(events, event),
    eventStep(event),
    ...deliveries.filter(({ eventId }) => eventId === event.eventId).map((row) => deliveryStep(event, row)),
  ]);
  if (!hasMoreEvents) return steps;
  return [...steps, step({ kind: "event", title: `More events, not shown: the first ${EVENTS_MAX} are` })];
}

const eventStep = (event: EventRow): Step =>
  step(
    {
      kind: "event",
      title: `${event.type} in the log of ${event.keyName}`,
      atMs: event.createdMs,
      blockNumber: event.blockNumber,
      txHash: event.txHash,
    },
    { Sequence: event.sequence, "Event id": event.eventId },
  );

/** Returns the step of a reorg, where an event takes back another. */
function retraction(events: readonly EventRow[], { retracts, createdMs, keyId, sequence }: EventRow): Step[] {
  if (retracts === null) return [];
  const before = events.find(({ eventId }) => eventId === retracts);
  const later = events.find(
    (event) =>
      event.keyId === keyId &&
      event.sequence >= sequence &&
      event.objectId !== null &&
      event.blockNumber !== null,
  );
  const again = later ? `; ${later.type} again in block ${later.blockNumber}` : "";
  const title = `A reorg took back ${before ? before.type : "an earlier event"}${again}`;
  return [
    step(
      {
        kind: "retracted",
        title,
        state: "failed",
        atMs: createdMs,
        blockNumber: before?.blockNumber ?? null,
      },
      { "Sequence that is taken back": before?.sequence, "Event id that is taken back": retracts },
    ),
  ];
}

const TITLES = {
  delivered: "Delivered",
  dead: "Not delivered, given up",
  pending: "Not delivered yet",
} as const;

function deliveryStep(event: EventRow, row: DeliveryRow): Step {
  const { state, attemptedMs, endedMs, nextMs, attempts } = row;
  const atMs = endedMs ?? attemptedMs;
  return step(
    {
      kind: "delivery",
      title: `${TITLES[state]}: ${event.type}`,
      atMs,
      sortMs: atMs ?? event.createdMs,
      state: state === "delivered" ? "done" : state === "dead" ? "failed" : "current",
    },
    {
      "Webhook id": row.webhookId,
      Attempts: attempts,
      "HTTP status": row.lastStatusCode,
      "Last error": row.lastError,
      "Next attempt": nextMs === null ? null : timeOf(nextMs),
      "Webhook disabled": row.disabledReason,
    },
  );
}
