import type pg from "pg";
import type { Logger } from "pino";
import { type ChainReader, createChainReader } from "./reader.ts";
import type { AppendedEvent } from "./store.ts";

type Deliver = (events: readonly AppendedEvent[]) => void;

/** A log of a chain; null: all of them. */
export type LogOfChain = { keyId: string; productType: string } | null;

/** One stream's subscription to a chain. */
export interface Following {
  /** Passes events to `deliver` as they are appended to the log, from now on. */
  subscribe(deliver: Deliver): void;
  /** Unsubscribes; idempotent. */
  leave(): void;
}

/** Hands what is appended on each chain to those who follow it. A chain is read while a stream follows it. */
export interface ChainFollowers {
  /** @throws ApiError DATABASE_UNAVAILABLE */
  follow(chainId: number, eventLog: LogOfChain): Promise<Following>;
  /** @param chainId null: all chains */
  wake(chainId: number | null): void;
  isCurrent(chainId: number, withinMs: number): boolean;
}

interface Chain {
  reader: ChainReader;
  followers: number;
  byLog: Map<string, { keyId: string; deliver: Set<Deliver> }>;
  all: Set<Deliver>;
  /** Keys that are followed, null for all; undefined where that has changed. */
  keyIds: readonly string[] | null | undefined;
}

export interface FollowersOptions {
  pool: pg.Pool;
  log: Logger;
  /** See ReaderOptions. */
  guard: () => Promise<void>;
  pollMs: number;
}

const nameOf = ({ keyId, productType }: { keyId: string; productType: string }): string =>
  `${keyId} ${productType}`;

export function createChainFollowers(options: FollowersOptions): ChainFollowers {
  const chains = new Map<number, Chain>();

  function open(chainId: number): Chain {
    const byLog: Chain["byLog"] = new Map();
    const all: Chain["all"] = new Set();
    const reader = createChainReader({
      ...options,
      chainId,
      keyIds: () => {
        if (chain.keyIds === undefined)
          chain.keyIds = all.size > 0 ? null : [...new Set([...byLog.values()].map(({ keyId }) => keyId))];
        return chain.keyIds;
      },
      deliver: (events) => {
        for (const deliver of all) deliver(events);
        for (const [name, ofLog] of groupByLog(events))
          for (const deliver of byLog.get(name)?.deliver ?? []) deliver(ofLog);
      },
    });
    const chain: Chain = { reader, followers: 0, byLog, all, keyIds: undefined };
    chains.set(chainId, chain);
    return chain;
  }

  function close(chainId: number, chain: Chain): void {
    chain.followers -= 1;
    if (chain.followers > 0) return;
    chain.reader.stop();
    if (chains.get(chainId) === chain) chains.delete(chainId);
  }

  return {
    follow: async (chainId, eventLog) => {
      const chain = chains.get(chainId) ?? open(chainId);
      chain.followers += 1;
      await chain.reader.ready.catch((error: unknown) => {
        // The next subscription starts a new reader.
        chains.delete(chainId);
        close(chainId, chain);
        throw error;
      });
      let unsubscribe = (): void => undefined;
      let hasLeft = false;
      return {
        subscribe: (deliver) => {
          if (!hasLeft) unsubscribe = subscribe(chain, eventLog, deliver);
        },
        leave: () => {
          if (hasLeft) return;
          hasLeft = true;
          unsubscribe();
          close(chainId, chain);
        },
      };
    },
    wake: (chainId) => {
      if (chainId !== null) chains.get(chainId)?.reader.wake();
      else for (const { reader } of chains.values()) reader.wake();
    },
    isCurrent: (chainId, withinMs) => chains.get(chainId)?.reader.isCurrent(withinMs) ?? false,
  };
}

/** @returns ends the subscription */
function subscribe(chain: Chain, eventLog: LogOfChain, deliver: Deliver): () => void {
  const { byLog, all } = chain;
  const change = (): void => {
    chain.keyIds = undefined;
  };
  if (eventLog === null) {
    all.add(deliver);
    change();
    return () => {
      all.delete(deliver);
      change();
    };
  }
  const name = nameOf(eventLog);
  const found = byLog.get(name) ?? { keyId: eventLog.keyId, deliver: new Set() };
  if (found.deliver.size === 0) change();
  byLog.set(name, found);
  found.deliver.add(deliver);
  return () => {
    found.deliver.delete(deliver);
    if (found.deliver.size > 0 || byLog.get(name) !== found) return;
    byLog.delete(name);
    change();
  };
}

function groupByLog(events: readonly AppendedEvent[]): Map<string, AppendedEvent[]> {
  const groups = new Map<string, AppendedEvent[]>();
  for (const event of events) {
    const name = nameOf(event);
    const group = groups.get(name);
    if (group) group.push(event);
    else groups.set(name, [event]);
  }
  return groups;
}
