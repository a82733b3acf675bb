import { z } from "zod";

/** Forms of values that requests and rows share. */

export type HexString = `0x${string}`;

/** One product on one chain; every row of onchain.* is keyed by it first. */
export interface ProductId {
  chainId: number;
  productType: string;
}

/** Matches so many bytes of hex behind 0x, all of it in any case. */
export const hexPattern = (bytes: number): RegExp => new RegExp(`^0[xX][0-9a-fA-F]{${bytes * 2}}$`);

/** An address in any case, as people write it. */
export const ADDRESS = hexPattern(20);

/** An address, a hash or an id as it is stored: lower case, of a length that the writer checks. */
export const storedHex = z
  .string()
  .regex(/^0x[0-9a-f]*$/)
  .transform((value) => value as HexString);

/** An amount (wad, or base units of a token): NUMERIC(78,0), selected as text, so that no digit is lost. */
export const storedAmount = z.string().transform((value) => BigInt(value));

/** Unix seconds, selected as text. */
export const storedSeconds = z.coerce.number();
