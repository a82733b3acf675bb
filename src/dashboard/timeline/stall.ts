import { getAddress } from "viem";
import type { Halt } from "../../sending/halt-store.ts";
import { blocksToFinal } from "./finality.ts";
import { answerOf, isUnderWay } from "./send-steps.ts";
import type { SentRequest } from "./send-store.ts";
import { minedBlockOf, type Story } from "./story.ts";

/** Ages of the indexed block from which the index is behind its chain, and from which a chain stands still. */
const INDEX_LAG_MAX_MS = 30_000;
const CHAIN_LAG_MAX_MS = 60_000;
const ANSWERS = new Set([
  "insufficient-funds",
  "fee-too-low",
  "underpriced",
  "later",
  "nonce-gap",
  "never-minable",
]);

/** Causes that hold up every send of a chain. */
interface Sending {
  halt: Halt | null;
  /** False where no worker is alive. */
  hasWorker: boolean;
}

/** Returns why an object stands still, by the first cause that applies; null where nothing holds it up. */
export function stallOf(story: Story, sending: Sending): string | null {
  const { sent, sends } = story;
  const waiting = sends.find(isUnderWay);
  const ofSending = waiting ? sendingStall(story, waiting, sending) : null;
  if (ofSending) return ofSending;
  // A nonce that comes first waits for a block as well: the chain is its cause.
  const ofAttempt = waiting ? (standstill(story) ?? attemptStall(waiting)) : null;
  if (ofAttempt) return ofAttempt;
  const isOver = sent?.state === "failed" || sent?.state === "canceled";
  return isOver ? null : chainStall(story);
}

function sendingStall({ nowMs }: Story, send: SentRequest, { halt, hasWorker }: Sending): string | null {
  if (!hasWorker) return "No worker is alive: nothing is signed, broadcast or followed.";
  const { wallet, walletState, walletReason, state, deadline, unsignedNonce } = send;
  const isUnsigned = state === "accepted" || state === "reserved";
  if (halt && isUnsigned) {
    return `Sending is halted on this chain${halt.reason ? `: ${halt.reason}` : ""}; nothing new is signed.`;
  }
  if (walletState !== "active") {
    return `The sending wallet ${getAddress(wallet)} is ${walletState}${walletReason ? `: ${walletReason}` : ""}.`;
  }
  if (state === "accepted") {
    if (send.revoked) return "The API key is revoked: it is canceled before it is signed.";
    if (send.killed) return "The kill switch of the API key is on: it is canceled before it is signed.";
  }
  if (isUnsigned && unsignedNonce !== null) {
    return `The key of wallet ${getAddress(wallet)} has not signed nonce ${unsignedNonce}.`;
  }
  if (deadline !== null && Number(deadline) * 1_000 < nowMs)
    return "Its deadline has passed: it is canceled.";
  return null;
}

function attemptStall({ nonce, firstNonce, attempts }: SentRequest): string | null {
  if (nonce !== null && firstNonce !== null && firstNonce < nonce) {
    return `Nonce ${firstNonce} of its wallet comes first and is not mined.`;
  }
  const answer = attempts.at(-1)?.answer ?? null;
  return answer !== null && ANSWERS.has(answer) ? `The nodes answer: ${answerOf(answer)}.` : null;
}

/** Returns what of the chain or the index holds an object up, where something of it is still to come from there. */
function chainStall(story: Story): string | null {
  const { block, head } = story;
  const mined = minedBlockOf(story);
  const isOpen = [...story.orders, ...story.operations].some(({ settledAt }) => settledAt === null);
  const waits = isOpen || mined === null || blocksToFinal(story) !== null || (block?.number ?? 0n) < mined;
  if (!waits || (mined === null && story.claims.length === 0 && story.sends.length === 0)) return null;
  if (head === null) return "No node of the chain answers.";
  if (!block) return "The index is not ready.";
  // An index one block behind is not late: the chain may just have mined it.
  if (head > block.number + 1n && ageMs(story) > INDEX_LAG_MAX_MS) {
    return `The index is at block ${block.number}, ${head - block.number} behind the chain.`;
  }
  return standstill(story);
}

/** Returns the age of the indexed block; 0 without one. */
const ageMs = ({ block, nowMs }: Story): number => (block ? nowMs - Number(block.timestamp) * 1_000 : 0);

/** Returns that the chain has made no block for long, where the index has its newest. */
function standstill(story: Story): string | null {
  const { block, head } = story;
  const isIndexed = block && head !== null && head <= block.number + 1n;
  return isIndexed && ageMs(story) > CHAIN_LAG_MAX_MS
    ? `The chain's newest block is ${Math.floor(ageMs(story) / 1_000)} seconds old.`
    : null;
}
