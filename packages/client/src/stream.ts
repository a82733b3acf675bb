import { startDeadline } from "./deadline.ts";
import { ApiError, ConnectionError, TimeoutError } from "./errors.ts";
import { backoff, pause, pauseBefore } from "./retry.ts";
import { type Frame, readFrames } from "./sse.ts";
import type { Transport } from "./transport.ts";

export interface StreamOptions {
  /** Ends the stream: the loop over it ends, without an error. */
  signal?: AbortSignal | undefined;
  /** Time without a message or heartbeat after which the stream connects again, milliseconds; 30,000 by default. */
  silenceMs?: number | undefined;
  /** Called whenever the connection is lost and will be made again. */
  onDisconnect?: ((error: unknown) => void) | undefined;
}

const SILENCE_MS = 30_000;
const PAUSE_MS_MAX = 30_000;
/** Number of retries of the first connection: a wrong baseUrl should not look like a quiet market. */
const FIRST_RETRIES = 2;

/** The request of a stream's next connection. */
export interface StreamRequest {
  path: string;
  query: Readonly<Record<string, string | undefined>>;
  headers: Record<string, string>;
}

/** A stream of server-sent events that connects again after the connection breaks. Iterate it once. */
export abstract class ReconnectingStream<T> implements AsyncIterable<T> {
  readonly #transport: Transport;
  readonly #options: StreamOptions;
  #isConnected = false;
  /** Pause that the service requests before the next connection: it spreads its clients over its replicas. */
  #retryMs = 0;
  /** Failures since the last frame. */
  #failures = 0;

  constructor(transport: Transport, options: StreamOptions) {
    this.#transport = transport;
    this.#options = options;
  }

  protected abstract request(): StreamRequest;

  /** Returns the messages of a frame; null stands for one that says that the stream is alive. */
  protected abstract take(frame: Frame, data: unknown): Iterable<T | null>;

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const message of this.follow()) if (message !== null) yield message;
  }

  /** Iterates like the stream itself, with null where the server says that the stream is alive: at first once it is open. */
  async *follow(): AsyncGenerator<T | null, void, undefined> {
    const { signal, onDisconnect } = this.#options;
    while (!signal?.aborted) {
      try {
        yield* this.#connection();
        throw new ConnectionError("The stream ended");
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
  async *#connection(): AsyncGenerator<T | null, void, undefined> {
    const { signal, silenceMs = SILENCE_MS } = this.#options;
    const { path, query, headers } = this.request();
    const deadline = startDeadline(silenceMs, signal);
    try {
      const body = await this.#transport.openStream(path, { query, headers }, deadline, signal);
      for await (const frame of readFrames(body, deadline.signal)) {
        // The caller's own time for a message does not count as silence.
        deadline.suspend();
        this.#failures = 0;
        this.#isConnected = true;
        this.#retryMs = frame.retryMs ?? this.#retryMs;
        if (frame.data !== "") yield* this.take(frame, JSON.parse(frame.data));
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
