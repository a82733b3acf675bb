import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { Outcome, Remembered } from "./compare.ts";
import { type KeyedClaim, readRemembered } from "./rows-store.ts";
import { compareSends } from "./sends.ts";
import { readSendsNow } from "./sends-store.ts";

/** The claims and requests that a run found. */
interface Found {
  /** Requests whose replies changed. */
  requestIds: readonly string[];
  claims: ReadonlyMap<string, KeyedClaim>;
  outcome: Pick<Outcome, "remembered" | "forgotten">;
  remembered: readonly Remembered[];
}

/**
 * Compares requests whose replies changed, and those whose claims came to something else: a reply has the mapping of its claim.
 */
export async function compareSendsNow(
  client: pg.PoolClient,
  found: Found,
): Promise<Pick<Outcome, "events" | "remembered">> {
  const { requestIds } = found;
  const claimIds = remapped(found);
  if (requestIds.length === 0 && claimIds.length === 0) return { events: [], remembered: [] };
  const current = await readSendsNow(client, { requestIds, claimIds });
  const remembered = await readRemembered(
    client,
    current.map(({ answer }) => answer.requestId),
  );
  return compareSends({ current, remembered, changed: new Set(requestIds), newId: randomUUID });
}

/** Returns the sent claims whose mappings changed: what a fill changes of an order is no part of its mapping. */
function remapped({ claims, outcome, remembered }: Found): string[] {
  const known = new Map(remembered.map((row) => [`${row.claimId} ${row.ordinal}`, row]));
  const changed = outcome.remembered.filter(({ claimId, ordinal, objectId }) => {
    const before = known.get(`${claimId} ${ordinal}`);
    return before ? objectId === null || objectId !== before.objectId : objectId !== null;
  });
  const ids = [...changed, ...outcome.forgotten].map(({ claimId }) => claimId);
  return [...new Set(ids)].filter((claimId) => claims.get(claimId)?.claim.source === "send");
}
