import { getAddress } from "viem";
import { z } from "zod";
import { formatDecimal, WAD_DECIMALS } from "../../protocol/decimal.ts";
import { storedAmount, storedHex } from "../../protocol/shapes.ts";

const place = {
  product_type: z.string(),
  token_address: storedHex,
  block_number: z.coerce.bigint(),
  log_index: z.number(),
  tx_hash: storedHex,
  row_hash: z.string(),
  new_multiplier: storedAmount,
};
/** A change of a multiplier: as the index has it, or as the log reported it. */
export const multiplierRowSchema = z.discriminatedUnion("reported", [
  z.object({ ...place, reported: z.literal(false), symbol: z.string(), old_multiplier: storedAmount }),
  z.object({
    ...place,
    reported: z.literal(true),
    symbol: z.string(),
    event_seed: z.string(),
    reported_at: z.coerce.date(),
    multiplier: storedAmount,
  }),
]);
export type MultiplierRow = z.output<typeof multiplierRowSchema>;
type AppliedRow = Extract<MultiplierRow, { reported: false }>;
type ReportedRow = Extract<MultiplierRow, { reported: true }>;

/** An event of every key of a product. */
export interface MultiplierEvent {
  productType: string;
  seed: string;
  /** Of the event that this one withdraws, and when that was written. */
  retractsSeed: string | null;
  retractsReportedAt: string | null;
  blockNumber: bigint | null;
  txHash: string | null;
  data: string;
  /** The row to write to app.event_multiplier; null where no change is applied any more. */
  applied: object | null;
}

/**
 * Returns the events of rows that the log has not reported, and of those that it reported and that a reorg took out: where the
 * same token's multiplier changed otherwise instead, that event withdraws the one before, else one that says what holds now.
 */
export function compareMultipliers(rows: readonly MultiplierRow[], newSeed: () => string): MultiplierEvent[] {
  const gone = rows.filter((row): row is ReportedRow => row.reported);
  const applied = rows.filter((row): row is AppliedRow => !row.reported);
  const replaced = new Map<ReportedRow, AppliedRow>();
  const events = applied.map((row): MultiplierEvent => {
    const before = gone.find((one) => !replaced.has(one) && isSameToken(one, row));
    if (before) replaced.set(before, row);
    return appliedEvent(row, before, newSeed());
  });
  const undone = gone.filter((row) => !replaced.has(row)).map((row) => undoneEvent(row, newSeed()));
  return [...undone, ...events];
}

const isSameToken = (a: MultiplierRow, b: MultiplierRow): boolean =>
  a.product_type === b.product_type && a.token_address === b.token_address;

function appliedEvent(row: AppliedRow, before: ReportedRow | undefined, seed: string): MultiplierEvent {
  const { block_number, log_index, tx_hash, token_address, row_hash, new_multiplier } = row;
  return {
    ...{
      productType: row.product_type,
      seed,
      ...retracting(before),
      blockNumber: block_number,
      txHash: tx_hash,
    },
    data: present(row, { old: row.old_multiplier, now: new_multiplier }, Number(block_number), tx_hash),
    applied: {
      ...{ token_address, log_index, tx_hash, row_hash },
      ...{ block_number: block_number.toString(), new_multiplier: new_multiplier.toString() },
    },
  };
}

/**
 * Returns the event of a change that a reorg took out without another in its place: from the reported multiplier to the present
 * one.
 */
const undoneEvent = (row: ReportedRow, seed: string): MultiplierEvent => ({
  ...{
    productType: row.product_type,
    seed,
    ...retracting(row),
    blockNumber: null,
    txHash: null,
    applied: null,
  },
  data: present(row, { old: row.new_multiplier, now: row.multiplier }, null, null),
});

const retracting = (row: ReportedRow | undefined) => ({
  retractsSeed: row?.event_seed ?? null,
  retractsReportedAt: row?.reported_at.toISOString() ?? null,
});

const present = (
  { token_address, symbol }: MultiplierRow,
  { old, now }: { old: bigint; now: bigint },
  blockNumber: number | null,
  txHash: string | null,
): string =>
  JSON.stringify({
    ...{ stockToken: getAddress(token_address), symbol },
    oldMultiplier: formatDecimal(old, WAD_DECIMALS),
    newMultiplier: formatDecimal(now, WAD_DECIMALS),
    ...{ blockNumber, txHash },
  });
