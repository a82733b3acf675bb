import { findClaimById } from "../../claims/claim-store.ts";
import { type Claim, presentMapping } from "../../claims/mapping.ts";
import type { Deps } from "../../context/deps.ts";
import type { Mapping } from "../../context/schema-types.ts";
import { withDatabaseErrors } from "../../db/errors.ts";
import type { OperationType } from "../../protocol/enums.ts";
import type { SendRow } from "../outbox/rows.ts";

/** Returns the mapping of a sent request; null where it has none of its own. */
export async function readSendMapping(deps: Deps, row: SendRow): Promise<Mapping | null> {
  if (!row.claimId) return null;
  const claim = await findClaimById(deps.pool, row.claimId);
  if (!claim) throw new Error(`the claim of request ${row.requestId} is gone`);
  if (claim.txHash && (row.state === "mined" || row.state === "final")) {
    // A repeat of the call shows it once its row does.
    const shown = await readShownMapping(deps.prisma, claim);
    if (shown) return shown;
  }
  return presentMapping(claim, null);
}

/** Returns the mapping of a claim's first row; null while none is indexed. */
async function readShownMapping(
  prisma: Deps["prisma"],
  { claimId, operationType: kind }: Claim,
): Promise<Mapping | null> {
  const first = { select: { data: true }, orderBy: { ordinal: "asc" }, take: 1 } as const;
  const [row] = await withDatabaseErrors<{ data: string | null }[]>(() =>
    kind === "trade"
      ? prisma.keyOrder.findMany({ where: { claimId }, ...first })
      : prisma.keyOperation.findMany({ where: { claimId, kind }, ...first }),
  );
  return row?.data ? (JSON.parse(row.data) as { mapping: Mapping }).mapping : null;
}

/** Returns the mapping that was written with its request, for use where nothing newer can be read. */
export function writtenMapping(row: SendRow, operationType: OperationType | null): Mapping | null {
  const { claimId, chainId, productType, txHash, user, clientOrderId, acceptedAtMs } = row;
  if (!claimId || !operationType) return null;
  const claim: Claim = {
    claimId,
    chainId,
    productType,
    operationType,
    txHash,
    clientOrderId,
    source: "send",
    state: "pending",
    claimUser: user,
    createdMs: acceptedAtMs,
    updatedMs: acceptedAtMs,
  };
  return presentMapping(claim, null);
}
