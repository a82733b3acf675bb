/** Names that `--operations` takes: what /send endpoints call themselves. */
export const OPERATIONS = [
  "orders/send",
  "orders/with-deposit/send",
  "orders/cancel",
  "cash/deposits",
  "cash/withdrawals",
  "stock/deposits",
  "stock/withdrawals",
];

/** What `policies set` is given. */
export interface SetOptions {
  dailyNotional?: bigint | "none";
  symbols?: string;
  operations?: string;
  expires?: Date | "never";
  kill?: boolean;
  json?: boolean;
}
