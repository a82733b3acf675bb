import { type DeliveryRow, EVENTS_MAX, type EventRow } from "./event-store.ts";
import { plural, type Step, step, timeOf } from "./steps.ts";
import type { Story } from "./story.ts";

/** Returns the steps of the log of events: each event, what it takes back, and its deliveries. */
export function eventSteps({ events, deliveries, hasMoreEvents }: Story): Step[] {
  const steps = events.flatMap((event) => [
    ...retraction(events, event),
    eventStep(event),
    ...deliveries
      .filter(({ event_id }) => event_id === event.event_id)
      .map((row) => deliveryStep(event, row)),
  ]);
  if (!hasMoreEvents) return steps;
  return [...steps, step({ kind: "event", title: `More events, not shown: the first ${EVENTS_MAX} are` })];
}

const eventStep = (event: EventRow): Step =>
  step(
    {
      ...{ kind: "event", title: `${event.type} in the log of ${event.key_name}`, atMs: event.created_ms },
      ...{ blockNumber: event.block_number, txHash: event.tx_hash },
    },
    { Type: event.type, Sequence: event.sequence, "API key": event.key_name, eventId: event.event_id },
  );

/** Returns the step of a reorg, where an event takes back another. */
function retraction(
  events: readonly EventRow[],
  { retracts, created_ms, key_id, sequence }: EventRow,
): Step[] {
  if (retracts === null) return [];
  const before = events.find(({ event_id }) => event_id === retracts);
  const later = events.find(
    (event) =>
      event.key_id === key_id &&
      event.sequence >= sequence &&
      event.object_id !== null &&
      event.block_number !== null,
  );
  const again = later ? `; ${later.type} again in block ${later.block_number}` : "";
  const title = `A reorg took back ${before ? before.type : "an earlier event"}${again}`;
  return [
    step(
      {
        kind: "retracted",
        title,
        state: "failed",
        atMs: created_ms,
        blockNumber: before?.block_number ?? null,
      },
      { "Sequence that is taken back": before?.sequence, "eventId that is taken back": retracts },
    ),
  ];
}

const TITLES = {
  delivered: "Delivered",
  dead: "Not delivered, given up",
  pending: "Not delivered yet",
} as const;

function deliveryStep(event: EventRow, row: DeliveryRow): Step {
  const { state, attempted_ms, ended_ms, next_ms, attempts } = row;
  const atMs = ended_ms ?? attempted_ms;
  return step(
    {
      ...{
        kind: "delivery",
        title: `${TITLES[state]}: ${event.type}`,
        atMs,
        placeMs: atMs ?? event.created_ms,
      },
      state: state === "delivered" ? "done" : state === "dead" ? "failed" : "current",
    },
    {
      webhookId: row.webhook_id,
      Attempts: plural(attempts, "attempt"),
      "HTTP status": row.last_status_code,
      "Last error": row.last_error,
      "Next attempt": next_ms === null ? null : timeOf(next_ms),
      "Webhook disabled": row.disabled_reason,
    },
  );
}
