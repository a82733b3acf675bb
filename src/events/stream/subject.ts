import type pg from "pg";
import { z } from "zod";
import { decodeEventCursor, type LogName } from "../../context/input/event-cursor.ts";
import { parseInput, refuse } from "../../context/input/fields.ts";
import { openCursor } from "../../context/input/list.ts";
import type { KeyStream } from "../../context/streams/host.ts";
import type { Checkpoints } from "../../db/checkpoint-watch.ts";
import { ApiError } from "../../protocol/errors.ts";
import { eventStreamShape, operatorStreamShape } from "../input.ts";
import { requireKept } from "../list.ts";
import type { LogOfChain } from "./chains.ts";
import { ALL_LOGS, createAllFeed, createKeyFeed, type Feed, sealPositions } from "./feed.ts";
import { readChainEdges, readLogBounds } from "./store.ts";

/** Logs that a stream follows, and the positions that it begins at. */
export interface Subject {
  /** Whose reads its own wait for, and whose limit it counts against. */
  holder: string;
  chainIds: readonly number[];
  eventLog: LogOfChain;
  keyStream: KeyStream | null;
  feed: Feed;
  heartbeat: () => object;
}

/** The dependencies of finding subjects. */
export interface SubjectDeps {
  pool: pg.Pool;
  now: () => number;
  checkpoints: Checkpoints;
}

/** Position at which a request lets the stream begin. */
export interface Asked {
  args: Record<string, unknown>;
  lastEventId: string | null;
}

const blockOf = ({ checkpoints }: SubjectDeps, chainId: number): number | null => {
  const block = checkpoints.last(chainId);
  return block ? Number(block.number) : null;
};

/** Returns the cursor of a request. The header precedes `after`, which an EventSource that connects again repeats. */
const cursorOf = (after: string | undefined, lastEventId: string | null) =>
  lastEventId ? { cursor: lastEventId, param: "last-event-id" } : { cursor: after ?? null, param: "after" };

/**
 * Finds the log of a key. Without a cursor, the stream begins at its end.
 * @throws ApiError VALIDATION_FAILED, CURSOR_EXPIRED, DATABASE_UNAVAILABLE
 */
export async function findKeySubject(
  deps: SubjectDeps,
  { keyId, chainId, productType }: LogName,
  { args, lastEventId }: Asked,
): Promise<Subject> {
  const { pool, now } = deps;
  const eventLog = { keyId, chainId, productType };
  const input = parseInput(eventStreamShape, args);
  const { cursor, param } = cursorOf(input.after, lastEventId);
  const sequence = cursor === null ? null : decodeEventCursor(eventLog, cursor, param);
  const { head, removed } = await readLogBounds(pool, eventLog, sequence);
  if (sequence !== null) requireKept(eventLog, sequence, param, { head, removed });
  const types = input.types ? new Set(input.types) : null;
  return {
    holder: keyId,
    chainIds: [chainId],
    eventLog,
    keyStream: { ...eventLog, kind: "events", filter: input.types ?? null },
    feed: createKeyFeed({ pool, eventLog, after: Number(sequence ?? head), types }),
    heartbeat: () => ({ indexedBlock: blockOf(deps, chainId), t: now() }),
  };
}

const positionsSchema = z.array(z.tuple([z.int(), z.int().min(0)])).max(1_000);

/** A dashboard user's view of the event logs of all keys. */
export interface AllView {
  holder: string;
  /** False: events are sent without their data. */
  withData: boolean;
}

/**
 * Finds the logs of all keys, on all chains or one, for a dashboard.
 * @throws ApiError VALIDATION_FAILED, CURSOR_EXPIRED, DATABASE_UNAVAILABLE
 */
export async function findAllSubject(
  deps: SubjectDeps,
  served: readonly number[],
  { args, lastEventId }: Asked,
  { holder, withData }: AllView,
): Promise<Subject> {
  const { pool, now } = deps;
  const { after, types, chainId, keyId, productType, objectId } = parseInput(operatorStreamShape, args);
  const chainIds = chainId === undefined ? served : served.filter((id) => id === chainId);
  if (chainIds.length === 0) throw refuse("chainId", "is no chain of this installation");
  const { cursor, param } = cursorOf(after, lastEventId);
  const known = cursor === null ? null : new Map(openCursor(ALL_LOGS, cursor, param, positionsSchema));
  const positions = new Map<number, number>();
  for (const id of chainIds) {
    const position = known ? (known.get(id) ?? 0) : null;
    const { first, last, hasEvent } = await readChainEdges(pool, id, position ?? 0);
    if (position !== null && position > last) throw refuse(param, "is behind the end of the log");
    // An event that was removed for its age was removed with all before it, and maybe some behind it.
    if (position !== null && position > 0 && position < first && !hasEvent) {
      const oldestCursor = sealPositions(new Map([...(known ?? []), [id, first - 1]]));
      throw new ApiError("CURSOR_EXPIRED", { param, oldestCursor });
    }
    positions.set(id, position ?? last);
  }
  return {
    holder,
    chainIds,
    eventLog: null,
    keyStream: null,
    feed: createAllFeed({
      pool,
      positions,
      filter: { types: types ? new Set(types) : null, keyId, productType, objectId },
      withData,
    }),
    heartbeat: () => ({
      indexedBlocks: Object.fromEntries(chainIds.map((id) => [id, blockOf(deps, id)])),
      t: now(),
    }),
  };
}
