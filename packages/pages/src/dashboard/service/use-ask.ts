import { useEffect, useRef, useState } from "preact/hooks";
import { type Ask, messageOf, type PageDocument, TokenRefused } from "./ask.ts";
import type { LiveEvent } from "./live.ts";
import { type Session, useSession } from "./session.ts";

export interface Answer<Result> {
  /** Newest answer to these variables; until it arrives, the one to the previous variables. */
  data: Result | null;
  /** Variables of the data. */
  key: string;
  /** When the data was answered, milliseconds. */
  at: number | null;
  error: string | null;
  isLoading: boolean;
  /** True while an answer is overdue: the data may be old. */
  isLate: boolean;
  reload(): void;
}

type State<Result> = Omit<Answer<Result>, "reload">;

/** Time for which a burst of events is collected: one answer serves all of it. */
const BURST_MS = 150;
/** Minimum interval, however many events there are. */
const INTERVAL_MS_MIN = 1_500;
/** Time after which a question without an answer is late. */
const LATE_MS = 3_000;
/** Number of answers kept for going back. */
const KEPT_MAX = 50;

const EVERY_EVENT = () => true;
/** For what no event concerns: it is read at its interval alone. */
export const NO_EVENT = () => false;

/**
 * Queries a document, and again whenever its variables change, an event concerns it, or everything must be read again.
 * @param concerns must be stable, or each rendering queries
 */
export function useAsk<Result, Variables>(
  document: PageDocument<Result, Variables>,
  variables: Omit<Variables, "operator">,
  concerns: (event: LiveEvent) => boolean = EVERY_EVENT,
): Answer<Result> {
  const key = `${document.name} ${JSON.stringify(variables)}`;
  return useAnswer(key, (ask, signal) => ask(document, variables, signal), concerns);
}

/**
 * Reads the answer of a key, and again whenever the key changes, an event concerns it, or everything must be read again.
 * @param read queries with present values, such as the time
 */
export function useAnswer<Result>(
  key: string,
  read: (ask: Ask, signal: AbortSignal) => Promise<Result>,
  concerns: (event: LiveEvent) => boolean,
): Answer<Result> {
  const session = useSession();
  const [answer, setAnswer] = useState<State<Result>>(() => begin(session, key));
  const reload = useRef(() => {});
  useEffect(() => {
    setAnswer((last) =>
      session.answers.has(key)
        ? begin(session, key)
        : { ...last, error: last.key === key ? last.error : null, isLoading: true, isLate: false },
    );
    const asking = new AbortController();
    const run = async () => {
      const late = setTimeout(() => {
        if (!asking.signal.aborted) setAnswer((last) => ({ ...last, isLate: true }));
      }, LATE_MS);
      try {
        const data = await read(session.ask, asking.signal);
        if (asking.signal.aborted) return;
        const at = Date.now();
        keep(session.answers, key, { data, at });
        session.live.noteRead();
        setAnswer({ data, key, at, error: null, isLoading: false, isLate: false });
      } catch (error) {
        if (asking.signal.aborted) return;
        if (error instanceof TokenRefused) return session.refuse();
        setAnswer((last) => ({
          data: last.key === key ? last.data : null,
          key,
          at: last.key === key ? last.at : null,
          error: messageOf(error),
          isLoading: false,
          isLate: false,
        }));
      } finally {
        clearTimeout(late);
      }
    };
    const schedule = spaced(run);
    reload.current = () => schedule(0);
    schedule(0);
    const off = session.live.onRefresh((event) => {
      if (event === null) schedule(0);
      else if (concerns(event)) schedule(BURST_MS);
    });
    return () => {
      asking.abort();
      schedule.cancel();
      off();
    };
  }, [session, key, concerns]);
  return { ...answer, reload: () => reload.current() };
}

/** Returns the state before a question is answered: with its answer of an earlier visit, if there is one. */
function begin<Result>({ answers }: Session, key: string): State<Result> {
  const kept = answers.get(key);
  // A key names the document, and so the type of its answer.
  const data = (kept?.data ?? null) as Result | null;
  return { data, key, at: kept?.at ?? null, error: null, isLoading: true, isLate: false };
}

/** Stores an answer, and removes the oldest ones. */
function keep(answers: Session["answers"], key: string, answer: { data: unknown; at: number }): void {
  answers.delete(key);
  answers.set(key, answer);
  const [oldest] = answers.keys();
  if (answers.size > KEPT_MAX && oldest !== undefined) answers.delete(oldest);
}

/** Returns a function that runs a task, one at a time and not too often; calls in between cause one run after it. */
function spaced(task: () => Promise<void>) {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let isRunning = false;
  let isDue = false;
  let isCanceled = false;
  let startedAt = Number.NEGATIVE_INFINITY;
  const run = async () => {
    timer = null;
    isRunning = true;
    startedAt = Date.now();
    await task();
    isRunning = false;
    if (isDue) schedule(0);
  };
  const schedule = (ms: number) => {
    isDue = isRunning;
    if (isRunning || isCanceled || timer !== null) return;
    timer = setTimeout(() => void run(), Math.max(ms, startedAt + INTERVAL_MS_MIN - Date.now()));
  };
  return Object.assign(schedule, {
    cancel: () => {
      isCanceled = true;
      if (timer !== null) clearTimeout(timer);
    },
  });
}
