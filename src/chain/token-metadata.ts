import { erc20Abi, type Hex } from "viem";
import { z } from "zod";
import { ApiError } from "../protocol/errors.ts";
import type { BlockReads } from "./reads.ts";

/** Metadata of an ERC-20 token; it never changes. */
export interface TokenMetadata {
  name: string;
  symbol: string;
  decimals: number;
}

export interface TokenReads {
  /**
   * Returns the metadata of tokens, by lower-case address; read once per token.
   * @throws ApiError RPC_UNAVAILABLE
   */
  metadata(addresses: readonly Hex[]): Promise<ReadonlyMap<Hex, TokenMetadata>>;
}

const metadataSchema = z.object({ name: z.string(), symbol: z.string(), decimals: z.number() });
const FIELDS = ["name", "symbol", "decimals"] as const;

export function createTokenReads(reads: BlockReads): TokenReads {
  const known = new Map<Hex, TokenMetadata>();

  async function ask(addresses: readonly Hex[]): Promise<void> {
    const calls = addresses.flatMap((address) =>
      FIELDS.map((functionName) => ({ address, abi: erc20Abi, functionName })),
    );
    const { results } = await reads.latest(calls);
    for (const [index, address] of addresses.entries()) {
      const [name, symbol, decimals] = results.slice(index * FIELDS.length);
      const parsed = metadataSchema.safeParse({ name, symbol, decimals });
      if (!parsed.success) throw new ApiError("RPC_UNAVAILABLE", { cause: parsed.error });
      known.set(address, parsed.data);
    }
  }

  return {
    async metadata(addresses) {
      const missing = addresses.filter((address) => !known.has(address));
      if (missing.length > 0) await ask(missing);
      return known;
    },
  };
}
