// When to ask for the head of a chain: by the clock, and as soon as a node announces one over a WebSocket (poll-heads.ts).
import { WebSocket } from "ws";
import { z } from "zod";

/** A socket that has announced nothing for this long is replaced: the connection or the subscription may be dead. */
const SILENT_MS = 60_000;
const RECONNECT_MS = 1_000;
const RECONNECT_MS_MAX = 30_000;

/**
 * Decides when to poll. An announced poll begins at once, or when the one before it ends: answers of two at a time could come
 * in the wrong order, which looks like a reorg. None waits longer than the clock's interval for another.
 */
export function createPolls(poll: () => Promise<void>, everyMs: number, now: () => number = Date.now) {
  let last = { startedMs: Number.NEGATIVE_INFINITY, isAnnounced: false, isDone: true };
  let isWaiting = false;
  const runs = () => !last.isDone && now() - last.startedMs < everyMs;

  async function run(isAnnounced: boolean): Promise<void> {
    const current = { startedMs: now(), isAnnounced, isDone: false };
    last = current;
    isWaiting = false;
    await poll();
    current.isDone = true;
    if (isWaiting) announced();
  }
  function announced(): void {
    if (runs()) isWaiting = true;
    else void run(true);
  }
  function ticked(): void {
    if (!(last.isAnnounced && runs())) void run(false);
  }
  return { announced, ticked };
}

const announcement = z.object({ method: z.literal("eth_subscription") });
const refusal = z.object({ error: z.unknown() }).refine(({ error }) => error !== undefined);
const SUBSCRIBE = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] });

interface HeadListeners {
  onHead(): void;
  /** Called when announcements begin, and when they end. */
  onChange(isFollowed: boolean): void;
}

/** Subscribes to the heads of a node, and again whenever the socket breaks or announces nothing for too long. */
export function followHeads(
  url: string,
  { onHead, onChange }: HeadListeners,
  { silentMs = SILENT_MS, reconnectMs = RECONNECT_MS } = {},
): { stop(): void } {
  let stop = () => {};
  let failures = 0;

  function open(): void {
    const socket = new WebSocket(url, { handshakeTimeout: silentMs, perMessageDeflate: false });
    let isFollowed = false;
    const silence = setTimeout(() => socket.terminate(), silentMs).unref();
    socket.on("open", () => socket.send(SUBSCRIBE));
    socket.on("message", (data) => {
      const message = parse(`${data}`);
      if (refusal.safeParse(message).success) return socket.terminate();
      if (!announcement.safeParse(message).success) return;
      silence.refresh();
      failures = 0;
      if (!isFollowed) onChange(true);
      isFollowed = true;
      onHead();
    });
    // "close" follows.
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(silence);
      if (isFollowed) onChange(false);
      const again = setTimeout(open, Math.min(reconnectMs * 2 ** failures, RECONNECT_MS_MAX)).unref();
      failures += 1;
      stop = () => clearTimeout(again);
    });
    stop = () => {
      clearTimeout(silence);
      socket.removeAllListeners("close").terminate();
    };
  }

  open();
  return { stop: () => stop() };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
