import { getAddress } from "viem";
import { ERROR_CATALOGUE } from "../../protocol/errors.ts";
import type { AttemptRow, SentRequest } from "./send-store.ts";
import { gwei, knownMs, mUsd, plural, type Step, sortTimeOfBlock, step, timeOf } from "./steps.ts";
import type { Story } from "./story.ts";

/** Operations that are not simulated before they are accepted: a disable must always be possible. */
const UNSIMULATED = new Set(["1ct/disable"]);

/** Returns the steps of a request to send, up to its end. */
export function sendSteps(story: Story, send: SentRequest): Step[] {
  return [
    acceptedStep(send),
    ...(UNSIMULATED.has(send.operation) ? [] : [simulatedStep(send)]),
    ...signedStep(send),
    ...send.attempts.map((attempt, index) => attemptStep(story, send, attempt, index)),
    ...minedStep(story, send),
    ...endStep(story, send),
  ];
}

const acceptedStep = (send: SentRequest): Step =>
  step(
    { kind: "accepted", title: `Accepted: ${send.operation}`, atMs: send.acceptedMs },
    {
      "API key": send.keyName,
      Stock: send.symbol,
      // A movement has none.
      Notional: mUsd(send.notional || null),
      "Daily cap of the key": mUsd(send.dailyCap),
      "Sending wallet": getAddress(send.wallet),
      "Client order id": send.clientOrderId,
      Deadline: send.deadline === null ? null : timeOf(Number(send.deadline) * 1_000),
      "UUID of the answer": send.envelopeUuid,
      "Request id": send.requestId,
    },
  );

const simulatedStep = (send: SentRequest): Step =>
  step(
    { kind: "simulated", title: "Checked and simulated on the chain", atMs: send.acceptedMs },
    { "Gas limit": send.gasLimit },
  );

function signedStep(send: SentRequest): Step[] {
  if (send.nonce === null || send.state === "reserved") return [];
  return [
    step(
      { kind: "signed", title: `Signed with nonce ${send.nonce}`, atMs: send.signedMs },
      { Nonce: send.nonce, "Sending wallet": getAddress(send.wallet) },
    ),
  ];
}

/** Answers of nodes (docs/sending.md#answers-of-nodes), for people. */
const ANSWERS: Readonly<Record<string, string>> = {
  taken: "taken",
  unknown: "no clear answer",
  "nonce-too-low": "a transaction with this nonce is mined already",
  "nonce-gap": "an earlier nonce is missing",
  underpriced: "too close in fee to the attempt that it replaces",
  "fee-too-low": "the fee is below what the node asks for",
  "insufficient-funds": "the wallet has too little to pay for gas",
  later: "the node takes no more at the moment",
  refused: "refused",
  "never-minable": "it can never be mined with this gas limit or size",
  oversized: "it is too large to be mined",
};

/** Answers by which no node took the attempt. */
const REFUSALS = new Set([
  "underpriced",
  "fee-too-low",
  "insufficient-funds",
  "refused",
  "never-minable",
  "oversized",
]);

export const answerOf = (answer: string): string => ANSWERS[answer] ?? answer;

const ENDED = new Set(["mined", "final", "failed", "canceled"]);
export const isUnderWay = ({ state }: SentRequest): boolean => !ENDED.has(state);

const FILL_REASONS: Readonly<Record<string, string>> = {
  DEADLINE_EXPIRED: "its deadline passed",
  OUT_OF_GAS: "it can never be mined with its gas limit",
  CHAIN_REVERT: "every node refuses it",
};

function attemptStep(story: Story, send: SentRequest, attempt: AttemptRow, index: number): Step {
  const isNewest = index === send.attempts.length - 1;
  const { answer, createdMs, firstBroadcastMs } = attempt;
  // A reorg resets the attempt's time. That of the request may be the time of its receipt, if that came first.
  const times = [firstBroadcastMs, index === 0 ? send.broadcastMs : null].flatMap((ms) => ms ?? []);
  const atMs = firstBroadcastMs === null ? createdMs : Math.min(...times);
  const isRefused = answer !== null && attempt.taken === 0 && REFUSALS.has(answer);
  const state = isNewest && isUnderWay(send) && !isRefused ? "current" : isRefused ? "failed" : "done";
  return step(
    {
      ...attemptTitle(send, attempt, index),
      state,
      txHash: attempt.txHash,
      atMs: atMs ?? createdMs,
      sortMs: Math.min(
        atMs ?? createdMs,
        send.minedBlock === null ? Infinity : knownMs(story, send.minedBlock),
      ),
    },
    {
      "Fee cap": gwei(attempt.maxFeePerGas),
      "Priority fee": gwei(attempt.maxPriorityFee),
      "Answer of the nodes": answer === null ? "none yet" : answerOf(answer),
      "Given to the nodes": `${plural(attempt.broadcasts, "time")}, taken ${plural(attempt.taken, "time")}`,
      "Last given at": attempt.lastBroadcastMs === null ? null : timeOf(attempt.lastBroadcastMs),
    },
  );
}

function attemptTitle(
  send: SentRequest,
  { kind, broadcasts }: AttemptRow,
  index: number,
): Pick<Step, "kind" | "title"> {
  if (kind === "filler") {
    const why = FILL_REASONS[send.fillReason ?? ""] ?? "it must not be sent";
    return { kind: "filled_nonce", title: `The nonce is filled with an empty transfer: ${why}` };
  }
  if (index > 0) return { kind: "replaced", title: "Replaced at a higher fee" };
  return { kind: "broadcast", title: broadcasts > 0 ? "Broadcast" : "Signed, not broadcast yet" };
}

/** Returns what an errCode means, or null where there is none. */
const messageOf = (errCode: string | null): string | null => {
  const entry = Object.entries(ERROR_CATALOGUE).find(([name]) => name === errCode);
  return entry ? `${errCode}: ${entry[1].message}` : errCode;
};

function minedStep(story: Story, send: SentRequest): Step[] {
  const { minedBlock: blockNumber, minedMs } = send;
  if (blockNumber === null) return [];
  const made = [...story.orders, ...story.operations].find(({ txHash }) => txHash === send.txHash);
  const atMs = made ? made.createdAt * 1_000 : minedMs;
  const sortMs = made ? sortTimeOfBlock(story, blockNumber, made.createdAt) : minedMs;
  const failed = !send.minedSuccess;
  const what = send.minedFiller ? "The empty transfer was mined" : failed ? "Mined, and reverted" : "Mined";
  return [
    step(
      {
        kind: "mined",
        title: failed && send.revert ? `${what}: ${send.revert}` : what,
        atMs,
        sortMs,
        state: failed || send.minedFiller ? "failed" : "done",
        blockNumber,
        txHash: send.txHash,
      },
      { Revert: send.revert, Error: messageOf(send.errCode), "Seen at": minedMs && timeOf(minedMs) },
    ),
  ];
}

function endStep({ chain }: Story, send: SentRequest): Step[] {
  const { state, finalMs: atMs, txHash, minedBlock: blockNumber } = send;
  if (state === "final") {
    const title = `The transaction is final after ${chain.config.confirmations} confirmations`;
    const failed = send.outcome === "reverted";
    const at = { atMs, txHash, blockNumber };
    return [step({ kind: "final", title, state: failed ? "failed" : "done", ...at }, { Note: send.reason })];
  }
  if (state !== "failed" && state !== "canceled") return [];
  const title = `${state === "failed" ? "Failed" : "Canceled"}${send.reason ? `: ${send.reason}` : ""}`;
  return [
    step(
      { kind: "ended", title, state: "failed", atMs },
      { Error: messageOf(send.errCode), Revert: send.revert },
    ),
  ];
}
