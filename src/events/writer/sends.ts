import type { EventType } from "../../protocol/enums.ts";
import type { SendAnswer } from "../../sending/send.ts";
import type { Draft, Outcome, Remembered } from "./compare.ts";
import { hashOf } from "./rows-store.ts";

/** A request to send as it is now. */
export interface CurrentSend {
  keyId: string;
  productType: string;
  /** Of its receipt. */
  blockNumber: bigint | null;
  answer: SendAnswer;
}

/** Requests as they are, and as the log knows them. */
export interface SendComparison {
  current: readonly CurrentSend[];
  remembered: readonly Remembered[];
  /** Requests whose replies changed since they were reported: of these the log reports also where that was undone meanwhile. */
  changed: ReadonlySet<string>;
  newId: () => string;
}

/**
 * Returns the events that bring the log from what it last reported of requests to what their replies say now. One that is no
 * more than accepted is reported by no event, and one whose mapping alone changed only if it was reported before.
 */
export function compareSends({
  current,
  remembered,
  changed,
  newId,
}: SendComparison): Pick<Outcome, "events" | "remembered"> {
  const known = new Map(remembered.map((row) => [row.claimId, row]));
  const reported = current.flatMap((send) => {
    const { requestId, status } = send.answer;
    const before = known.get(requestId);
    const data = JSON.stringify(send.answer);
    const isNews = changed.has(requestId) || (before !== undefined && before.dataHash !== hashOf(data));
    return status === "accepted" || !isNews
      ? []
      : [eventOf(send, `send.${status}`, { before, data, eventId: newId() })];
  });
  return { events: reported.map(({ event }) => event), remembered: reported.map(({ memory }) => memory) };
}

function eventOf(
  { keyId, productType, blockNumber, answer }: CurrentSend,
  type: EventType,
  { before, data, eventId }: { before: Remembered | undefined; data: string; eventId: string },
): { event: Draft; memory: Remembered } {
  const { requestId, txHash } = answer;
  const common = { keyId, productType, type, eventId, resource: "sends", txHash } as const;
  // A confirmation holds until a reorg takes the block out; nothing else that was reported is taken back.
  const isTakenBack = before?.type === "send.confirmed" && type !== "send.confirmed";
  const hash = hashOf(data);
  return {
    event: { ...common, blockNumber, retracts: isTakenBack ? before.eventId : null, data },
    memory: {
      ...common,
      ...{ claimId: requestId, ordinal: 0, objectId: null, sequence: 0n, dataHash: hash, fingerprint: hash },
      // Not of the index: what is verified after reorgs are its rows.
      ...{ rowHash: null, blockNumber: null },
    },
  };
}
