/** What is compared. */
export const KINDS = ["cash-balance", "stock-balance", "order", "delegation", "wallet"] as const;
export type Kind = (typeof KINDS)[number];

/** One value that the API and the chain do not agree on. */
export interface Difference {
  kind: Kind;
  /** Null for a wallet, which serves all products of its chain. */
  productType: string | null;
  /** The row: an orderId, a user, a user and a token, or a wallet. */
  object: string;
  field: string;
  ours: string;
  chain: string;
  likelyCause: string;
  whatToDo: string;
}

/** The part of a difference that is the same for all fields of a row. */
export type Subject = Pick<Difference, "kind" | "productType" | "object">;

/** A value of a row, as the API has it and as the contract answers it. */
export type Compared = readonly [field: string, ours: unknown, chain: unknown];

export const REBUILD =
  "have the index built anew: `indexer status` names its schema; stop the indexer, drop that schema, start it again";

/** Returns a difference for each field whose two values are not the same. */
export function differencesOf(
  subject: Subject,
  fields: readonly Compared[],
  explain: (field: string) => Pick<Difference, "likelyCause" | "whatToDo">,
): Difference[] {
  return fields.flatMap(([field, ours, chain]) =>
    String(ours) === String(chain)
      ? []
      : [{ ...subject, field, ours: String(ours), chain: String(chain), ...explain(field) }],
  );
}
