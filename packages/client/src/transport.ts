import { type Answer, parseEnvelope, readAnswer, type SentRequest, skewOf } from "./answer.ts";
import { readText } from "./body.ts";
import { type Deadline, startDeadline } from "./deadline.ts";
import { ConnectionError, PartnerTradingError, TimeoutError } from "./errors.ts";
import type { SendOptions, Settings } from "./options.ts";
import { type Method, type Prepared, prepare, type RequestParts } from "./request.ts";
import { pause, pauseBefore } from "./retry.ts";
import { signedHeaders } from "./signed-headers.ts";

/** Signs requests, sends them, and repeats those that may succeed later. */
export class Transport {
  // Private, so that neither JSON nor a log shows the secret.
  readonly #settings: Settings;
  #clockSkewMs: number | null = null;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** The server's time minus the client's, milliseconds, from the latest answer; null before the first. */
  get clockSkewMs(): number | null {
    return this.#clockSkewMs;
  }

  /** Makes a call, with as many repetitions as are needed and allowed. */
  async send<T>(
    method: Method,
    path: string,
    parts: RequestParts,
    options: SendOptions = {},
  ): Promise<Answer<T>> {
    const prepared = prepare(method, path, parts, options);
    const { retries = this.#settings.retries, signal } = options;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#attempt<T>(prepared, options);
      } catch (error) {
        const pauseMs = attempt < retries ? pauseBefore(error, attempt, prepared.isRepeatable) : null;
        if (pauseMs === null) throw error;
        await pause(pauseMs, signal);
      }
    }
  }

  async #attempt<T>(prepared: Prepared, { timeoutMs, signal }: SendOptions): Promise<Answer<T>> {
    signal?.throwIfAborted();
    const deadline = startDeadline(timeoutMs ?? this.#settings.timeoutMs, signal);
    try {
      const { response, asked } = await this.#fetch(prepared, deadline.signal);
      return this.#read<T>(response, await readText(response, deadline.signal), asked);
    } catch (error) {
      throw this.#explain(error, prepared, deadline, signal);
    } finally {
      deadline.clear();
    }
  }

  /**
   * Opens a stream of server-sent events, in one try. The caller extends and clears the deadline.
   * @throws as `send` does, where the service refuses
   */
  async openStream(
    path: string,
    parts: RequestParts,
    deadline: Deadline,
    outer?: AbortSignal,
  ): Promise<ReadableStream> {
    const prepared = prepare("GET", path, parts, {});
    try {
      const { response, asked } = await this.#fetch(prepared, deadline.signal);
      const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
      if (response.ok && isStream && response.body) return response.body;
      this.#read(response, await readText(response, deadline.signal), asked);
      throw new ConnectionError(`${asked.url} answered with no stream of events`, {
        status: response.status,
      });
    } catch (error) {
      throw this.#explain(error, prepared, deadline, outer);
    }
  }

  /** Signs and sends a request: each try has a timestamp and a nonce of its own. */
  async #fetch({ method, uri, body, headers }: Prepared, signal: AbortSignal) {
    const { baseUrl, clock, fetch } = this.#settings;
    const sentAt = clock();
    const parts = { method, uri, timestamp: String(sentAt), nonce: globalThis.crypto.randomUUID() };
    const url = baseUrl + uri;
    const response = await fetch(url, {
      method,
      headers: { ...headers, ...(await signedHeaders(this.#settings, parts, body)) },
      ...(body && { body }),
      // A signed request is for this host alone.
      redirect: "error",
      signal,
    });
    const idempotencyKey = headers["idempotency-key"] ?? null;
    return { response, asked: { url, sentAt, answeredAt: clock(), idempotencyKey } };
  }

  #read<T>(response: Response, text: string, asked: SentRequest): Answer<T> {
    const envelope = parseEnvelope(text);
    if (envelope) this.#clockSkewMs = skewOf(envelope.t, asked);
    return readAnswer<T>(response, envelope, asked);
  }

  /** Converts an error of `fetch` into one with the remedy. */
  #explain(error: unknown, prepared: Prepared, deadline: Deadline, outer?: AbortSignal): unknown {
    if (outer?.aborted) return outer.reason;
    if (error instanceof PartnerTradingError) return error;
    const { idempotencyKey, isRepeatable, method, uri } = prepared;
    const context = { cause: error, idempotencyKey };
    const target = `${method} ${this.#settings.baseUrl}${uri}`;
    const advice = isRepeatable ? "" : "; it may have been carried out all the same";
    if (deadline.isOver()) return new TimeoutError(`No answer in time to ${target}${advice}`, context);
    const reason = codeOf(error);
    return new ConnectionError(
      `No answer to ${target}${reason}: is baseUrl right, and the service up?${advice}`,
      context,
    );
  }
}

/** Returns the system's code of a failure, which Node.js has in the cause: " (ECONNREFUSED)". */
function codeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === "string" ? ` (${cause.code})` : "";
}
