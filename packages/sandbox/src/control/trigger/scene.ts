import type { LocalAccount } from "viem";
import { PartnerTrading, type TradingEvent, type WebhookTestEvent } from "../../../../client/src/index.ts";
import { delegate } from "../../delegate.ts";
import { untilEnabled } from "../../new-user.ts";
import type { StoredKey } from "../../operator.ts";
import type { Desk } from "../../settler/desk.ts";
import { type ControlContext, ControlError } from "../context.ts";

/** An event as it was read from the stream, or as a test of a webhook posted it. */
export type TriggeredEvent = TradingEvent | WebhookTestEvent;

/** Brings an event about, with all that it needs beforehand, and returns it. */
export type Cause = (scene: Scene) => Promise<TriggeredEvent>;

type Matches = (event: TradingEvent) => boolean;

interface SeenOptions {
  /** The scene's by default. */
  type?: string;
  waitMs?: number;
}

/** Surroundings of a cause: a key, whose log gets the event, and the chain of its scope. */
export interface Scene {
  type: string;
  context: ControlContext;
  desk: Desk;
  key: StoredKey;
  trading: PartnerTrading;
  /** Reads the stream of the key from the moment that the scene was made, up to an event. @throws ControlError where none comes */
  seen(matches: Matches, options?: SeenOptions): Promise<TradingEvent>;
}

const WAIT_MS = 60_000;

/** Makes a scene, whose events begin now. */
export async function createScene(parts: Pick<Scene, "type" | "context" | "desk" | "key">): Promise<Scene> {
  const { context, key } = parts;
  const trading = new PartnerTrading({ ...key, baseUrl: context.baseUrl });
  const { eventCursor } = await trading.orders.list({ limit: 1 }).withMeta();
  const after = eventCursor ?? undefined;
  return {
    ...parts,
    trading,
    seen: (matches, { type = parts.type, waitMs = WAIT_MS } = {}) =>
      read(trading, { after, type, waitMs }, matches),
  };
}

interface Position {
  after: string | undefined;
  type: string;
  waitMs: number;
}

async function read(trading: PartnerTrading, { after, type, waitMs }: Position, matches: Matches) {
  const reading = new AbortController();
  const timer = setTimeout(() => reading.abort(), waitMs);
  try {
    const query = { after, types: [type as TradingEvent["type"]] };
    for await (const event of trading.events.stream(query, { signal: reading.signal }))
      if (matches(event)) return event;
  } finally {
    clearTimeout(timer);
    reading.abort();
  }
  throw new ControlError(409, `no ${type} came within ${waitMs / 1000} s`);
}

/** Returns a match of events whose data has this value. @param path names of fields, with dots between */
export const having =
  (path: string, value: unknown): Matches =>
  ({ data }) =>
    value === path.split(".").reduce<unknown>((object, name) => Object(object)[name], data);

/** Returns the wallet of a key's user. @throws ControlError where it is not known */
export function walletOf({ context, key: { apiKey, userAddress } }: Scene): LocalAccount {
  if (userAddress === null)
    throw new ControlError(409, `key: ${apiKey} is bound to no user; POST /users makes one that is`);
  const wallet = context.wallets.get(userAddress);
  if (wallet) return wallet;
  throw new ControlError(409, `key: the wallet of ${userAddress} is not one of this run of the sandbox`);
}

/** Lets the key send for its user, where it may not. */
export async function requireSending(scene: Scene): Promise<void> {
  const { trading, key } = scene;
  if (key.userAddress !== null && (await trading.oneClick.status()).status === "enable") return;
  await delegate(trading, walletOf(scene));
  await untilEnabled(trading);
}

/** Runs work while the chain mines nothing. Neither broker nor other scripts send meanwhile. */
export function withoutMining<T>({ desk }: Scene, work: () => Promise<T>): Promise<T> {
  return desk.exclusive(async () => {
    await desk.mining.set(false);
    try {
      return await work();
    } finally {
      await desk.mining.set(true);
    }
  });
}

/** Returns the time in some seconds, Unix seconds: that of the chain, where its clock was moved. */
export async function inSeconds({ desk }: Scene, seconds: number): Promise<number> {
  const { timestamp } = await desk.client.getBlock();
  return Math.max(Math.floor(Date.now() / 1000), Number(timestamp)) + seconds;
}
