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
