import type { Sink } from "../../../src/context/stream.ts";

/** Returns a client that reads only when the test lets it. */
export function fakeSink() {
  const frames: string[] = [];
  let pending = 0;
  let drain = (): void => undefined;
  let close = (): void => undefined;
  let isReading = true;
  let ending: string | null = null;
  const sink: Sink = {
    write: (written) => {
      for (const frame of written) {
        frames.push(frame.toString());
        if (!isReading) pending += frame.length;
      }
    },
    pendingBytes: () => pending,
    drained: () =>
      pending === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            drain = resolve;
          }),
    end: (last) => {
      ending = "ended";
      if (last) frames.push(last.toString());
    },
    destroy: () => {
      ending = "destroyed";
    },
    onClose: (callback) => {
      close = callback;
    },
  };
  return {
    sink,
    ending: () => ending,
    pending: () => pending,
    leave: () => close(),
    stall: () => {
      isReading = false;
    },
    read: () => {
      isReading = true;
      pending = 0;
      drain();
    },
    frames,
  };
}
