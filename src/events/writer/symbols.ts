import type { Hex } from "viem";
import type { Chain } from "../../chain/clients.ts";
import type { Deps } from "../../context/deps.ts";

/** The symbols of tokens, by lower-case address. */
export type Symbols = ReadonlyMap<Hex, { symbol: string }>;

/** The names of a chain's tokens, as far as this process has asked its nodes for them. */
export interface TokenNames {
  known: Symbols;
  /**
   * Asks the nodes for names, for each token by itself: one that has none keeps no other waiting. Waits a moment where
   * a token is asked for the first time; what takes longer goes on, for a later run.
   * @returns true where all of them are known now
   */
  learn(tokens: readonly Hex[]): Promise<boolean>;
}

export interface TokenNamesOptions {
  /** Timeout of a run for names that it requests for the first time, milliseconds. */
  waitMs: number;
}

export function createTokenNames(
  { log }: Pick<Deps, "log">,
  chain: Chain | undefined,
  { waitMs }: TokenNamesOptions,
): TokenNames {
  const known = new Map<Hex, { symbol: string }>();
  const asked = new Set<Hex>();
  const failed = new Set<Hex>();
  const running = new Map<Hex, Promise<void>>();

  async function ask(token: Hex): Promise<void> {
    try {
      const found = await chain?.tokens.metadata([token]);
      if (found) known.set(token, found.get(token) ?? { symbol: "" });
    } catch (err) {
      const level = failed.has(token) ? "debug" : "warn";
      failed.add(token);
      log[level]({ err, chainId: chain?.config.chainId, token }, "events of a token wait: no node names it");
    } finally {
      running.delete(token);
    }
  }

  return {
    known,
    learn: async (tokens) => {
      const missing = tokens.filter((token) => !known.has(token));
      const isNew = missing.some((token) => !asked.has(token));
      for (const token of missing) {
        asked.add(token);
        if (!running.has(token)) running.set(token, ask(token));
      }
      const answers = Promise.all(missing.map((token) => running.get(token)));
      if (isNew) await withinMs(answers, waitMs);
      return missing.every((token) => known.has(token));
    },
  };
}

async function withinMs(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, end]);
  clearTimeout(timer);
}
