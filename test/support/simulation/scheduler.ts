import type { WorkerTime } from "../../../src/sending/sender/shared-time.ts";
import { type SeededRandom, seededRandom } from "../assert/seeded-random.ts";

/** A program of a simulation. What it waits for is lost when it dies, and late while it is stopped. */
export interface Process {
  name: string;
  isDead: boolean;
  /** End of a stop (as by SIGSTOP), simulated ms. */
  stoppedUntilMs: number;
}

interface Event {
  atMs: number;
  sequence: number;
  /** Null: the world itself. */
  process: Process | null;
  run: () => void;
}

/** One line of the story that a failed run tells. */
export interface StoryLine {
  atMs: number;
  text: string;
}

/** Unix ms at which every simulation begins: a morning, so that a day's sums do not end within a run. */
const BEGIN_MS = Date.UTC(2027, 0, 4, 8);

/**
 * Simulated time: events run one at a time, in the order of their times, and nothing else waits. With the same seed, the same
 * events happen in the same order.
 */
export class Scheduler {
  readonly random: SeededRandom;
  nowMs = BEGIN_MS;
  /** Number of events that have run. */
  steps = 0;
  /** Null: no story is kept. */
  readonly story: StoryLine[] | null;
  private readonly heap: Event[] = [];
  private sequence = 0;

  constructor(seed: number, { withStory = false } = {}) {
    this.random = seededRandom(seed);
    this.story = withStory ? [] : null;
  }

  /** Milliseconds since the begin. */
  get elapsedMs(): number {
    return this.nowMs - BEGIN_MS;
  }

  /** @param text is made only where the story is kept */
  tell(text: () => string): void {
    this.story?.push({ atMs: this.elapsedMs, text: text() });
  }

  /** Runs something after so many ms. @returns a function that takes it back */
  after(ms: number, process: Process | null, run: () => void): () => void {
    const event: Event = { atMs: this.nowMs + Math.max(ms, 0), sequence: this.sequence++, process, run };
    this.push(event);
    return () => {
      event.run = nothing;
    };
  }

  /** Runs the next event, and everything that follows from it at once. @returns false where none is left */
  async step(): Promise<boolean> {
    const event = this.pop();
    if (!event) return false;
    this.nowMs = Math.max(this.nowMs, event.atMs);
    const { process } = event;
    if (event.run === nothing || process?.isDead) return true;
    if (process && process.stoppedUntilMs > this.nowMs) {
      this.push({ ...event, atMs: process.stoppedUntilMs, sequence: this.sequence++ });
      return true;
    }
    this.steps += 1;
    event.run();
    // Programs here wait for nothing but events: their microtasks are over by then.
    await new Promise(setImmediate);
    return true;
  }

  /** Time of a process, whose loops wait by it. */
  timeOf(process: Process): WorkerTime {
    const callAt: WorkerTime["callAt"] = (atMs, callback) =>
      this.after(atMs - this.elapsedMs, process, callback);
    return {
      now: () => this.elapsedMs,
      callAt,
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          if (signal.aborted) return resolve();
          const cancel = this.after(ms, process, () => {
            signal.removeEventListener("abort", stop);
            resolve();
          });
          const stop = (): void => {
            cancel();
            resolve();
          };
          signal.addEventListener("abort", stop, { once: true });
        }),
    };
  }

  private push(event: Event): void {
    const { heap } = this;
    let index = heap.length;
    heap.push(event);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] as Event;
      if (!isBefore(event, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = event;
  }

  private pop(): Event | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (!last || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = index * 2 + 1;
      const left = heap[child];
      if (!left) break;
      const right = heap[child + 1];
      if (right && isBefore(right, left)) child += 1;
      const below = heap[child] as Event;
      if (!isBefore(below, last)) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

const nothing = (): void => undefined;

const isBefore = (one: Event, other: Event): boolean =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.sequence < other.sequence);
