import type { EventType, TradingEvent } from "./generated/types.ts";
import type { Frame } from "./sse.ts";
import { ReconnectingStream, type StreamOptions, type StreamRequest } from "./stream.ts";
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

/**
 * A key's events as they happen, each once. Connects again after the connection breaks, and continues after the last event.
 * Iterate it once.
 */
export class EventStream extends ReconnectingStream<TradingEvent> {
  readonly #query: StreamQuery;
  #cursor: string | null = null;
  #indexedBlock: number | null = null;
  #sequence = 0;

  constructor(transport: Transport, query: StreamQuery, options: StreamOptions) {
    super(transport, options);
    this.#query = query;
  }

  /** Position of the stream: store it with your results, and pass it as `after` to the next one. */
  get cursor(): string | null {
    return this.#cursor ?? this.#query.after ?? null;
  }

  /** Block that the indexer had reached at the last heartbeat. */
  get indexedBlock(): number | null {
    return this.#indexedBlock;
  }

  protected override request(): StreamRequest {
    const { after, types } = this.#query;
    return {
      path: "/events/stream",
      query: { after, types: types?.join(",") },
      headers: this.#cursor === null ? {} : { "last-event-id": this.#cursor },
    };
  }

  protected override *take(
    { id, event }: Frame,
    data: TradingEvent & { indexedBlock: number | null },
  ): Generator<TradingEvent | null, void, undefined> {
    if (id) this.#cursor = id;
    if (event === "heartbeat") {
      this.#indexedBlock = data.indexedBlock;
      yield null;
    } else if (data.sequence > this.#sequence) {
      this.#sequence = data.sequence;
      yield data;
    }
  }
}
