import { formatDecimal, formatWad } from "../../protocol/decimal.ts";
import type { StepKind, StepState } from "../words.ts";
import { STEP_KINDS } from "../words.ts";
import type { Story } from "./story.ts";

/** A fact about a step, for people. */
export interface Detail {
  label: string;
  value: string;
}

/** A step before it is presented. */
export interface Step {
  kind: StepKind;
  title: string;
  state: StepState;
  /** Unix milliseconds, or null. */
  atMs: number | null;
  /** Its time by this service's clock, which orders the steps. Null: behind the step before it. */
  sortMs: number | null;
  blockNumber: bigint | null;
  txHash: string | null;
  detail: Detail[];
}

type Given = Pick<Step, "kind" | "title"> & Partial<Omit<Step, "kind" | "title" | "detail">>;
/** Facts by label; what is null is left out. */
type Facts = Readonly<Record<string, string | number | bigint | null | undefined>>;

/** Returns a step: one that happened, unless it says otherwise. */
export function step(given: Given, facts: Facts = {}): Step {
  const { atMs = null } = given;
  const detail = Object.entries(facts).flatMap(([label, value]) =>
    value === null || value === undefined || value === "" ? [] : [{ label, value: String(value) }],
  );
  return { state: "done", sortMs: atMs, blockNumber: null, txHash: null, ...given, atMs, detail };
}

/**
 * Returns steps in their order. Steps of one moment come in the order of their kinds; a step without a time stays behind the one
 * before it.
 */
export function inOrder(steps: readonly Step[]): Step[] {
  let sortMs = Number.NEGATIVE_INFINITY;
  const timed = steps.map((one) => {
    sortMs = one.sortMs ?? sortMs;
    return { one, sortMs };
  });
  const rank = ({ kind }: Step) => STEP_KINDS.indexOf(kind);
  return timed.sort((a, b) => a.sortMs - b.sortMs || rank(a.one) - rank(b.one)).map(({ one }) => one);
}

/**
 * Returns the time by which what a block did is sorted among what this service did. The chain's clock may be ahead or behind: a block
 * comes before its events, and its transaction behind its broadcast.
 */
export function sortTimeOfBlock(story: Story, blockNumber: bigint, seconds: number): number {
  const sortMs = Math.max(seconds * 1_000, lastBroadcastOf(story.sent) ?? Number.NEGATIVE_INFINITY);
  return Math.min(sortMs, knownMs(story, blockNumber));
}

/**
 * Returns the time of the first event of a block or those behind it, or of its receipt; infinity without any. A node may mine what is
 * broadcast before its answer is stored: then a broadcast is sorted at this time, too.
 */
export function knownMs({ events, sent }: Story, blockNumber: bigint): number {
  const told = events.filter((event) => event.blockNumber !== null && event.blockNumber >= blockNumber);
  return Math.min(...told.map(({ createdMs }) => createdMs), ...seenAt(sent, blockNumber));
}

const seenAt = (sent: Story["sent"], blockNumber: bigint): number[] =>
  sent?.minedMs != null && sent.minedBlock === blockNumber ? [sent.minedMs] : [];

/** Returns the time of the last broadcast. A receipt is placed behind it, whatever the clocks say. */
function lastBroadcastOf(sent: Story["sent"]): number | null {
  const times = sent?.attempts.map(({ createdMs, firstBroadcastMs }) => firstBroadcastMs ?? createdMs);
  return times && times.length > 0 ? Math.max(...times) : null;
}

const GWEI_DECIMALS = 9;

export const gwei = (wei: bigint): string => `${formatDecimal(wei, GWEI_DECIMALS)} gwei`;
export const mUsd = (wad: bigint | null): string | null => (wad === null ? null : `${formatWad(wad)} mUSD`);
export const timeOf = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")} UTC`;
export const plural = (count: number | bigint, noun: string): string =>
  `${count} ${noun}${BigInt(count) === 1n ? "" : "s"}`;
