import { formatDecimal } from "../../protocol/decimal.ts";
import { add, fraction, ONE, round, toScaled } from "../fraction.ts";
import type { CorporateAction } from "../provider.ts";
import type { WireCorporateActions } from "./wire.ts";

const DECIMALS = 12;

/** Returns Alpaca's actions that move prices, as CorporateActions. Alpaca has no declaration dates. */
export function actionsOf(wire: WireCorporateActions): CorporateAction[] {
  return [
    ...(wire.forward_splits ?? []).map((row) => splitOf(row, "forward-split")),
    ...(wire.reverse_splits ?? []).map((row) => splitOf(row, "reverse-split")),
    ...(wire.cash_dividends ?? []).map((row) => ({
      ...common(row, row.symbol),
      type: "dividend" as const,
      subType: row.special ? "special-cash" : "cash",
      cash: plain(row.rate),
      oldRate: null,
      newRate: null,
    })),
    ...(wire.stock_dividends ?? []).map((row) => ({
      ...common(row, row.symbol),
      type: "dividend" as const,
      subType: "stock",
      cash: null,
      // Alpaca's rate is the addition to each share.
      oldRate: "1",
      newRate: formatDecimal(round(scaled(add(ONE, fraction(row.rate)))), DECIMALS),
    })),
    ...(wire.spin_offs ?? []).map((row) => ({
      ...common(row, row.source_symbol),
      type: "spin-off" as const,
      subType: "spin-off",
      cash: null,
      oldRate: plain(row.source_rate),
      newRate: plain(row.new_rate),
    })),
  ];
}

type SplitRow = NonNullable<WireCorporateActions["forward_splits"]>[number];

function splitOf(row: SplitRow, subType: string): CorporateAction {
  return {
    ...common(row, row.symbol),
    type: "split",
    subType,
    cash: null,
    oldRate: plain(row.old_rate),
    newRate: plain(row.new_rate),
  };
}

function common(row: Omit<SplitRow, "symbol" | "old_rate" | "new_rate">, symbol: string) {
  return {
    actionId: row.id,
    symbol,
    declarationDate: null,
    exDate: row.ex_date,
    recordDate: row.record_date,
    payableDate: row.payable_date,
  };
}

const scaled = ({ num, den }: { num: bigint; den: bigint }) => ({ num: num * 10n ** BigInt(DECIMALS), den });

/** Returns the number without an exponent and trailing zeros. */
const plain = (text: string) => formatDecimal(toScaled(text, DECIMALS), DECIMALS);
