import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { Hex } from "viem";
import { mappingIdOf, presentMapping } from "../../../claims/mapping.ts";
import type { Sql } from "../../../db/sql.ts";
import { type Comparison, compare } from "../compare.ts";
import { fillsOf, type Fill as OrderFill } from "../fills.ts";
import { keyRowItems } from "../key-rows.ts";
import { claimItems, differentRows, readAffected, readCurrent, readShown } from "../rows-store.ts";
import type { Compared, Find, Remapped, Step } from "../source.ts";
import type { Symbols } from "../symbols.ts";
import { LISTED } from "./lists.ts";

/**
 * Finds orders and operations, as the claims that own them: of one transaction, that is decided for all of them together. A suffix counts
 * as a change, too: it may decide who owns what another transaction did.
 */
export const CLAIMS: Find = {
  name: "claims",
  due: [null],
  changed: [...LISTED, { table: "attribution_suffix", block: "block_number", ofProducts: true }],
  different: differentRows,
};

/** Claims that are compared with their rows though nothing is known to have changed. */
export interface Fill {
  claimIds: string[];
  isLast: boolean;
}

export interface ClaimStep extends Step {
  /** Rows of app.event_due that the step is done with. */
  due: readonly string[];
  fill: Fill | null;
  /** Names of tokens that are known. */
  symbols: Symbols;
}

/** Events of claims, and their other changes that a step writes. */
export interface ComparedClaims extends Compared, Remapped {
  /** WITH items that write the rows that keys see, and a SELECT of key_id and product_type of those that are written. */
  rows: { items: Sql; touched: Sql };
  fills: readonly OrderFill[];
  /** Tokens whose names are missing. */
  unnamed: readonly Hex[];
  /** True where the rows to fill next wait for the names of tokens. */
  isStuck: boolean;
}

type Affected = Awaited<ReturnType<typeof readAffected>>;

/** Compares what keys own now with what they see. Calls nothing but the database: the log is locked. */
export async function compareClaims(client: pg.PoolClient, step: ClaimStep): Promise<ComparedClaims> {
  const { chainId, found, fill, verified, symbols, due } = step;
  const claims = await readAffected(client, { chainId, hashes: found.hashes, claimIds: found.ids });
  const filling = await addFill(client, { chainId, claims, fill });
  const claimIds = [...claims.keys()];
  const current = await readCurrent(client, { chainId, claimIds, symbols });
  const shown = await readShown(client, claimIds);
  const isFilled = new Set(shown.map(({ claimId }) => claimId));
  const isHistory = ({ claimId }: { claimId: string }) => filling.has(claimId) && !isFilled.has(claimId);
  const outcome = compare({
    current,
    shown,
    claimIds,
    isHistory,
    newId: randomUUID,
    lastOf: lastOf(claims),
  });
  const hashes = unique([...claims.values()].flatMap(({ claim }) => claim.txHash ?? []));
  const owned = current.flatMap(({ objectId }) => objectId ?? []);
  const waiting = outcome.waiting.filter((one) => !isHistory(one));
  return {
    events: outcome.events,
    remember: claimItems({ chainId, hashes, owned, verified, due, waiting }),
    rows: keyRowItems(chainId, outcome),
    fills: fillsOf(outcome.events),
    sentClaimIds: [...outcome.remapped].filter((id) => claims.get(id)?.claim.source === "send"),
    unnamed: outcome.waiting.map(({ waitsFor }) => waitsFor),
    isStuck: outcome.waiting.some(isHistory),
  };
}

const unique = <T>(items: readonly T[]): T[] => [...new Set(items)];

/**
 * Adds to claims those that are filled, with all that decide the same.
 * @returns the claims that were added: nothing of them is due or changed, so what has no row has been as it is since before the log began
 */
async function addFill(
  client: pg.PoolClient,
  { chainId, claims, fill }: { chainId: number; claims: Affected; fill: Fill | null },
): Promise<ReadonlySet<string>> {
  if (!fill) return new Set();
  const added = await readAffected(client, { chainId, hashes: [], claimIds: fill.claimIds });
  const others = [...added].filter(([claimId]) => !claims.has(claimId));
  for (const [claimId, claim] of others) claims.set(claimId, claim);
  return new Set(others.map(([claimId]) => claimId));
}

/** Returns a function that returns the transaction and the last mapping of a row that is not shown any more. */
function lastOf(claims: Affected): Comparison["lastOf"] {
  return ({ claimId, resource, ordinal, objectId }) => {
    const claim = claims.get(claimId)?.claim;
    if (!claim) return null;
    const mapping = {
      ...presentMapping(claim, null),
      mappingId: mappingIdOf(claimId, ordinal),
      orderId: resource === "orders" ? objectId : null,
      operationId: resource === "orders" ? null : objectId,
    };
    return { txHash: claim.txHash, data: JSON.stringify(mapping) };
  };
}
