import type pg from "pg";
import { encodeEventCursor, type LogName } from "../input/event-cursor.ts";
import type { EventType } from "../protocol/enums.ts";
import { eventFrame } from "./stream-frames.ts";
import { type AppendedEvent, readLogPage } from "./stream-store.ts";

/** The place of one stream in what it follows, and what of that it sends. */
export interface Feed {
  /** Returns the next events behind the place, oldest first. */
  read(): Promise<{ events: readonly AppendedEvent[]; complete: boolean }>;
  /**
   * Moves the place behind an event. gap: events between are missing, and the place stays.
   * @returns its frame; null where it was taken before, or is none that the stream sends
   */
  take(event: AppendedEvent): Buffer | null | "gap";
  /** Returns the cursor of the place. */
  cursor(): string;
}

/** Events that one read of a stream takes. */
export const PAGE_MAX = 100;

/** Frames that all streams of a log share: an event is written out once per process. */
const frames = new WeakMap<AppendedEvent, Buffer>();

function frameOf(log: LogName, event: AppendedEvent): Buffer {
  const known = frames.get(event);
  if (known) return known;
  const made = eventFrame(encodeEventCursor(log, event.sequence), event.type, event.json);
  frames.set(event, made);
  return made;
}

export interface KeyFeedOptions {
  pool: pg.Pool;
  log: LogName;
  /** The sequence of the last event that the caller has. */
  after: number;
  types: ReadonlySet<EventType> | null;
}

/** Follows the log of one key. Its sequences have no gaps, so that a missing event shows. */
export function createKeyFeed({ pool, log, after, types }: KeyFeedOptions): Feed {
  let place = after;
  return {
    read: async () => {
      const events = await readLogPage(pool, log, { after: place, limit: PAGE_MAX });
      return { events, complete: events.length < PAGE_MAX };
    },
    take: (event) => {
      if (event.sequence <= place) return null;
      if (event.sequence !== place + 1) return "gap";
      place = event.sequence;
      return !types || types.has(event.type) ? frameOf(log, event) : null;
    },
    cursor: () => encodeEventCursor(log, place),
  };
}
