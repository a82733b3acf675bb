import type { KeyedClaim } from "./claim-store.ts";
import { type Step, step, timeOf } from "./steps.ts";
import type { Story } from "./story.ts";

/** The origin of a claim, as a text for people. */
const SOURCES = {
  send: "through /send",
  attributed: "by the suffix of the calldata",
  recorded: "with a /tx endpoint",
} as const;

/** Returns the steps of claims: when each was made, and how it ended. Claims of requests to send have the steps of those. */
export function claimSteps({ claims }: Story): Step[] {
  return claims.flatMap((claim) => [
    ...(claim.source === "send" ? [] : [claimedStep(claim)]),
    ...endedStep(claim),
  ]);
}

const claimedStep = (claim: KeyedClaim): Step =>
  step(
    {
      kind: "claimed",
      title: `Claimed by ${claim.keyName} ${SOURCES[claim.source]}`,
      atMs: claim.createdMs,
      txHash: claim.txHash,
    },
    {
      Kind: claim.operationType,
      "UUID of the answer": claim.envelopeUuid,
      "Mapping id": claim.claimId,
    },
  );

function endedStep({ source, state, updatedMs: atMs, txHash, keyName }: KeyedClaim): Step[] {
  if (state === "dropped") {
    const title = `The claim of ${keyName} was dropped: no node knew the transaction, or it did nothing of its kind`;
    return [step({ kind: "ended", title, state: "failed", atMs, txHash })];
  }
  if (state !== "reverted" || source === "send") return [];
  return [step({ kind: "mined", title: "Mined, and reverted", state: "failed", atMs, txHash })];
}

/** Holds the user of an order or operation, and the claim that owns it. */
interface Made {
  userAddress: string;
  owner: string | null;
  txHash: string;
}

/** Returns why a claim to what was made for a user wins over another: the order of src/claims/ownership.ts. */
function ruleOf(winner: KeyedClaim, loser: KeyedClaim, user: string): string {
  const isOthers = ({ boundTo }: KeyedClaim) => boundTo !== null && boundTo !== user;
  const rank = (claim: KeyedClaim) => {
    if (claim.source !== "recorded") return claim.source === "send" ? 0 : 1;
    return isOthers(claim) ? 4 : claim.boundTo !== null && claim.beforeFinal ? 2 : 3;
  };
  if (rank(winner) === rank(loser)) {
    return loser.createdMs < winner.createdMs ? "it counts for nothing here" : "it came later";
  }
  if (rank(winner) > rank(loser)) return "it counts for nothing here";
  const { source } = winner;
  if (source === "send") return "what this service sent comes first";
  if (source === "attributed") return "a suffix comes before a record";
  return isOthers(loser)
    ? "the record of a key that was bound to another user comes last"
    : "the record of a bound key comes first";
}

/** Returns which claim owns an order or operation, and the claims that lost. It is decided whenever it is read, so it has no time. */
export function mappedStep({ claims }: Story, { owner, userAddress: user, txHash }: Made): Step {
  const winner = claims.find(({ claimId }) => claimId === owner);
  const losers = claims.filter(({ claimId, state }) => claimId !== owner && state !== "dropped");
  const lost = losers.map((claim, index) => {
    const rule = winner ? ruleOf(winner, claim, user) : "it counts for nothing here";
    const value = `${claim.keyName}, ${SOURCES[claim.source]} at ${timeOf(claim.createdMs)}: ${rule}`;
    return [`Lost${index > 0 ? ` (${index + 1})` : ""}`, value];
  });
  const facts = Object.fromEntries(lost);
  if (!winner) return step({ kind: "mapped", title: "No API key owns it", txHash }, facts);
  const title = `Owned by ${winner.keyName}, claimed ${SOURCES[winner.source]}`;
  return step({ kind: "mapped", title, txHash }, facts);
}
