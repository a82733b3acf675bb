import type { Logger } from "pino";
import type { Address, Hex, LocalAccount, PublicClient } from "viem";
import { stockTokenAbi } from "../../../../src/contracts/abi/index.ts";
import { decodeRevert } from "../../../../src/contracts/reverts.ts";
import { multiplyWad } from "../../../../src/protocol/decimal.ts";
import type { Deployment } from "../deploy.ts";
import type { Market } from "../feed/market.ts";
import type { Mining } from "../mining.ts";
import { connect, type Step, sendAll } from "../transact.ts";
import type { Book } from "./book.ts";
import { DEFAULT_POLICY, type Policy } from "./decide.ts";
import { createScanner } from "./scan.ts";

/** Of a dollar's millionths, to wad. */
const WAD_PER_MICRO = 10n ** 12n;

export interface DeskOptions {
  rpcUrl: string;
  mining: Mining;
  deployment: Deployment;
  /** Last block of the set-up: no scripted reorg goes below it. */
  readyBlock: number;
  /** The settler's account; its account in Cashier is the broker's. */
  account: LocalAccount;
  market: Market;
  log: Logger;
  /** Unix milliseconds. */
  now: () => number;
  policy?: Partial<Policy>;
}

/** Desk of the broker and cashier on one chain: its state, and its only way to send. */
export interface Desk {
  readonly deployment: Deployment;
  readonly readyBlock: number;
  readonly client: PublicClient;
  /** While it is off, the settler pauses: its transactions would wait, and be sent again. */
  readonly mining: Mining;
  readonly broker: Address;
  readonly market: Market;
  readonly log: Logger;
  readonly now: () => number;
  policy: Policy;
  /** Buffers that a script has set, `credit` or a token's address: the treasury leaves them alone. */
  readonly scripted: Set<string>;
  /** Returns the price of a token in mUSD wad, multiplier applied; null where its stock has no quote. */
  priceOf(token: Address): Promise<bigint | null>;
  /** Runs with the book up to date, while no other run sends. Never nest two of the same desk. */
  exclusive<T>(work: (book: Book) => Promise<T>): Promise<T>;
  /**
   * Sends one transaction after another, inside `exclusive` only. The nonce comes from the chain each time, so a reorg that drops
   * transactions leaves no gap.
   * @throws SettlerRevert where the chain would refuse one; those before it are mined
   * @throws MiningOff where nothing is mined, before anything is sent
   */
  send(...steps: Step[]): Promise<Hex[]>;
}

/** Thrown where the contract refuses the settler's call. */
export class SettlerRevert extends Error {
  constructor(
    step: string,
    readonly revert: string,
    options?: ErrorOptions,
  ) {
    super(`${step}: the contract refuses it with ${revert}`, options);
  }
}

/** Thrown because the settler sends nothing while its chain does not mine. */
export class MiningOff extends Error {
  constructor(chainId: number) {
    super(`mining of chain ${chainId} is switched off, and the settler stands still`);
  }
}

/** @throws MiningOff where one of the desks' chains does not mine */
export function requireMining(desks: readonly Desk[]): void {
  const off = desks.find(({ mining }) => !mining.isOn);
  if (off) throw new MiningOff(off.deployment.chainId);
}

export function createDesk(options: DeskOptions): Desk {
  const { rpcUrl, mining, deployment, readyBlock, account, market, log, now, policy } = options;
  const client = connect(rpcUrl, deployment.chainId);
  const scanner = createScanner({
    client,
    addresses: [deployment.stock, deployment.cashier],
    startBlock: BigInt(deployment.startBlock),
    now,
  });
  const symbols = new Map(deployment.stockTokens.map(({ address, stockSymbol }) => [address, stockSymbol]));
  let last: Promise<unknown> = Promise.resolve();

  async function priceOf(token: Address): Promise<bigint | null> {
    const symbol = symbols.get(lower(token));
    const price = symbol === undefined ? undefined : market.price(symbol);
    if (price === undefined) return null;
    const multiplier = await client.readContract({
      address: token,
      abi: stockTokenAbi,
      functionName: "multiplier",
    });
    return multiplyWad(price * WAD_PER_MICRO, multiplier);
  }

  function exclusive<T>(work: (book: Book) => Promise<T>): Promise<T> {
    const run = last.then(async () => {
      await scanner.refresh();
      return work(scanner.book);
    });
    last = run.catch(() => {});
    return run;
  }

  async function send(...steps: Step[]): Promise<Hex[]> {
    if (!mining.isOn) throw new MiningOff(deployment.chainId);
    const hashes: Hex[] = [];
    for (const step of steps) {
      await rehearse(client, account.address, step);
      const receipts = await sendAll(client, account, [step]);
      hashes.push(...receipts.map(({ transactionHash }) => transactionHash));
    }
    return hashes;
  }

  return {
    deployment,
    readyBlock,
    client,
    mining,
    broker: account.address,
    market,
    log,
    now,
    policy: { ...DEFAULT_POLICY, ...policy },
    scripted: new Set(),
    priceOf,
    exclusive,
    send,
  };
}

export const lower = (address: Address): Address => address.toLowerCase() as Address;

async function rehearse(client: PublicClient, account: Address, step: Step): Promise<void> {
  const { name, to, data, gas, value } = step;
  try {
    await client.call({ account, to, data, gas, value });
  } catch (cause) {
    const revert = decodeRevert(cause);
    if (revert) throw new SettlerRevert(name, revert.name, { cause });
    throw cause;
  }
}
