import { type Address, type Hex, type LocalAccount, type Log, parseEventLogs } from "viem";
import {
  cashierAbi,
  cashTokenAbi,
  oneClickRouterAbi,
  stockAbi,
  stockRouterAbi,
  stockTokenAbi,
} from "../../src/contracts/abi/index.ts";
import { decodeRevert } from "../../src/contracts/reverts.ts";
import { present } from "../support/assert/until.ts";
import { type Product, send, snapshot, startProduct } from "../support/chain/product.ts";

/** A deployed product with short forms of the usual calls of contract tests. */
export interface Bench extends Product {
  ann: LocalAccount;
  bob: LocalAccount;
  /** 6 and 18 decimals. */
  usdc: Address;
  dai: Address;
  aapl: Address;
  /** Sends to StockRouter as a user; returns the events. */
  user(from: LocalAccount, data: Hex): Promise<Event[]>;
  /** Sends to Stock or Cashier as the settler; returns the events. */
  settleStock(data: Hex): Promise<Event[]>;
  settleCash(data: Hex): Promise<Event[]>;
  /** Returns the name of the custom error that a call reverts with, `none` where it does not. */
  revertOf(from: LocalAccount, to: Address, data: Hex): Promise<string>;
  balance(user: Address): Promise<bigint>;
  locked(user: Address): Promise<bigint>;
  stockOf(user: Address, token?: Address): Promise<bigint>;
  lockedStockOf(user: Address, token?: Address): Promise<bigint>;
  tokensOf(token: Address, owner: Address): Promise<bigint>;
  /** Resets the chain to the state after the set-up. */
  reset(): Promise<void>;
}

export interface Event {
  name: string;
  args: Record<string, unknown>;
}

export const eventsAbi = [
  ...stockRouterAbi,
  ...cashierAbi,
  ...stockAbi,
  ...oneClickRouterAbi,
  ...stockTokenAbi,
].filter((entry) => entry.type === "event");

/** Decodes the events of the product's contracts; transfers and approvals of tokens are left out. */
export function decodeEvents(logs: Log[]): Event[] {
  return parseEventLogs({ abi: eventsAbi, logs })
    .filter(({ eventName }) => eventName !== "Transfer" && eventName !== "Approval")
    .map(({ eventName, args }) => ({ name: eventName, args: { ...args } }));
}

/** Returns the only event of a name. */
export function only(events: Event[], name: string): Event["args"] {
  const found = events.filter((event) => event.name === name);
  if (found.length !== 1) {
    throw new Error(`${found.length} events ${name} among ${events.map((event) => event.name)}`);
  }
  return present(found[0], name).args;
}

/** Returns the id that a call's event announces. */
export function idOf(events: Event[], name: string): Hex {
  const { orderId, opId } = only(events, name);
  return (opId ?? orderId) as Hex;
}

/** @param setUp runs once, before the state that reset() restores. */
export async function startBench(setUp: (bench: Bench) => Promise<void> = async () => {}): Promise<Bench> {
  const product = await startProduct();
  const { client, deployment } = product;
  const [ann, bob] = product.users;
  const [usdc, dai] = deployment.cashTokens;
  const aapl = present(deployment.stockTokens[0], "a stock token").address;
  const events = async (from: LocalAccount, to: Address, data: Hex): Promise<Event[]> =>
    decodeEvents((await send(client, from, to, data)).logs);
  const atCashier = { address: deployment.cashier, abi: cashierAbi } as const;
  const atStock = { address: deployment.stock, abi: stockAbi } as const;
  let goBack = async (): Promise<void> => {};
  const reset = async (): Promise<void> => {
    await goBack();
    goBack = await snapshot(client);
  };
  const bench: Bench = {
    ...product,
    ann: present(ann, "a user"),
    bob: present(bob, "a user"),
    usdc: present(usdc, "a cash token").address,
    dai: present(dai, "a cash token").address,
    aapl,
    user: (from, data) => events(from, deployment.stockRouter, data),
    settleStock: (data) => events(product.settler, deployment.stock, data),
    settleCash: (data) => events(product.settler, deployment.cashier, data),
    revertOf: async (from, to, data) => {
      try {
        await client.call({ account: from.address, to, data });
        return "none";
      } catch (error) {
        return decodeRevert(error)?.name ?? `undecoded: ${error}`;
      }
    },
    balance: (user) => client.readContract({ ...atCashier, functionName: "balanceWad", args: [user] }),
    locked: (user) => client.readContract({ ...atCashier, functionName: "lockedWad", args: [user] }),
    stockOf: (user, token = aapl) =>
      client.readContract({ ...atStock, functionName: "stockBalance", args: [user, token] }),
    lockedStockOf: (user, token = aapl) =>
      client.readContract({ ...atStock, functionName: "lockedStock", args: [user, token] }),
    tokensOf: (token, owner) =>
      client.readContract({ address: token, abi: cashTokenAbi, functionName: "balanceOf", args: [owner] }),
    reset,
  };
  await setUp(bench);
  await reset();
  return bench;
}
