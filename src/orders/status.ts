import type { Claim } from "../claims/mapping.ts";
import { caseSql, firstMatch, type Rule } from "../claims/rules.ts";
import { Prisma } from "../db/generated/client.ts";
import type {
  ChainOrderStatus,
  EndedStatus,
  OnChainStatus,
  OpenStatus,
  OrderStatus,
  OrderType,
} from "../protocol/enums.ts";

/** The columns of onchain.stock_order that decide the status of an indexed order. */
export interface ChainState {
  type: OrderType;
  status: ChainOrderStatus;
  /** Stock wad. */
  filledQuantity: bigint;
}

export type Status =
  | { status: OrderStatus; onChainStatus: OpenStatus }
  | { status: EndedStatus; onChainStatus: "history" };

/** The facts that the rules ask of an order and its claim. */
interface Facts {
  claim: Claim["state"];
  isIndexed: boolean;
  chain: ChainOrderStatus | null;
  hasFills: boolean | null;
  type: OrderType | null;
}

/** The facts as SQL over the claim `c` and the order `o`. */
const FACTS_SQL: Record<keyof Facts, Prisma.Sql> = {
  claim: Prisma.sql`c.state::text`,
  isIndexed: Prisma.sql`(o.order_id IS NOT NULL)`,
  chain: Prisma.sql`o.status`,
  hasFills: Prisma.sql`(o.filled_quantity > 0)`,
  type: Prisma.sql`o.order_type`,
};

const ended = (status: EndedStatus): Status => ({ status, onChainStatus: "history" });
const resting = (status: OrderStatus): Status => ({ status, onChainStatus: "open" });

/**
 * Where an order stands (docs/api.md#order-states): the first rule that holds. The chain's word counts; the claim's only
 * where the chain has none.
 * A canceling order keeps the status it had: it may still fill.
 */
const RULES: readonly Rule<Facts, Status>[] = [
  { when: { isIndexed: false, claim: "reverted" }, outcome: ended("Failed") },
  { when: { isIndexed: false }, outcome: { status: "Init", onChainStatus: "placing" } },
  { when: { chain: "filled" }, outcome: ended("Filled") },
  { when: { chain: "canceled" }, outcome: ended("Canceled") },
  { when: { chain: "rejected" }, outcome: ended("Rejected") },
  { when: { chain: "expired" }, outcome: ended("Expired") },
  { when: { hasFills: true }, outcome: resting("Partial filled") },
  { when: { type: "Market" }, outcome: resting("Pending") },
  { when: {}, outcome: resting("New") },
];

/** Returns where an order stands. */
export function statusOf(chain: ChainState | null, claim: Claim["state"]): Status {
  const decided = firstMatch(RULES, {
    claim,
    isIndexed: chain !== null,
    chain: chain?.status ?? null,
    hasFills: chain && chain.filledQuantity > 0n,
    type: chain?.type ?? null,
  });
  const isCanceling = chain?.status === "canceling" && decided.onChainStatus === "open";
  return isCanceling ? { status: decided.status, onChainStatus: "canceling" } : decided;
}

/** The same status as an SQL expression over claim `c` and order `o`. */
export const statusSql: Prisma.Sql = caseSql(RULES, FACTS_SQL, ({ status }) => status);

/** Returns the statuses of orders that stand so on the chain. */
export function statusesOf(onChainStatus: OnChainStatus): OrderStatus[] {
  const decided = onChainStatus === "canceling" ? "open" : onChainStatus;
  return RULES.flatMap(({ outcome }) => (outcome.onChainStatus === decided ? [outcome.status] : []));
}
