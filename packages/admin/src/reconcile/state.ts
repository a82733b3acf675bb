import type { Hex } from "viem";
import { z } from "zod";
import type { Chain } from "../../../../src/chain/clients.ts";
import type { ProductConfig } from "../../../../src/config/deployments.ts";
import { cashierAbi, oneClickRouterAbi, stockAbi } from "../../../../src/contracts/abi/index.ts";
import type { IndexedBlock } from "../../../../src/db/checkpoint.ts";
import { CHAIN_ORDER_STATUSES } from "../../../../src/protocol/enums.ts";
import { showAddress } from "../address.ts";
import { type ChainView, openChainView } from "./chain-view.ts";
import type { Check, Compared } from "./check.ts";
import { type Difference, differencesOf, REBUILD, type Subject } from "./difference.ts";
import type { PageOf } from "./pages.ts";
import {
  type DelegationRow,
  delegations,
  type LedgerRow,
  ledger,
  type OrderRow,
  orders,
} from "./state-sources.ts";
import { TryAgain } from "./try-again.ts";

/** Rows to compare with the contracts' state of one product. */
export interface StateScope {
  chain: Chain;
  product: ProductConfig;
  /** The given block; null compares each page at the block indexed then. */
  asked: IndexedBlock | null;
}

const amount = z.bigint();

/** Returns the comparisons of a product's rows with its contracts. */
export function stateChecks(scope: StateScope): Check<unknown>[] {
  const checks = [
    ledgerCheck(scope, "cash-balance"),
    ledgerCheck(scope, "stock-balance"),
    orderCheck(scope),
    delegationCheck(scope),
  ];
  return checks as Check<unknown>[];
}

/**
 * Compares a page at one block of the chain.
 * @throws TryAgain where the block has changed by the end
 */
export async function atBlock<Row>(
  { chain, asked }: Pick<StateScope, "chain" | "asked">,
  { indexed, rows }: PageOf<Row>,
  compare: (view: ChainView) => Promise<Difference[][]>,
): Promise<Compared> {
  const number = asked?.number ?? indexed.number;
  if (indexed.number < number) throw new TryAgain(`the index is back at block ${indexed.number}`);
  const view = await openChainView(chain, number, indexed);
  const differences = await compare(view);
  await view.requireUnchanged();
  const found = differences.flatMap((some, index) => some.map((difference) => ({ index, difference })));
  return { rows: rows.length, unverified: 0, found };
}

function ledgerCheck(scope: StateScope, kind: "cash-balance" | "stock-balance"): Check<LedgerRow> {
  const { cashier, stock } = scope.product.contracts;
  const isCash = kind === "cash-balance";
  const contract = isCash ? { address: cashier, abi: cashierAbi } : { address: stock, abi: stockAbi };
  const functions = isCash ? ["balanceWad", "lockedWad"] : ["stockBalance", "lockedStock"];
  const compare = async (view: ChainView, rows: readonly LedgerRow[]) => {
    const calls = rows.flatMap(({ userAddress, stockAddress }) => {
      const args = stockAddress === null ? [userAddress] : [userAddress, stockAddress];
      return functions.map((functionName) => ({ ...contract, functionName, args }));
    });
    const answers = z.array(amount).parse(await view.read(calls));
    return rows.map((row, index) => {
      const fields = [
        ["available", row.available, answers[index * 2]],
        ["locked", row.locked, answers[index * 2 + 1]],
      ] as const;
      const object = [row.userAddress, row.stockAddress].flatMap((each) => (each ? [showAddress(each)] : []));
      return differencesOf(subjectOf(scope, kind, object.join(" ")), fields, (field) =>
        explainLedger(row, field),
      );
    });
  };
  return {
    kind,
    source: ledger(isCash ? "cash_balance" : "stock_balance", sourceScope(scope)),
    compare: (page) => atBlock(scope, page, (view) => compare(view, page.rows)),
  };
}

const sourceScope = ({ chain, product, asked }: StateScope) => ({
  chainId: chain.config.chainId,
  productType: product.productType,
  block: asked,
});

const subjectOf = ({ product }: StateScope, kind: Subject["kind"], object: string): Subject => ({
  kind,
  productType: product.productType,
  object,
});

function explainLedger(row: LedgerRow, field: string): Pick<Difference, "likelyCause" | "whatToDo"> {
  const wasChanged = field === "available" && row.lastBalance !== null && row.available !== row.lastBalance;
  return {
    likelyCause: wasChanged
      ? "the row is not what its last movement left: it was changed outside the indexer"
      : "the indexer missed an event of this account, or counted one twice",
    whatToDo: REBUILD,
  };
}

const chainOrder = z.object({
  status: z.number(),
  filledQuantity: amount,
  filledNotionalWad: amount,
  lockedAmount: amount,
});

function orderCheck(scope: StateScope): Check<OrderRow> {
  const contract = { address: scope.product.contracts.stock, abi: stockAbi, functionName: "getOrder" };
  const compare = async (view: ChainView, rows: readonly OrderRow[]) => {
    const answers = z
      .array(chainOrder)
      .parse(await view.read(rows.map(({ orderId }) => ({ ...contract, args: [orderId] }))));
    return rows.map((row, index) => {
      const order = answers[index];
      if (!order) return [];
      const fields = [
        ["status", row.status, statusOf(order.status)],
        ["filledQuantity", row.filledQuantity, order.filledQuantity],
        ["filledNotional", row.filledNotional, order.filledNotionalWad],
        ["lockedRemaining", row.lockedRemaining, order.lockedAmount],
      ] as const;
      return differencesOf(subjectOf(scope, "order", row.orderId), fields, () => explainOrder(order.status));
    });
  };
  return {
    kind: "order",
    source: orders(sourceScope(scope)),
    compare: (page) => atBlock(scope, page, (view) => compare(view, page.rows)),
  };
}

/** Returns the name of a contract's status, which counts from 1: 0 is an order that does not exist. */
const statusOf = (status: number): string =>
  status === 0 ? "none" : (CHAIN_ORDER_STATUSES[status - 1] ?? `unknown status ${status}`);

const explainOrder = (status: number): Pick<Difference, "likelyCause" | "whatToDo"> => ({
  likelyCause:
    status === 0
      ? "the contract has no such order: a reorg took it out and the index kept it, or the deployments file names another contract"
      : "the indexer missed an event of this order, or the row was changed outside the indexer",
  whatToDo: REBUILD,
});

const ZERO = "0x0000000000000000000000000000000000000000";
const NOBODY = "nobody";

function delegationCheck(scope: StateScope): Check<DelegationRow> {
  const contract = { address: scope.product.contracts.oneClickRouter, abi: oneClickRouterAbi };
  const explanation = {
    likelyCause: "the indexer missed a change of this delegation, or the row was changed outside the indexer",
    whatToDo: REBUILD,
  };
  const compare = async (view: ChainView, rows: readonly DelegationRow[]) => {
    const calls = rows.flatMap(({ userAddress }) =>
      ["delegateeOf", "nonceOf"].map((functionName) => ({ ...contract, functionName, args: [userAddress] })),
    );
    const answers = await view.read(calls);
    return rows.map((row, index) => {
      const delegatee = z
        .string()
        .parse(answers[index * 2])
        .toLowerCase() as Hex;
      const fields = [
        ["delegatee", shown(row.delegatee), shown(delegatee === ZERO ? null : delegatee)],
        ["nonce", row.nonce, answers[index * 2 + 1]],
      ] as const;
      const subject = subjectOf(scope, "delegation", showAddress(row.userAddress));
      return differencesOf(subject, fields, () => explanation);
    });
  };
  return {
    kind: "delegation",
    source: delegations(sourceScope(scope)),
    compare: (page) => atBlock(scope, page, (view) => compare(view, page.rows)),
  };
}

const shown = (address: Hex | null): string => (address === null ? NOBODY : showAddress(address));
