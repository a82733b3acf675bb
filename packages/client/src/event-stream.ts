import { startDeadline } from "./deadline.ts";
import { ApiError, ConnectionError, TimeoutError } from "./errors.ts";
import type { EventType, TradingEvent } from "./generated/types.ts";
import { backoff, pause, pauseBefore } from "./retry.ts";
import { type Frame, readFrames } from "./sse.ts";
import type { Transport } from "./transport.ts";

/** Selection of a stream's events. */
export interface StreamQuery {
  /**
   * A cursor: `cursor` of an earlier stream, `eventCursor` of a list, `nextCursor` of `events.list`. The stream begins with the
   * events after it; without it, at the end of the log.
   */
  after?: string | undefined;
  /** Names of events; `order.*` stands for all with that prefix. All by default. */
  types?: readonly (EventType | `${string}.*`)[] | undefined;
}

export interface StreamOptions {
  /** Ends the stream: the loop over it ends, without an error. */
  signal?: AbortSignal | undefined;
  /** Time without events and heartbeats after which the stream connects again, milliseconds; 30,000 by default. */
  silenceMs?: number | undefined;
  /** Called whenever the connection is lost and will be made again. */
  onDisconnect?: ((error: unknown) => void) | undefined;
}

const SILENCE_MS = 30_000;
const PAUSE_MS_MAX = 30_000;
/** Number of retries of the first connection: a wrong baseUrl should not look like a quiet market. */
const FIRST_RETRIES = 2;

/**
 * A key's events as they happen, each once. Connects again after the connection breaks, and continues after the last event.
 * Iterate it once.
 */
export class EventStream implements AsyncIterable<TradingEvent> {
  readonly #transport: Transport;
  readonly #query: StreamQuery;
  readonly #options: StreamOptions;
  #cursor: string | null = null;
  #indexedBlock: number | null = null;
  #sequence = 0;
  #isConnected = false;
  /** Pause that the service requests before the next connection: it spreads its clients over its replicas. */
  #retryMs = 0;
  /** Failures since the last frame. */
  #failures = 0;

  constructor(transport: Transport, query: StreamQuery, options: StreamOptions) {
    this.#transport = transport;
    this.#query = query;
    this.#options = options;
  }

  /** Position of the stream: store it with your results, and pass it as `after` to the next one. */
  get cursor(): string | null {
    return this.#cursor ?? this.#query.after ?? null;
  }

  /** Block that the indexer had reached at the last heartbeat. */
  get indexedBlock(): number | null {
    return this.#indexedBlock;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TradingEvent, void, undefined> {
    for await (const event of this.follow()) if (event !== null) yield event;
  }

  /** Iterates like the stream itself, with null at each heartbeat: the first one means that the stream is open. */
  async *follow(): AsyncGenerator<TradingEvent | null, void, undefined> {
    const { signal, onDisconnect } = this.#options;
    while (!signal?.aborted) {
      try {
        yield* this.#connection();
        throw new ConnectionError("The stream of events ended");
      } catch (error) {
        if (signal?.aborted) return;
        const pauseMs = this.#pauseAfter(error);
        if (pauseMs === null) throw error;
        onDisconnect?.(error);
        await pause(pauseMs, signal).catch(() => undefined);
      }
    }
  }

  /** Reads one connection to its end. */
  async *#connection(): AsyncGenerator<TradingEvent | null, void, undefined> {
    const { signal, silenceMs = SILENCE_MS } = this.#options;
    const { after, types } = this.#query;
    const headers: Record<string, string> = this.#cursor === null ? {} : { "last-event-id": this.#cursor };
    const deadline = startDeadline(silenceMs, signal);
    try {
      const parts = { query: { after, types: types?.join(",") }, headers };
      const body = await this.#transport.openStream("/events/stream", parts, deadline, signal);
      for await (const frame of readFrames(body, deadline.signal)) {
        // The caller's own time for an event does not count as silence.
        deadline.suspend();
        this.#failures = 0;
        this.#isConnected = true;
        yield* this.#take(frame);
        deadline.extend();
      }
    } catch (error) {
      throw deadline.isOver()
        ? new TimeoutError(`Nothing came for ${silenceMs} ms`, { cause: error })
        : error;
    } finally {
      deadline.clear();
    }
  }

  *#take({ id, event, data, retryMs }: Frame): Generator<TradingEvent | null, void, undefined> {
    this.#retryMs = retryMs ?? this.#retryMs;
    if (event === "closing" || data === "") return;
    const parsed = JSON.parse(data);
    if (id) this.#cursor = id;
    if (event === "heartbeat") {
      this.#indexedBlock = parsed.indexedBlock;
      yield null;
    } else if (parsed.sequence > this.#sequence) {
      this.#sequence = parsed.sequence;
      yield parsed;
    }
  }

  /** Returns the pause before the next connection; null where none can succeed. */
  #pauseAfter(error: unknown): number | null {
    const attempt = this.#failures;
    this.#failures += 1;
    if (!this.#isConnected && attempt >= FIRST_RETRIES) return null;
    if (error instanceof ApiError) return pauseBefore(error, attempt, true);
    const isPassing =
      error instanceof ConnectionError || error instanceof TimeoutError || error instanceof TypeError;
    return isPassing ? Math.max(this.#retryMs, backoff(Math.min(attempt, 10), PAUSE_MS_MAX)) : null;
  }
}
