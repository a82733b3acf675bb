import { setTimeout as sleep } from "node:timers/promises";
import { type Hex, type LocalAccount, parseEventLogs } from "viem";
import { stockAbi } from "../../../src/contracts/abi/index.ts";
import { stock } from "../../contracts/calls.ts";
import { present, until } from "../assert/until.ts";
import { type Product, send } from "../chain/product.ts";
import type { Calldata, Mapping, Send } from "../http/answers.ts";
import { type EventStream, openStream } from "../http/event-stream.ts";
import type { Partner } from "../http/partner.ts";
import { marketBuy, type Sending, withKey } from "./sending.ts";

/** A load of ordinary requests of partners, with their answers; all calls go to one URL. */
export interface PartnerLoad {
  /** Requests that were accepted, and transactions that were recorded, by the API key. */
  accepted: Map<string, string[]>;
  recorded: Map<string, Hex[]>;
  /** Sequences of the events of the first partner, as its stream had them, over all connections. */
  streamed: number[];
  /** Why a call had no answer, or a stream did not open. */
  failures: string[];
  /** Waits until each partner has sent so many more requests. */
  more(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** Between two calls of one partner, so that programs that start meanwhile have the processor too. */
const PAUSE_MS = 250;

export function startPartnerLoad(sending: Sending, url: string, partners: readonly Partner[]): PartnerLoad {
  let stopped = false;
  const load: PartnerLoad = {
    accepted: new Map(),
    recorded: new Map(),
    streamed: [],
    failures: [],
    more: (count) => untilMore(load, partners, count),
    stop: async () => {
      stopped = true;
      stream?.cut();
      await running;
    },
  };
  let stream: EventStream | null = null;
  const forever = async (step: (count: number) => Promise<unknown>): Promise<void> => {
    for (let count = 0; !stopped; count++) {
      await step(count).catch((error: unknown) =>
        load.failures.push(`${new Date().toISOString()} ${String(error)}`),
      );
      await sleep(PAUSE_MS);
    }
  };
  const follow = async (): Promise<void> => {
    const { key } = present(partners[0], "a partner");
    const lastEventId = stream?.lastId();
    stream = await openStream(url, key, {
      ...(lastEventId ? { lastEventId } : {}),
      onFrame: ({ event, data }) => {
        if (data && event !== "heartbeat" && event !== "closing")
          load.streamed.push(JSON.parse(data).sequence);
      },
    });
    await stream.ended;
  };
  const running = Promise.all([
    ...partners.map((partner, index) => forever((count) => write(sending, load, partner, index, count))),
    ...partners.map((partner) => forever((count) => read(partner, count))),
    forever(() => settle(sending.product)),
    forever(follow),
  ]);
  return load;
}

function untilMore(load: PartnerLoad, partners: readonly Partner[], count: number): Promise<void> {
  const sent = ({ key }: Partner) => load.accepted.get(key.apiKey)?.length ?? 0;
  const goals = partners.map((partner) => [partner, sent(partner) + count] as const);
  return until(
    `${count} more requests of each partner`,
    () => goals.every(([partner, goal]) => sent(partner) >= goal) || undefined,
    180_000,
  ).then(() => undefined);
}

const note = <T>(map: Map<string, T[]>, key: string, value: T): void => {
  map.set(key, [...(map.get(key) ?? []), value]);
};

/** Sends one write: the paths of /send by turns, and sometimes a transaction of the user's own. */
async function write(sending: Sending, load: PartnerLoad, partner: Partner, index: number, count: number) {
  const { cashTokens, stockTokens } = sending.product.deployment;
  const { apiKey } = partner.key;
  const bend = withKey(`${index}-${count}`);
  const sent = async (path: string, body: object) =>
    note(load.accepted, apiKey, (await partner.must(partner.post<Send>(path, body, bend))).requestId);
  const order = marketBuy(sending, `${5 + count}.${String(index).padStart(2, "0")}`);
  const tokenAddress = present(cashTokens[0], "a cash token").address;
  const stockAddress = present(stockTokens[0], "a stock token").address;
  switch (count % 6) {
    case 1:
      return sent("/cash/deposits/send", { tokenAddress, tokenAmount: "10" });
    case 2:
      return sent("/stock/withdrawals/send", { tokenAddress: stockAddress, tokenAmount: "0.01" });
    case 4:
      note(load.recorded, apiKey, await place(sending, partner, index, order));
      return;
    default:
      return sent("/orders/send", order);
  }
}

/** Submits an order with the user's own wallet, and records it. */
async function place({ product }: Sending, partner: Partner, index: number, order: object): Promise<Hex> {
  const user: LocalAccount = present(product.users[index], "a user");
  const call = await partner.must(
    partner.post<Calldata>("/orders/calldata", { ...order, userAddress: user.address }),
  );
  const { transactionHash } = await send(product.client, user, call.toAddress as Hex, call.callData as Hex);
  await partner.must(partner.post<Mapping>("/orders/tx", { txHash: transactionHash }));
  return transactionHash;
}

const READS: [string, Record<string, string | number>?][] = [
  ["/orders", { limit: 20 }],
  ["/orders", { status: "Filled", limit: 5 }],
  ["/cash/deposits", { limit: 10 }],
  ["/stock/withdrawals", { limit: 10 }],
  ["/sends", { limit: 10 }],
  ["/events", { limit: 10 }],
  ["/config"],
  ["/key"],
];

/** Lists in turn, and the user's balance; must() refuses whatever is no success. */
async function read(partner: Partner, count: number): Promise<void> {
  const [path, query] = READS[count % READS.length] ?? ["/config"];
  await partner.must(partner.get(path, query));
}

const STATUS_OPEN = 1;

/** Fills what is open, as the broker does. */
async function settle(product: Product): Promise<void> {
  const { client, deployment, settler } = product;
  const fromBlock = (await client.getBlockNumber()) - 20n;
  const logs = await client.getLogs({
    address: deployment.stock,
    fromBlock: fromBlock > 0n ? fromBlock : 0n,
  });
  const placed = parseEventLogs({ abi: stockAbi, eventName: "MarketOrderPlaced", logs });
  const orders = await Promise.all(
    placed.map(({ args: { orderId } }) =>
      client.readContract({
        address: deployment.stock,
        abi: stockAbi,
        functionName: "getOrder",
        args: [orderId],
      }),
    ),
  );
  const open = placed.filter((_, at) => orders[at]?.status === STATUS_OPEN).map(({ args }) => args.orderId);
  if (open.length === 0) return;
  await send(
    client,
    settler,
    deployment.stock,
    stock(
      "settleMarketOrders",
      open,
      open.map(() => 10n ** 20n),
    ),
  );
}
