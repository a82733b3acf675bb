import { z } from "zod";
import { raw, type Sql } from "../db/sql.ts";

/** Rows of lists as the query API and SQL alike give them. */

/** Columns that lists read of orders and operations alike. */
export const LISTED_COLUMNS = {
  claimId: true,
  keyId: true,
  chainId: true,
  productType: true,
  txHash: true,
  source: true,
  createdAt: true,
  updatedAt: true,
  logIndex: true,
  userAddress: true,
  status: true,
  data: true,
} as const;

export const listedShape = {
  claimId: z.string(),
  keyId: z.string(),
  chainId: z.number(),
  productType: z.string(),
  txHash: z.string().nullable(),
  source: z.string(),
  createdAt: z.date(),
  updatedAt: z.date(),
  logIndex: z.number(),
  userAddress: z.string().nullable(),
  status: z.string(),
  data: z.string().nullable(),
};

/** Returns columns of a row `s` by the names that the query API gives them. */
export const selectColumns = (names: object): Sql =>
  raw(
    Object.keys(names)
      .map((name) => `s.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`)
      .join(", "),
  );
