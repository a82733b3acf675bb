import { type Effect, effectsOf } from "../../../../src/claims/effects.ts";
import type { ProductConfig } from "../../../../src/config/deployments.ts";
import { showAddress } from "../address.ts";
import type { Check } from "./check.ts";
import { type ClaimRow, claims, type IndexedItem } from "./claim-source.ts";
import { REBUILD } from "./difference.ts";
import {
  type Case,
  compareWithReceipts,
  isInRange,
  type Judged,
  type Moment,
  type ReceiptScope,
} from "./history.ts";
import type { Evidence, Mined } from "./receipts.ts";

/** Returns the comparison of a product's claims, and of their transactions' indexed items, with the receipts. */
export function claimCheck(scope: ReceiptScope, product: ProductConfig): Check<ClaimRow> {
  const { chainId } = scope.chain.config;
  const { productType } = product;
  const caseOf = (row: ClaimRow): Case | null => {
    const blocks = (row.items ?? []).map(({ block }) => BigInt(block));
    if (blocks.length > 0 && !blocks.some((block) => isInRange(scope.range, block))) return null;
    const object = `${row.txHash} (${row.operationType} of ${row.apiKey})`;
    return {
      subject: { kind: "claim", productType, object },
      asked: [{ hash: row.txHash, block: blocks[0] ?? null }],
      judge: ([evidence], moment) => judge(row, evidence as Evidence, moment, { ...product, chainId }),
    };
  };
  return {
    kind: "claim",
    source: claims({ chainId, productType, keyId: scope.keyId }),
    compare: ({ indexed, rows }) => compareWithReceipts(scope, indexed, rows.map(caseOf)),
  };
}

type Emitters = ProductConfig & { chainId: number };

function judge(row: ClaimRow, evidence: Evidence, moment: Moment, emitters: Emitters): Judged[] {
  const items = row.items ?? [];
  if (evidence.state === "none") return judgeAbsent(row, items);
  // A reorg may still change anything that is not final.
  if (evidence.state !== "mined" || evidence.blockNumber > moment.final) return [];
  const all = evidence.reverted ? [] : effectsOf(evidence.logs, emitters);
  const effects = all.filter(({ operationType }) => operationType === row.operationType);
  return [
    ...judgeItems(items, effects, evidence, moment),
    ...judgeState(row, effects, evidence),
    ...judgeUser(row, effects),
  ];
}

/** Age at which a claim is dropped if no node knows its transaction: a day, and an hour to notice. Seconds. */
const DROPPED_AFTER = 25 * 3_600;

function judgeAbsent(row: ClaimRow, items: readonly IndexedItem[]): Judged[] {
  const chain = "no such transaction";
  if (items.length > 0) {
    const ours = `indexed in block ${items[0]?.block}`;
    const likelyCause =
      "a reorg took it out and the index kept it, or the row was changed outside the indexer";
    return [{ field: "transaction", ours, chain, likelyCause, whatToDo: REBUILD }];
  }
  // A transaction that this service sent is compared as a request.
  if (row.source === "send") return [];
  if (row.state === "final" || row.state === "reverted") {
    const likelyCause = "a reorg deeper than the chain's confirmations took it out";
    return [{ field: "state", ours: row.state, chain, likelyCause, whatToDo: checkAnew(row) }];
  }
  if (row.state !== "pending" || row.unseenSeconds < DROPPED_AFTER) return [];
  return [{ field: "state", ours: "pending", chain, ...UNWATCHED }];
}

const UNWATCHED = {
  likelyCause: "no worker checks the claims of this chain",
  whatToDo: "look for `a claim could not be checked` in the worker's log, and at the worker's /readyz",
};

/** Returns the statement that makes a claim pending again, so that the worker corrects a wrong state. */
const checkAnew = ({ claimId }: ClaimRow): string =>
  `have the worker check it anew: UPDATE app.transaction_claim SET state = 'pending' WHERE claim_id = '${claimId}'`;

function judgeItems(
  items: readonly IndexedItem[],
  effects: readonly Effect[],
  { blockNumber, reverted }: Mined,
  { indexed }: Moment,
): Judged[] {
  const findings: Judged[] = [];
  const madeBy = new Map(effects.map((effect) => [effect.orderId ?? effect.operationId, effect]));
  for (const { id, user, block } of items) {
    const effect = madeBy.get(id);
    const field = `indexed ${id}`;
    const misread = { likelyCause: "the row was changed outside the indexer", whatToDo: REBUILD };
    if (!effect) {
      const chain = reverted ? "a transaction that reverted" : "a transaction whose logs do not have it";
      findings.push({ field, ours: `made in block ${block}`, chain, ...misread });
      continue;
    }
    if (BigInt(block) !== blockNumber) {
      const likelyCause = "a reorg moved the transaction, and the index kept its old block";
      findings.push({
        ...misread,
        field: `block of ${id}`,
        ours: block,
        chain: String(blockNumber),
        likelyCause,
      });
    }
    if (user !== effect.userAddress)
      findings.push({
        ...misread,
        field: `user of ${id}`,
        ours: showAddress(user),
        chain: showAddress(effect.userAddress),
      });
  }
  if (blockNumber > indexed.number) return findings;
  const known = new Set(items.map(({ id }) => id));
  for (const id of madeBy.keys()) {
    if (id === null || known.has(id)) continue;
    const likelyCause = "the indexer missed an event of this transaction, or the row was removed";
    const chain = `made in block ${blockNumber}`;
    findings.push({ field: `log of ${id}`, ours: "not indexed", chain, likelyCause, whatToDo: REBUILD });
  }
  return findings;
}

function judgeState(row: ClaimRow, effects: readonly Effect[], { reverted, blockNumber }: Mined): Judged[] {
  // A dropped claim nevertheless owns the items of its transaction.
  if (row.source === "send" || row.state === "dropped") return [];
  const expected = reverted ? "reverted" : effects.length > 0 ? "final" : "dropped";
  if (row.state === expected) return [];
  const done = { reverted: "reverted", final: "succeeded", dropped: `did no ${row.operationType}` }[expected];
  const chain = `a transaction that ${done} in block ${blockNumber}`;
  if (row.state === "pending")
    return [{ field: "state", ours: "pending", chain, ...UNWATCHED, unlessRecent: true }];
  const likelyCause =
    "a reorg deeper than the chain's confirmations replaced it, or the row was changed by hand";
  return [{ field: "state", ours: row.state, chain, likelyCause, whatToDo: checkAnew(row) }];
}

function judgeUser({ claimUser }: ClaimRow, effects: readonly Effect[]): Judged[] {
  const users = effects.map(({ userAddress }) => userAddress);
  if (claimUser === null || users.length === 0 || users.includes(claimUser)) return [];
  return [
    {
      field: "user",
      ours: showAddress(claimUser),
      chain: users.map(showAddress).join(", "),
      likelyCause:
        "the claim was written for another user than the transaction acts for, so its key is shown nothing of it",
      whatToDo: "find out who wrote the claim: `audit list`, and the api's log by the key",
    },
  ];
}
