import { sendingOf } from "../../config/deployments.ts";
import { DEFAULT_SENDER_CONFIG } from "../../sending/sender/deps.ts";
import { blocksToFinal, finalStep } from "./finality.ts";
import { isUnderWay } from "./send-steps.ts";
import type { SentRequest } from "./send-store.ts";
import { plural, type Step, step, timeOf } from "./steps.ts";
import { minedBlockOf, type Story } from "./story.ts";

/** The expected course of an object: its steps to come, and the next one in a sentence. */
export interface Outlook {
  steps: Step[];
  next: string | null;
}

const NOTHING: Outlook = { steps: [], next: null };
const ONE_DAY_MS = 86_400_000;

/** Returns what happens next, by the first that applies: sending, mining, the end of the order or operation, finality. */
export function outlookOf(story: Story): Outlook {
  const waiting = story.sends.find(isUnderWay);
  if (waiting) return sending(story, waiting);
  const unindexed = ofUnindexed(story);
  if (unindexed) return unindexed;
  const final = finality(story);
  const open = ofOpen(story);
  return { steps: [...open.steps, ...final.steps], next: open.next ?? final.next };
}

const minedStep = step({ kind: "mined", title: "Mined: waits for a block", state: "expected" });

function sending({ chain, subject }: Story, sent: SentRequest): Outlook {
  const who = subject.kind === "order" && sent.operation === "orders/cancel" ? "The cancellation" : "It";
  if (sent.state === "accepted") {
    const signed = step({
      kind: "signed",
      title: "Signed: waits for its turn at the wallet",
      state: "expected",
    });
    const behind = sent.ahead ? `, behind ${plural(sent.ahead, "other request")}` : "";
    return { steps: [signed, minedStep], next: `${who} waits for its wallet to sign it${behind}.` };
  }
  if (sent.state === "reserved") {
    const signed = step({
      kind: "signed",
      title: "Signed: waits for the key of its wallet",
      state: "expected",
    });
    return {
      steps: [signed, minedStep],
      next: `${who} has nonce ${sent.nonce}; the key of its wallet signs it next.`,
    };
  }
  const attempt = sent.attempts.at(-1);
  const lastMs = attempt?.lastBroadcastMs ?? null;
  if (!attempt || lastMs === null) return { steps: [minedStep], next: `${who} is given to the nodes next.` };
  const again = timeOf(lastMs + DEFAULT_SENDER_CONFIG.rebroadcastMs);
  const isFirst = sent.nonce !== null && sent.nonce === sent.firstNonce;
  const raiseMs = (attempt.firstBroadcastMs ?? lastMs) + sendingOf(chain.config).bumpAfterSeconds * 1_000;
  const raised = isFirst ? `, and offers a higher fee from ${timeOf(raiseMs)} on` : "";
  return {
    steps: [minedStep],
    next: `${who} waits for a block; unless it is mined, it goes out again at ${again}${raised}.`,
  };
}

/** Returns the outlook of what waits for a block, or for the index; null where nothing does. */
function ofUnindexed(story: Story): Outlook | null {
  const { claims, orders, operations, node, block } = story;
  const isMade = orders.length > 0 || operations.length > 0;
  const claim = claims.find(({ state }) => state === "pending" || state === "final");
  if (isMade || !claim) return null;
  const mined = minedBlockOf(story);
  if (mined !== null) {
    if (node?.state === "mined" && node.reverted) return finality(story);
    if (block && block.number >= mined) return null;
    const indexed = step({ kind: "indexed", title: `Indexed: waits for block ${mined}`, state: "expected" });
    return { steps: [indexed, ...finalStep(story)], next: `The indexer reads block ${mined}.` };
  }
  if (node?.state === "waiting") {
    return { steps: [minedStep], next: "A node has the transaction; it waits for a block." };
  }
  const since = claim.lastSeenMs ?? claim.createdMs;
  const dropped = step({
    kind: "ended",
    title: "The claim is dropped unless a node knows the transaction",
    state: "expected",
    atMs: since + ONE_DAY_MS,
  });
  const next = `No node knows the transaction; the claim is dropped at ${timeOf(since + ONE_DAY_MS)} unless one does.`;
  return { steps: [minedStep, dropped], next };
}

/** Returns the outlook of an order or operation that has not ended on the chain. */
function ofOpen({ orders, operations }: Story): Outlook {
  const order = orders.find(({ settledAt }) => settledAt === null);
  if (order?.status === "canceling") {
    const settled = step({ kind: "settled", title: "Canceled: waits for its settlement", state: "expected" });
    return { steps: [settled], next: "The cancellation is settled on the chain; fills may come first." };
  }
  if (order) {
    // Its deadline bounds the transaction alone.
    const title = "Expires at the end of the session unless it is filled";
    const expiry = step({ kind: "expiry", title, state: "expected" });
    return { steps: [expiry], next: "It waits for fills; the end of the session ends it." };
  }
  if (!operations.some(({ settledAt }) => settledAt === null)) return NOTHING;
  const settled = step({ kind: "settled", title: "Settled by the cash desk", state: "expected" });
  return { steps: [settled], next: "The cash desk settles it." };
}

function finality(story: Story): Outlook {
  const steps = finalStep(story).filter(({ state }) => state === "expected");
  const missing = blocksToFinal(story);
  return { steps, next: steps.length > 0 && missing ? `It is final in ${plural(missing, "block")}.` : null };
}
