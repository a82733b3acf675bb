import type { Claim } from "../claims/mapping.ts";
import { caseSql, firstMatch, type Rule } from "../claims/rules.ts";
import { Prisma } from "../db/generated/client.ts";
import type { ChainOperationStatus, OperationStatus } from "../protocol/enums.ts";

/** Where an operation stands that is not indexed, by its claim: the first rule that holds. */
const UNINDEXED: readonly Rule<{ claim: Claim["state"] }, OperationStatus>[] = [
  { when: { claim: "reverted" }, outcome: "failed" },
  { when: {}, outcome: "pending" },
];

/** Returns where an operation stands (docs/api.md): the chain's word, else the claim's. */
export function operationStatusOf(
  chain: ChainOperationStatus | null,
  claim: Claim["state"],
): OperationStatus {
  return chain ?? firstMatch(UNINDEXED, { claim });
}

/** The same as an SQL expression over claim `c` and operation `o`, for the list's filter. */
export const operationStatusSql: Prisma.Sql = Prisma.sql`
  coalesce(o.status, ${caseSql(UNINDEXED, { claim: Prisma.sql`c.state::text` }, (status) => status)})`;
