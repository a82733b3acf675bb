import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import type { ProductConfig } from "../../config/deployments.ts";
import { cashierAbi, oneClickRouterAbi, stockAbi } from "../../contracts/abi/index.ts";
import { CHAIN_ORDER_STATUSES } from "../../protocol/enums.ts";
import { showAddress } from "../address.ts";
import type { ChainView } from "./chain-view.ts";
import { type Difference, differencesOf, type Kind, REBUILD } from "./difference.ts";
import { delegationPages, type LedgerRow, ledgerPages, orderPages, type Scope } from "./store.ts";

/** What was compared of one page. */
export interface Comparison {
  kind: Kind;
  rows: number;
  differences: Difference[];
}

interface Sources {
  client: pg.ClientBase;
  view: ChainView;
  scope: Scope;
  product: ProductConfig;
}

const amount = z.bigint();

/** Compares the rows of a product, a page at a time. */
export async function* compareProduct(sources: Sources): AsyncGenerator<Comparison> {
  yield* compareLedger(sources, "cash-balance");
  yield* compareLedger(sources, "stock-balance");
  yield* compareOrders(sources);
  yield* compareDelegations(sources);
}

async function* compareLedger(
  { client, view, scope, product }: Sources,
  kind: "cash-balance" | "stock-balance",
): AsyncGenerator<Comparison> {
  const { cashier, stock } = product.contracts;
  const isCash = kind === "cash-balance";
  const contract = isCash ? { address: cashier, abi: cashierAbi } : { address: stock, abi: stockAbi };
  const [available, locked] = isCash ? ["balanceWad", "lockedWad"] : ["stockBalance", "lockedStock"];
  for await (const rows of ledgerPages(client, isCash ? "cash_balance" : "stock_balance", scope)) {
    const calls = rows.flatMap(({ user_address, stock_address }) => {
      const args = stock_address === null ? [user_address] : [user_address, stock_address];
      return [available, locked].map((functionName) => ({ ...contract, functionName, args }));
    });
    const answers = z.array(amount).parse(await view.read(calls));
    const differences = rows.flatMap((row, index) => {
      const fields = [
        ["available", row.available, answers[index * 2]],
        ["locked", row.locked, answers[index * 2 + 1]],
      ] as const;
      const object = [row.user_address, row.stock_address].flatMap((each) =>
        each ? [showAddress(each)] : [],
      );
      const subject = { kind, productType: scope.productType, object: object.join(" ") };
      return differencesOf(subject, fields, (field) => explainLedger(row, field));
    });
    yield { kind, rows: rows.length, differences };
  }
}

function explainLedger(row: LedgerRow, field: string): Pick<Difference, "likelyCause" | "whatToDo"> {
  const wasChanged = field === "available" && row.last_balance !== null && row.available !== row.last_balance;
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

async function* compareOrders({ client, view, scope, product }: Sources): AsyncGenerator<Comparison> {
  const contract = { address: product.contracts.stock, abi: stockAbi, functionName: "getOrder" };
  for await (const rows of orderPages(client, scope)) {
    const answers = z
      .array(chainOrder)
      .parse(await view.read(rows.map(({ order_id }) => ({ ...contract, args: [order_id] }))));
    const differences = rows.flatMap((row, index) => {
      const order = answers[index];
      if (!order) return [];
      const fields = [
        ["status", row.status, statusOf(order.status)],
        ["filledQuantity", row.filled_quantity, order.filledQuantity],
        ["filledNotional", row.filled_notional, order.filledNotionalWad],
        ["lockedRemaining", row.locked_remaining, order.lockedAmount],
      ] as const;
      const subject = { kind: "order", productType: scope.productType, object: row.order_id } as const;
      return differencesOf(subject, fields, () => explainOrder(order.status));
    });
    yield { kind: "order", rows: rows.length, differences };
  }
}

/** The contract counts from 1: 0 is an order that does not exist. */
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

async function* compareDelegations({ client, view, scope, product }: Sources): AsyncGenerator<Comparison> {
  const contract = { address: product.contracts.oneClickRouter, abi: oneClickRouterAbi };
  for await (const rows of delegationPages(client, scope)) {
    const calls = rows.flatMap(({ user_address }) =>
      ["delegateeOf", "nonceOf"].map((functionName) => ({ ...contract, functionName, args: [user_address] })),
    );
    const answers = await view.read(calls);
    const differences = rows.flatMap((row, index) => {
      const delegatee = z
        .string()
        .parse(answers[index * 2])
        .toLowerCase() as Hex;
      const fields = [
        ["delegatee", shown(row.delegatee), shown(delegatee === ZERO ? null : delegatee)],
        ["nonce", row.nonce, answers[index * 2 + 1]],
      ] as const;
      const object = showAddress(row.user_address);
      const subject = { kind: "delegation", productType: scope.productType, object } as const;
      return differencesOf(subject, fields, () => ({
        likelyCause:
          "the indexer missed a change of this delegation, or the row was changed outside the indexer",
        whatToDo: REBUILD,
      }));
    });
    yield { kind: "delegation", rows: rows.length, differences };
  }
}

const shown = (address: Hex | null): string => (address === null ? NOBODY : showAddress(address));
