import { randomUUID } from "node:crypto";
import type { Hex } from "viem";
import { stockTokenAbi } from "../../../../src/contracts/abi/index.ts";
import { formatDecimal } from "../../../../src/protocol/decimal.ts";
import { MICRO_DECIMALS, type Micros } from "../feed/dataset.ts";
import type { ACTION_TYPES, CorporateAction } from "../feed/state.ts";
import type { Book } from "../settler/book.ts";
import { setMultiplier, settleCancels } from "../settler/calls.ts";
import { type Desk, lower, requireMining } from "../settler/desk.ts";
import { type ControlContext, ControlError } from "./context.ts";

/** Rates and cash with 6 decimals. */
export interface ActionInput {
  symbol: string;
  type: (typeof ACTION_TYPES)[number];
  oldRate?: bigint;
  newRate?: bigint;
  cash?: bigint;
}

/** Factor of the price before the action; the multiplier of tokens is divided by it. */
interface Factor {
  numerator: bigint;
  denominator: bigint;
}

/**
 * Returns the price factor of an action. A split moves the price by oldRate / newRate. A dividend or spin-off lowers the price by
 * its cash; the token keeps its value, as if the cash had bought more of the stock.
 * @throws ControlError naming a field that is missing, or that the type does not have.
 */
export function factorOf({ type, oldRate, newRate, cash }: ActionInput, price: Micros): Factor {
  if (type === "split") {
    if (oldRate === undefined) throw new ControlError(400, "oldRate: is required for a split");
    if (newRate === undefined) throw new ControlError(400, "newRate: is required for a split");
    if (cash !== undefined) throw new ControlError(400, "cash: does not belong to a split");
    return { numerator: oldRate, denominator: newRate };
  }
  if (cash === undefined) throw new ControlError(400, `cash: is required for a ${type}`);
  if (cash >= price) throw new ControlError(400, `cash: must be below the price, ${usd(price)}`);
  return { numerator: price - cash, denominator: price };
}

/**
 * Takes the action on every chain. The settler pauses meanwhile, so that nothing is filled at a price from the other side of the
 * action.
 */
export async function takeAction(context: ControlContext, input: ActionInput): Promise<CorporateAction> {
  const { desks, market } = context;
  const price = market.price(input.symbol);
  if (price === undefined) throw new ControlError(404, `there is no stock ${input.symbol}`);
  const factor = factorOf(input, price);
  return withAll([...desks.values()], [], async (held) => {
    // On all chains or on none.
    requireMining(held.map(({ desk }) => desk));
    for (const { desk, book } of held) await cancelLimitOrders(desk, book, input.symbol);
    const multipliers = [];
    for (const { desk } of held) multipliers.push(...(await multiply(desk, input.symbol, factor)));
    const action: CorporateAction = {
      actionId: randomUUID(),
      symbol: input.symbol,
      type: input.type,
      oldRate: input.oldRate === undefined ? null : usd(input.oldRate),
      newRate: input.newRate === undefined ? null : usd(input.newRate),
      cash: input.cash === undefined ? null : usd(input.cash),
      appliedAt: Math.floor(context.now() / 1000),
      priceNumerator: `${factor.numerator}`,
      priceDenominator: `${factor.denominator}`,
      multipliers,
    };
    market.apply(action);
    return action;
  });
}

interface Held {
  desk: Desk;
  book: Book;
}

function withAll<T>(desks: Desk[], held: Held[], work: (held: Held[]) => Promise<T>): Promise<T> {
  const [desk, ...others] = desks;
  if (!desk) return work(held);
  return desk.exclusive((book) => withAll(others, [...held, { desk, book }], work));
}

const tokensOf = ({ deployment }: Desk, symbol: string) =>
  deployment.stockTokens.filter(({ stockSymbol }) => stockSymbol === symbol).map(({ address }) => address);

async function cancelLimitOrders(desk: Desk, book: Book, symbol: string): Promise<void> {
  const tokens = new Set(tokensOf(desk, symbol));
  const orderIds = [...book.orders.values()]
    .filter(({ isLimit, stockToken }) => isLimit && tokens.has(lower(stockToken)))
    .map(({ orderId }) => orderId);
  for (const orderId of orderIds) await desk.send(settleCancels(desk.deployment, [orderId]));
}

async function multiply(desk: Desk, symbol: string, { numerator, denominator }: Factor) {
  const changes: CorporateAction["multipliers"] = [];
  for (const address of tokensOf(desk, symbol)) {
    const before = await multiplierOf(desk, address);
    const after = (before * denominator) / numerator;
    await desk.send(setMultiplier(address, after));
    changes.push({ chainId: desk.deployment.chainId, before: `${before}`, after: `${after}` });
  }
  return changes;
}

const multiplierOf = ({ client }: Desk, address: Hex): Promise<bigint> =>
  client.readContract({ address, abi: stockTokenAbi, functionName: "multiplier" });

const usd = (amount: bigint): string => formatDecimal(amount, MICRO_DECIMALS);
