import { onchainTable } from "ponder";

/** A row for each event. */
export const chainEvent = onchainTable("chain_event", (t) => ({
  id: t.text().primaryKey(),
  blockNumber: t.bigint().notNull(),
}));
