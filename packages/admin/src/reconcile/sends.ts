import { type Hex, keccak256, parseTransaction } from "viem";
import type { Check } from "./check.ts";
import type { Finding } from "./difference.ts";
import { type Case, compareWithReceipts, type Judged, type Moment, type ReceiptScope } from "./history.ts";
import type { Evidence, Mined } from "./receipts.ts";
import { type SendRequestRow, type SignedAttempt, sends } from "./send-source.ts";

/** Returns the comparison of the chain's requests, and of their signed attempts, with the receipts. */
export function sendCheck(scope: ReceiptScope): Check<SendRequestRow> {
  const { chainId } = scope.chain.config;
  const caseOf = (row: SendRequestRow): Case => {
    const block = row.minedBlock === null ? null : BigInt(row.minedBlock);
    const attempts = row.attempts ?? [];
    return {
      subject: { kind: "send", productType: row.productType, object: row.requestId },
      asked: attempts.map(({ hash }) => ({ hash, block })),
      judge: (evidence, moment) => [
        ...attempts.flatMap((attempt) => judgeBytes(row, attempt)),
        ...judgeRequest(row, attempts, evidence, moment),
      ],
    };
  };
  return {
    kind: "send",
    source: sends({ chainId, keyId: scope.keyId, range: scope.range }),
    compare: ({ indexed, rows }) => compareWithReceipts(scope, indexed, rows.map(caseOf)),
  };
}

const SHOW = "see `queue show` of the request, and halt the chain's sending until it is understood";
const MOVED = "a reorg moved its transaction after it counted as final";
const TAMPERED = { likelyCause: "the row was changed by hand, or restored in parts", whatToDo: SHOW };

/** Compares signed bytes with their hash and nonce. A hash commits to the nonce: the chain can have no other one under it. */
function judgeBytes({ nonce }: SendRequestRow, { hash, bytes }: SignedAttempt): Finding[] {
  const signed = keccak256(bytes);
  if (signed !== hash)
    return [{ field: "hash of what was signed", ours: hash, chain: `${signed}, by its bytes`, ...TAMPERED }];
  const used = nonceOf(bytes);
  if (used === nonce) return [];
  return [{ field: `nonce of ${hash}`, ours: nonce, chain: `${used ?? "none"}, by its bytes`, ...TAMPERED }];
}

function nonceOf(bytes: Hex): string | null {
  try {
    return String(parseTransaction(bytes).nonce ?? 0);
  } catch {
    return null;
  }
}

function judgeRequest(
  row: SendRequestRow,
  attempts: readonly SignedAttempt[],
  evidence: readonly Evidence[],
  { final }: Moment,
): Judged[] {
  const position = evidence.findIndex(({ state }) => state === "mined");
  const mined = evidence[position];
  if (mined?.state !== "mined") return judgeUnmined(row, final);
  // A reorg may still change anything that is not final.
  if (mined.blockNumber > final) return [];
  if (mined.from !== row.wallet)
    return [{ field: "wallet", ours: row.wallet, chain: mined.from, ...TAMPERED }];
  return judgeMined(row, attempts[position]?.kind === "filler", mined);
}

function judgeUnmined({ state, minedBlock, outcome }: SendRequestRow, final: bigint): Judged[] {
  const wasMined = state === "final" || (state === "mined" && BigInt(minedBlock ?? 0) <= final);
  if (!wasMined) return [];
  return [
    {
      field: "transaction",
      ours: `${outcome ?? "mined"} in block ${minedBlock}`,
      chain: "no transaction of this request",
      likelyCause: "a reorg deeper than the chain's confirmations took it out",
      whatToDo:
        "follow docs/operations/runbooks/indexer-deep-reorg.md: what its partner was told is not so, and its bytes may be mined yet",
    },
  ];
}

function judgeMined(
  row: SendRequestRow,
  isFiller: boolean,
  { blockNumber, blockHash, reverted }: Mined,
): Judged[] {
  const { state, outcome, hadEnded, minedBlock, minedBlockHash, claimState } = row;
  const what = isFiller ? "a transfer that fills its nonce" : reverted ? "its call, reverted," : "its call";
  const chain = `${what} in block ${blockNumber}`;
  if (state === "signed" || state === "broadcast") {
    const whatToDo =
      "see `wallets list` and the worker's log of this wallet, and `wallets resume` where it is halted";
    const likelyCause = "no worker follows the requests of this wallet";
    return [{ field: "state", ours: state, chain, likelyCause, whatToDo, unlessRecent: true }];
  }
  if (state === "failed" || state === "canceled") {
    const whatToDo = "tell its partner that it is on the chain after all; no command changes what has ended";
    const likelyCause = "it was given up while its transaction could still be mined";
    return isFiller ? [] : [{ field: "state", ours: state, chain, likelyCause, whatToDo }];
  }
  const findings: Judged[] = [];
  const isMoved = minedBlock !== String(blockNumber) || minedBlockHash !== blockHash;
  if (isMoved) {
    const ours = `${minedBlock} (${minedBlockHash})`;
    const likelyCause = MOVED;
    const whatToDo = "compare its partner's order with the chain; nothing is sent again because of it";
    const moved = { field: "block", ours, chain: `${blockNumber} (${blockHash})`, likelyCause, whatToDo };
    // Until it is final, the worker follows it into another block.
    findings.push(state === "mined" ? { ...moved, unlessRecent: true } : moved);
  }
  if (state !== "final") return findings;
  // A request whose nonce was filled ends failed or canceled.
  const failed = reverted ? "reverted" : isFiller ? "not sent" : null;
  const actual = failed === null || (reverted && hadEnded) ? "confirmed" : failed;
  if (outcome !== actual) {
    const why = isMoved ? { likelyCause: MOVED, whatToDo: "tell its partner how it ended" } : TAMPERED;
    findings.push({ field: "outcome", ours: String(outcome), chain, ...why });
  }
  const ended = outcome === "confirmed" ? "final" : "reverted";
  if (claimState !== null && claimState !== ended) {
    const whatToDo =
      "have its claim agree with it: `queue show` names it, and the api's lists show the claim";
    const likelyCause = "the claim was changed apart from its request";
    findings.push({ field: "claim", ours: claimState, chain, likelyCause, whatToDo });
  }
  return findings;
}
