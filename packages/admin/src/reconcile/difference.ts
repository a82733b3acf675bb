/** Kinds of objects compared with the contracts' state. */
export const STATE_KINDS = ["cash-balance", "stock-balance", "order", "delegation", "wallet"] as const;
/** Kinds of objects compared with receipts. */
export const RECEIPT_KINDS = ["claim", "attribution", "send"] as const;
/** All kinds of compared objects. */
export const KINDS = [...STATE_KINDS, ...RECEIPT_KINDS] as const;
export type Kind = (typeof KINDS)[number];

/** A value on which the API and the chain disagree. */
export interface Difference {
  kind: Kind;
  /** Null for a wallet, which serves all products of its chain. */
  productType: string | null;
  /** The row: an orderId, a user, a user and a token, a wallet, a claim, a transaction or a request. */
  object: string;
  field: string;
  ours: string;
  chain: string;
  likelyCause: string;
  whatToDo: string;
}

/** Fields of a difference that all fields of a row share. */
export type Subject = Pick<Difference, "kind" | "productType" | "object">;

/** Fields of a difference that describe it and its cause. */
export type Finding = Omit<Difference, keyof Subject>;

/** A value of a row, as the API has it and as the contract returns it. */
export type ComparedValue = readonly [field: string, ours: unknown, chain: unknown];

export const REBUILD =
  "have the index built anew: `indexer status` names its schema; stop the indexer, drop that schema, start it again";

/** Returns a difference for each field with two different values. */
export function differencesOf(
  subject: Subject,
  fields: readonly ComparedValue[],
  explain: (field: string) => Pick<Difference, "likelyCause" | "whatToDo">,
): Difference[] {
  return fields.flatMap(([field, ours, chain]) =>
    String(ours) === String(chain)
      ? []
      : [{ ...subject, field, ours: String(ours), chain: String(chain), ...explain(field) }],
  );
}

/** Returns a difference as one sentence: its fact, its cause and its remedy. */
export function explanationOf(difference: Difference): string {
  const { kind, object, field, ours, chain, likelyCause, whatToDo } = difference;
  return `${kind} ${object}: ${field} is ${ours} here and ${chain} on the chain, probably because ${likelyCause}; ${whatToDo}.`;
}
