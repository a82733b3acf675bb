import { createParser, type EventSourceMessage } from "eventsource-parser";
import { authorization, TokenRefused } from "./ask.ts";

/** An event of the log of a key, as the operator's stream sends it. */
export interface LiveEvent {
  keyId: string;
  chainId: number;
  productType: string;
  event: { type: string; resource: string; txHash: string | null };
}

/** live: over the stream; polling: the service has no stream; stopped: by the reader; hidden: the tab is in the background. */
export type LiveMode = "connecting" | "live" | "reconnecting" | "polling" | "stopped" | "hidden";

export interface Live {
  mode(): LiveMode;
  /** Notes that something was read, so that what is shown can be old. */
  noteRead(): void;
  setStopped(stopped: boolean): void;
  /** Calls back at each event, and with null where everything must be read again. Returns a function that ends it. */
  onRefresh(listener: (event: LiveEvent | null) => void): () => void;
  onChange(listener: () => void): () => void;
  /** Has everything read again, such as after an outage. */
  readAgain(): void;
  /** Ends the connection permanently. */
  close(): void;
}

/** Interval of reading everything shown again without a stream; with it, of reading what no event reports, such as queues. */
const POLL_MS = 10_000;
const POLL_LIVE_MS = 30_000;
/** Heartbeats come every 15 s. */
const SILENCE_MS_MAX = 35_000;
const BACKOFF_MS_MAX = 30_000;

interface State {
  mode: LiveMode;
  hasRead: boolean;
  lastId: string | null;
  failures: number;
  stopped: boolean;
  connection: AbortController | null;
  timers: Set<ReturnType<typeof setTimeout>>;
}

/** Follows the operator's stream of events while the tab is visible, and reconnects after any end. */
export function createLive(token: string, onRefused: () => void): Live {
  const refreshes = new Set<(event: LiveEvent | null) => void>();
  const changes = new Set<() => void>();
  const state: State = {
    mode: "connecting",
    hasRead: false,
    lastId: null,
    failures: 0,
    stopped: false,
    connection: null,
    timers: new Set(),
  };
  const setMode = (mode: LiveMode) => {
    if (state.mode === mode) return;
    state.mode = mode;
    for (const listener of changes) listener();
  };
  const refresh = (event: LiveEvent | null) => {
    for (const listener of refreshes) listener(event);
  };
  const after = (ms: number, run: () => void) => {
    const timer = setTimeout(() => {
      state.timers.delete(timer);
      run();
    }, ms);
    state.timers.add(timer);
  };
  const rest = (mode: LiveMode) => {
    state.connection?.abort();
    state.connection = null;
    for (const timer of state.timers) clearTimeout(timer);
    state.timers.clear();
    setMode(mode);
  };
  const poll = () => {
    refresh(null);
    after(state.mode === "live" ? POLL_LIVE_MS : POLL_MS, poll);
  };
  const receive = ({ id, event, data }: EventSourceMessage) => {
    if (id !== undefined) state.lastId = id;
    if (event !== "heartbeat" && event !== "closing") refresh(JSON.parse(data));
  };
  const connect = async () => {
    const connection = new AbortController();
    state.connection = connection;
    const outcome = await follow(token, state.lastId, connection, {
      onOpen: () => {
        state.failures = 0;
        setMode("live");
      },
      onEvent: receive,
    });
    if (state.connection !== connection) return;
    if (outcome === "refused") return onRefused();
    if (outcome === "absent") return setMode("polling");
    if (outcome === "expired") state.lastId = null;
    setMode("reconnecting");
    after(Math.min(1_000 * 2 ** state.failures++, BACKOFF_MS_MAX), () => void connect());
  };
  const resume = () => {
    if (document.hidden) return rest("hidden");
    if (state.stopped) return rest("stopped");
    rest("connecting");
    // Events in between were not received.
    if (state.hasRead) refresh(null);
    after(POLL_MS, poll);
    void connect();
  };
  document.addEventListener("visibilitychange", resume);
  resume();
  return {
    mode: () => state.mode,
    noteRead: () => {
      state.hasRead = true;
    },
    setStopped: (stopped) => {
      state.stopped = stopped;
      resume();
    },
    onRefresh: (listener) => listen(refreshes, listener),
    onChange: (listener) => listen(changes, listener),
    readAgain: () => refresh(null),
    close: () => {
      document.removeEventListener("visibilitychange", resume);
      rest("stopped");
    },
  };
}

function listen<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

interface Follower {
  onOpen(): void;
  onEvent(event: EventSourceMessage): void;
}

/** Reads the stream until it ends; returns the reason. */
async function follow(
  token: string,
  lastId: string | null,
  connection: AbortController,
  { onOpen, onEvent }: Follower,
): Promise<"ended" | "refused" | "absent" | "expired"> {
  let silence = setTimeout(() => connection.abort(), SILENCE_MS_MAX);
  try {
    const response = await fetch("events/stream", {
      headers: { ...authorization(token), ...(lastId === null ? {} : { "last-event-id": lastId }) },
      cache: "no-store",
      redirect: "error",
      signal: connection.signal,
    });
    if (!/^text\/event-stream/.test(response.headers.get("content-type") ?? "")) return refusalOf(response);
    onOpen();
    // Browsers offer a parser only without an Authorization header.
    const parser = createParser({ onEvent });
    const reader = (response.body as ReadableStream<BufferSource>)
      .pipeThrough(new TextDecoderStream())
      .getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      clearTimeout(silence);
      silence = setTimeout(() => connection.abort(), SILENCE_MS_MAX);
      parser.feed(part.value);
    }
    return "ended";
  } catch (error) {
    return error instanceof TokenRefused ? "refused" : "ended";
  } finally {
    clearTimeout(silence);
  }
}

async function refusalOf(response: Response): Promise<"ended" | "refused" | "absent" | "expired"> {
  const answer = await response.json().catch(() => null);
  if (answer?.code === 401) return "refused";
  if (/CURSOR|VALIDATION/.test(String(answer?.errCode))) return "expired";
  return response.status === 404 || answer?.code === 404 ? "absent" : "ended";
}
