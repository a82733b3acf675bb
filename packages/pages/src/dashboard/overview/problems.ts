import { hrefOf } from "../frame/route.ts";
import type { Readiness } from "../service/ask.ts";
import type { ChainsQuery } from "../service/documents.ts";
import { duration, shortCode } from "../values/format.ts";

export type Chain = ChainsQuery["dashboard"]["chains"][number];

export interface Problem {
  tone: "bad" | "warn";
  text: string;
  /** View that shows the problem. */
  href: string;
}

/** Age from which an index is behind: blocks come far more often. */
const LAG_SECONDS_MAX = 60;
/** Age of the last observation from which no worker runs: it observes its wallets every few seconds. */
const OBSERVED_SECONDS_MAX = 60;
/** Days for which a wallet's coins must last; below, it needs more. */
const DAYS_LEFT_MIN = 3;
/** Age from which a request without a receipt is too old. */
const OLDEST_SECONDS_MAX = 120;

/** Returns a warning where the strip is not current. */
export function staleness({ error, isLate }: { error: string | null; isLate: boolean }): Problem[] {
  const href = "#/overview";
  if (error !== null)
    return [
      { tone: "bad", text: "Not current: the last reading failed, and this is of the one before", href },
    ];
  if (isLate)
    return [{ tone: "bad", text: "Not current: the service has not answered for some seconds", href }];
  return [];
}

const READY: Readiness = { missing: [], degraded: [] };

/** Returns the present problems in words, the worst first. */
export function problemsOf(chains: readonly Chain[], readiness: Readiness | null = READY): Problem[] {
  const found = [...ofReadiness(readiness), ...chains.flatMap(ofChain), ...chains.flatMap(ofQueues)];
  return [...found.filter(({ tone }) => tone === "bad"), ...found.filter(({ tone }) => tone === "warn")];
}

function ofReadiness(readiness: Readiness | null): Problem[] {
  const href = "#/overview";
  if (readiness === null)
    return [{ tone: "warn", text: "Readiness is not known: /readyz does not answer", href }];
  const missing = readiness.missing.map(
    (part): Problem => ({ tone: "bad", text: `Not ready: ${part}`, href }),
  );
  const degraded = readiness.degraded.map(
    (part): Problem => ({ tone: "warn", text: `Does not answer: ${part}`, href }),
  );
  return [...missing, ...degraded];
}

function ofChain(chain: Chain): Problem[] {
  const { chainId, headBlock } = chain;
  const href = "#/overview";
  const found = [...ofIndex(chain), ...ofWorkers(chain)];
  if (chain.sendingHalted) {
    const why = chain.sendingHaltReason ? `: ${chain.sendingHaltReason}` : "";
    found.push({
      tone: "bad",
      text: `Sending on chain ${chainId} is halted by an operator${why}`,
      href: "#/audit",
    });
  }
  if (headBlock === null) found.push({ tone: "warn", text: `No node of chain ${chainId} answers`, href });
  return found;
}

/** Distinguishes an index that is behind from one at the head of a stopped chain, which is as old. */
function ofIndex({ chainId, indexedBlock, lagSeconds, lagBlocks }: Chain): Problem[] {
  const href = "#/overview";
  if (indexedBlock === null) return [{ tone: "bad", text: `Chain ${chainId} is not indexed`, href }];
  if (lagSeconds === null || lagSeconds <= LAG_SECONDS_MAX) return [];
  const isAtHead = lagBlocks !== null && lagBlocks <= 1;
  const what = isAtHead
    ? `has had no new block for ${duration(lagSeconds)}`
    : `is ${duration(lagSeconds)} behind`;
  return [{ tone: "bad", text: `Chain ${chainId} ${what}`, href }];
}

/** The api does not know the workers, only their last observation of a wallet. Without a node, none can observe. */
function ofWorkers({ chainId, headBlock, indexedAt, lagSeconds, sendQueues }: Chain): Problem[] {
  if (headBlock === null || indexedAt === null || lagSeconds === null) return [];
  const observations = sendQueues.flatMap(({ observedAt }) => observedAt ?? []);
  // Time of the answer, by the service's clock.
  const age = indexedAt + lagSeconds - Math.max(...observations);
  if (observations.length === 0 || age <= OBSERVED_SECONDS_MAX) return [];
  const text = `No worker has looked at the wallets of chain ${chainId} for ${duration(age)}`;
  return [{ tone: "bad", text, href: hrefOf(["sends"], { chainId }) }];
}

function ofQueues({ chainId, sendQueues }: Chain): Problem[] {
  return sendQueues.flatMap(({ wallet, state, stateReason, retired, oldestSeconds, daysLeft }) => {
    const href = hrefOf(["sends"], { chainId, wallet });
    const name = `Wallet ${shortCode(wallet)} on chain ${chainId}`;
    const why = stateReason ? `: ${stateReason}` : "";
    const found: Problem[] = [];
    if (state === "halted") found.push({ tone: "bad", text: `${name} is halted${why}`, href });
    if (state === "paused") found.push({ tone: "bad", text: `${name} is paused${why}`, href });
    if (oldestSeconds !== null && oldestSeconds > OLDEST_SECONDS_MAX) {
      found.push({
        tone: "bad",
        text: `${name}: the oldest request has waited ${duration(oldestSeconds)}`,
        href,
      });
    }
    // A retired wallet needs no coins.
    if (!retired && typeof daysLeft === "number" && daysLeft < DAYS_LEFT_MIN) {
      found.push({ tone: "warn", text: `${name} has coins for ${duration(daysLeft * 86_400)}`, href });
    }
    return found;
  });
}

/** Returns the problems of webhooks that fail now. */
export function failingProblems(
  { count, since }: ChainsQuery["dashboard"]["failingWebhooks"],
  nowSeconds: number,
): Problem[] {
  if (count === 0 || since === null) return [];
  const age = duration(Math.max(0, nowSeconds - since));
  const text =
    count === 1 ? `A webhook has been failing for ${age}` : `${count} webhooks fail, the first for ${age}`;
  return [{ tone: "warn", text, href: "#/keys" }];
}

/** Returns the problems of webhooks disabled lately, after failing for days. */
export function webhookProblems(disabledAt: readonly number[], nowSeconds: number): Problem[] {
  const count = disabledAt.filter((at) => at > nowSeconds - 86_400).length;
  if (count === 0) return [];
  const text = `${count} ${count === 1 ? "webhook was" : "webhooks were"} disabled in the last 24 h`;
  return [{ tone: "warn", text, href: hrefOf(["events"], { types: "webhook.disabled" }) }];
}
