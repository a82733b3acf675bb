import type { Chain } from "../../../../src/chain/clients.ts";
import type { IndexedBlock } from "../../../../src/db/checkpoint.ts";
import type { Compared } from "./check.ts";
import type { Finding, Subject } from "./difference.ts";
import type { Block, ChainHistory, Evidence, Mined, ReceiptQuery } from "./receipts.ts";

/** Rows to compare with receipts. */
export interface ReceiptScope {
  chain: Chain;
  history: ChainHistory;
  /** Blocks whose transactions are compared, both included; null: no bound. */
  range: { from: bigint | null; to: bigint | null };
  /** Key whose claims and requests are compared; null: all. */
  keyId: string | null;
}

/** Blocks at which a page is compared. */
export interface Moment {
  indexed: IndexedBlock;
  head: Block;
  /** Highest final block. */
  final: bigint;
}

/** A finding; `unlessRecent` where a program of this service may still remove it. */
export interface Judged extends Finding {
  /** Counts only where the transaction has been final for a while, by the chain's clock. */
  unlessRecent?: true;
}

/** Time that a worker may take to notice finality, seconds: it checks an old claim every five minutes. */
const NOTICED_SECONDS = 900n;

/** A row, with the judgement of its transactions' receipts. */
export interface Case {
  subject: Subject;
  asked: ReceiptQuery[];
  /** @param evidence in the order of `asked` */
  judge(evidence: Evidence[], moment: Moment): Judged[];
}

export function isInRange({ from, to }: ReceiptScope["range"], block: bigint): boolean {
  return (from === null || block >= from) && (to === null || block <= to);
}

/** Compares the cases of a page with receipts. Null is a row out of range. */
export async function compareWithReceipts(
  { chain, history, range }: ReceiptScope,
  indexed: IndexedBlock,
  cases: readonly (Case | null)[],
): Promise<Compared> {
  // Read before the transactions: whatever is final by this head stays final.
  const head = await history.head();
  const moment = { indexed, head, final: head.number - BigInt(chain.config.confirmations) };
  const asked = cases.flatMap((one) => one?.asked ?? []);
  const answers = await history.evidenceOf(asked);
  const compared: Compared = { rows: 0, unverified: 0, found: [] };
  let offset = 0;
  const suspects: { index: number; one: Case; judged: Judged[]; mined: Mined | undefined }[] = [];
  for (const [index, one] of cases.entries()) {
    if (!one) continue;
    const evidence = answers.slice(offset, offset + one.asked.length);
    offset += one.asked.length;
    const mined = evidence.find((each) => each.state === "mined");
    if (mined && !isInRange(range, mined.blockNumber)) continue;
    compared.rows += 1;
    if (!mined && evidence.some(({ state }) => state === "unknown")) {
      compared.unverified += 1;
      continue;
    }
    const judged = one.judge(evidence, moment);
    if (judged.length > 0) suspects.push({ index, one, judged, mined });
  }
  const blocks = await history.blocks(new Set(suspects.flatMap(({ mined }) => mined?.blockNumber ?? [])));
  for (const { index, one, judged, mined } of suspects) {
    const block = mined && blocks.get(mined.blockNumber);
    // A lagging node answers with receipts of a block that a reorg removed.
    if (mined && block?.hash !== mined.blockHash) continue;
    const isRecent = block !== undefined && head.timestamp - block.timestamp < NOTICED_SECONDS;
    for (const { unlessRecent, ...finding } of judged)
      if (!unlessRecent || !isRecent)
        compared.found.push({ index, difference: { ...one.subject, ...finding } });
  }
  return compared;
}
