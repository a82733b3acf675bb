import type pg from "pg";
import { encodeEventCursor, type LogName } from "../../context/input/event-cursor.ts";
import { sealCursor } from "../../context/input/list.ts";
import { eventFrame } from "../../context/streams/frames.ts";
import type { EventType } from "../../protocol/enums.ts";
import { type AppendedEvent, readAppended, readLogPage } from "./store.ts";

/** Position of one stream in what it follows, and what of that it sends. */
export interface Feed {
  /** Returns the next events behind the position, oldest first. */
  read(): Promise<{ events: readonly AppendedEvent[]; complete: boolean }>;
  /**
   * Moves the position behind an event. gap: events between are missing, and the position stays.
   * @returns its frame; null where it was taken before, or is none that the stream sends
   */
  take(event: AppendedEvent): Buffer | null | "gap";
  /** Returns the cursor of the position. */
  cursor(): string;
}

/** Events that one read of a stream takes. */
export const PAGE_MAX = 100;

/** Frames that all streams of a log share: an event is written out once per process. */
const frames = new WeakMap<AppendedEvent, Buffer>();

function frameOf(eventLog: LogName, event: AppendedEvent): Buffer {
  const known = frames.get(event);
  if (known) return known;
  const made = eventFrame(encodeEventCursor(eventLog, event.sequence), event.type, event.json);
  frames.set(event, made);
  return made;
}

export interface KeyFeedOptions {
  pool: pg.Pool;
  eventLog: LogName;
  /** Sequence of the last event that the caller has. */
  after: number;
  types: ReadonlySet<EventType> | null;
}

/** Follows the log of one key. Its sequences have no gaps, so that a missing event shows. */
export function createKeyFeed({ pool, eventLog, after, types }: KeyFeedOptions): Feed {
  let last = after;
  return {
    read: async () => {
      const events = await readLogPage(pool, eventLog, { after: last, limit: PAGE_MAX });
      return { events, complete: events.length < PAGE_MAX };
    },
    take: (event) => {
      if (event.sequence <= last) return null;
      if (event.sequence !== last + 1) return "gap";
      last = event.sequence;
      return !types || types.has(event.type) ? frameOf(eventLog, event) : null;
    },
    cursor: () => encodeEventCursor(eventLog, last),
  };
}

/** The logs of all keys, as cursors name them. */
export const ALL_LOGS = { list: "events of all keys", chainId: null, productType: null };

/** Returns the cursor of a position on each chain. */
export const sealPositions = (positions: ReadonlyMap<number, number>): string =>
  sealCursor(ALL_LOGS, [...positions]);

/** Selects the events of all logs that a stream sends. */
export interface AllFilter {
  types: ReadonlySet<EventType> | null;
  keyId: string | undefined;
  productType: string | undefined;
  /** An orderId or operationId. */
  objectId: string | undefined;
}

/** Follows the logs of all keys by the order of their commits. @param positions that of the last event that was taken, by chain */
export function createAllFeed({
  pool,
  positions,
  filter,
  withData,
}: {
  pool: pg.Pool;
  positions: Map<number, number>;
  filter: AllFilter;
  /** False: the data of each event is null. */
  withData: boolean;
}): Feed {
  return {
    read: async () => {
      const pages = await Promise.all(
        [...positions].map(([chainId, position]) =>
          readAppended(pool, { chainId, position, keyIds: null, limit: PAGE_MAX }),
        ),
      );
      return {
        events: pages.flatMap(({ events }) => events),
        complete: pages.every((page) => page.complete),
      };
    },
    take: (event) => {
      const { chainId, position, keyId, productType, type, json } = event;
      if (position <= (positions.get(chainId) ?? Number.POSITIVE_INFINITY)) return null;
      positions.set(chainId, position);
      if (!isSent(event, filter)) return null;
      const owner = JSON.stringify({ keyId, chainId, productType });
      const shown = withData ? json : withoutData(json);
      return eventFrame(sealPositions(positions), type, `${owner.slice(0, -1)},"event":${shown}}`);
    },
    cursor: () => sealPositions(positions),
  };
}

const withoutData = (json: string): string => JSON.stringify({ ...JSON.parse(json), data: null });

function isSent(event: AppendedEvent, { types, keyId, productType, objectId }: AllFilter): boolean {
  if (keyId !== undefined && keyId !== event.keyId) return false;
  if (productType !== undefined && productType !== event.productType) return false;
  if (types && !types.has(event.type)) return false;
  return objectId === undefined || isAbout(event, objectId);
}

/** Parses only what names the object anywhere. */
function isAbout({ json }: AppendedEvent, objectId: string): boolean {
  if (!json.includes(`"${objectId}"`)) return false;
  const { data } = JSON.parse(json);
  return data.orderId === objectId || data.operationId === objectId;
}
