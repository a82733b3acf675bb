// When to ask for the head of a chain: by the clock, and as soon as a node announces one over a WebSocket (poll-heads.ts).
import { WebSocket } from "ws";
import { z } from "zod";

/** A socket that has announced nothing for this long is replaced: the connection or the subscription may be dead. */
const SILENT_MS = 60_000;
const RECONNECT_MS = 1_000;
const RECONNECT_MS_MAX = 30_000;
/** Polls by the clock begin so long after an announcement at the latest, unless their interval is longer. */
const SETTLED_MS_MAX = 1_500;
/** Delay of an announcement, beyond the usual time, after which the clock polls, as a share of the time between announcements. */
const LATE_SHARE = 0.5;
/** The longest of so many times between announcements is the usual one: several blocks may be announced at once. */
const GAPS = 8;

/**
 * Decides when to poll. An announced poll begins at once, or when the one before it ends: answers of two at a time could come
 * in the wrong order, which looks like a reorg. None waits longer than the clock's interval for another.
 *
 * Once a poll has found the head that was announced last, those by the clock, which would find it again, are left out for a moment.
 * A node that is asked may be behind the one that announces: until its answer is the announced head, the clock goes on.
 * @param poll returns the hash of the head that it found, or undefined where it found none
 */
export function createPolls(
  poll: () => Promise<string | undefined>,
  everyMs: number,
  now: () => number = Date.now,
) {
  let last = { startedMs: Number.NEGATIVE_INFINITY, isAnnounced: false, isDone: true };
  let isWaiting = false;
  let announcement: { hash: string | undefined; atMs: number } | null = null;
  let found: string | undefined;
  let gapsMs: number[] = [];
  /**
   * Returns how long an announcement replaces polls. A node that falls silent on a fast chain delays its next block by less
   * than on a slow one.
   */
  const settledMs = () =>
    gapsMs.length < GAPS
      ? SETTLED_MS_MAX
      : Math.min(SETTLED_MS_MAX, everyMs + Math.max(...gapsMs) * (1 + LATE_SHARE));
  const runs = () => !last.isDone && now() - last.startedMs < everyMs;
  /** Returns true while the next tick, too, comes soon enough after the announcement. */
  const isSettled = () =>
    announcement?.hash !== undefined &&
    announcement.hash === found &&
    now() + everyMs - announcement.atMs <= settledMs();

  async function run(isAnnounced: boolean): Promise<void> {
    const current = { startedMs: now(), isAnnounced, isDone: false };
    last = current;
    isWaiting = false;
    found = await poll();
    current.isDone = true;
    if (isWaiting) begin();
  }
  function begin(): void {
    if (runs()) isWaiting = true;
    else void run(true);
  }
  return {
    /** @param hash of the head, where it is known */
    announced: (hash?: string) => {
      // Several nodes announce the same head.
      if (announcement && announcement.hash !== hash)
        gapsMs = [now() - announcement.atMs, ...gapsMs].slice(0, GAPS);
      announcement = { hash, atMs: now() };
      begin();
    },
    /** Has the clock go on: a node announces nothing any more. */
    lost: () => {
      announcement = null;
    },
    ticked: () => {
      if (!(last.isAnnounced && runs()) && !isSettled()) void run(false);
    },
  };
}

const announcementSchema = z.object({
  method: z.literal("eth_subscription"),
  params: z
    .object({ result: z.object({ hash: z.string() }) })
    .optional()
    .catch(undefined),
});
const refusal = z.object({ error: z.unknown() });
const SUBSCRIBE = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] });

interface HeadListeners {
  /** @param hash undefined where the announcement has none */
  onHead(hash: string | undefined): void;
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
      const announced = announcementSchema.safeParse(message);
      if (!announced.success) return;
      silence.refresh();
      failures = 0;
      if (!isFollowed) onChange(true);
      isFollowed = true;
      onHead(announced.data.params?.result.hash);
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
