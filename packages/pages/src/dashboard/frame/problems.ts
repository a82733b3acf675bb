import type { ProblemsQuery } from "../service/documents.ts";
import type { LiveMode } from "../service/live.ts";
import { exactTime } from "../values/format.ts";
import { hrefOf } from "./route.ts";

type State = ProblemsQuery["dashboard"];
export type Problem = State["problems"][number];

/** Age of an answer from which it is not what is now, milliseconds: three readings. */
export const CURRENT_MS = 10_000;

/** State of the service as the newest answer gives it: unknown while there is no current answer. */
export type Known =
  | { kind: "unknown"; text: string }
  | { kind: "unreachable"; text: string }
  | { kind: "known"; problems: readonly Problem[] };

interface Reading {
  data: State | null;
  /** When it was answered, milliseconds. */
  at: number | null;
  error: string | null;
  isLate: boolean;
}

/** @param now milliseconds */
export function knownOf({ data, at, error, isLate }: Reading, mode: LiveMode, now: number): Known {
  if (error !== null) return { kind: "unreachable", text: error };
  if (isLate) {
    // A text of each second would be read aloud each second.
    const since = at === null ? "for some seconds" : `since ${exactTime(at / 1_000).slice(11)}`;
    return { kind: "unreachable", text: `The service has not answered ${since}` };
  }
  if (data !== null && at !== null && now - at <= CURRENT_MS)
    return { kind: "known", problems: data.problems };
  if (mode === "stopped")
    return { kind: "unknown", text: "This page is paused: what is wrong now is not known" };
  return { kind: "unknown", text: "Reading what is wrong now…" };
}

export const TONES = { critical: "bad", warning: "warn" } as const;

export function toneOf(known: Known): string {
  if (known.kind === "unreachable") return "bad";
  if (known.kind === "unknown") return "none";
  const [worst] = known.problems;
  return worst ? TONES[worst.severity] : "good";
}

/** Returns the view that shows a problem. */
export function viewOf({ cause, chainId, wallet }: Problem): string {
  if (cause === "wallet") return wallet ? hrefOf(["wallet", wallet], { chainId }) : hrefOf(["overview"]);
  if (cause === "worker") return hrefOf(["sends"], { chainId: chainId ?? undefined });
  if (cause === "halt") return hrefOf(["audit"]);
  if (cause === "webhooks") return hrefOf(["webhooks"], { state: "failing" });
  if (cause === "deliverer") return hrefOf(["webhooks"]);
  return chainId === null ? hrefOf(["overview"]) : hrefOf(["chain", chainId]);
}

/** Ages from which a block is old, seconds; on a chain of slow blocks, times between two of them. */
const OLD = { warn: { seconds: 10, blocks: 3 }, bad: { seconds: 30, blocks: 10 } };

/**
 * Returns the age of the oldest of the newest indexed blocks now, in seconds, and how bad that is; null where nothing is indexed.
 * @param now milliseconds
 */
export function blockAge({ data, at }: Reading, now: number): { seconds: number; tone: string } | null {
  if (data === null || at === null) return null;
  const ages = data.chains.flatMap(({ lagSeconds, blockSeconds }) => {
    if (lagSeconds === null) return [];
    const seconds = lagSeconds + Math.max(0, now - at) / 1_000;
    const isPast = (bound: { seconds: number; blocks: number }) =>
      seconds >= Math.max(bound.seconds, bound.blocks * (blockSeconds ?? 0));
    return [{ seconds, tone: isPast(OLD.bad) ? "bad" : isPast(OLD.warn) ? "warn" : "good" }];
  });
  const worst = ages.sort((one, other) => rank(other) - rank(one) || other.seconds - one.seconds);
  return worst[0] ?? null;
}

/** Tones from the best on: what is not known is not good. */
const RANKED = ["good", "none", "warn", "bad"];
const rank = ({ tone }: { tone: string }) => RANKED.indexOf(tone);

/** Returns the worse of two tones. */
export const worstTone = (one = "none", other = "none"): string =>
  rank({ tone: one }) > rank({ tone: other }) ? one : other;
