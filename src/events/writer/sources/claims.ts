import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { Hex } from "viem";
import { type Claim, presentMapping } from "../../../claims/mapping.ts";
import type { Sql } from "../../../db/sql.ts";
import { readDueOf } from "../changes-store.ts";
import { type Comparison, type CurrentRow, compare, nameOf, type Outcome, type RowName } from "../compare.ts";
import { fillsOf, type Fill as OrderFill } from "../fills.ts";
import { keyRowItems } from "../key-rows.ts";
import { readRemembered } from "../memory-store.ts";
import {
  differentRows,
  type KeyedClaim,
  memoryItems,
  readAffected,
  readCurrent,
  readObjects,
  readUnreported,
} from "../rows-store.ts";
import type { Compared, Find, Remapped, Step } from "../source.ts";
import type { Symbols } from "../symbols.ts";
import { LISTED, LISTS } from "./lists.ts";

/**
 * Finds orders and operations, as the claims that own them: of one transaction, that is decided for all of them together. A suffix counts
 * as a change, too: it may decide who owns what another transaction did.
 */
export const CLAIMS: Find = {
  name: "claims",
  due: [null, ...LISTS.flatMap(({ resources }) => resources)],
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
  /** The names of tokens that are known. */
  symbols: Symbols;
}

/** What claims have to report, and what else of them a step writes. */
export interface ComparedClaims extends Compared, Remapped {
  /** WITH items that write the rows that keys see, and a SELECT of key_id and product_type of those that are written. */
  rows: { items: Sql; touched: Sql };
  fills: readonly OrderFill[];
  /** Tokens whose names are missing. */
  unnamed: readonly Hex[];
  /** True where what is to be filled next waits for the names of tokens. */
  isStuck: boolean;
}

type Affected = Awaited<ReturnType<typeof readAffected>>;

/**
 * Compares what keys own now with what the log last reported. Calls nothing but the database: the log is locked.
 */
export async function compareClaims(client: pg.PoolClient, step: ClaimStep): Promise<ComparedClaims> {
  const { chainId, state, found, fill, verified, symbols, due } = step;
  const claims = await readAffected(client, { chainId, hashes: found.hashes, claimIds: found.ids });
  const filling = await addFill(client, { chainId, claims, fill, from: state.log.block });
  const claimIds = [...claims.keys()];
  const current = await readCurrent(client, { chainId, claimIds, symbols });
  const remembered = await readRemembered(client, claimIds);
  const reported = new Set(remembered.filter(({ eventId }) => eventId !== null).map(nameOf));
  // Of a claim of which nothing is due, a worker without rows has reported what a trigger wrote, and left the row as it was.
  const unreported = (await readUnreported(client, claimIds)).filter(
    (row) => !(filling.claimIds.has(row.claimId) && reported.has(nameOf(row))),
  );
  const outcome = compare({
    ...{ current, remembered, seen: found.seen, unreported, claimIds, isHistory: filling.isHistory },
    ...{ newId: randomUUID, mappingOf: mappingsOf(claims) },
  });
  const isFilling = ({ claimId }: { claimId: string }) => filling.claimIds.has(claimId);
  const waiting = outcome.waiting.filter((one) => !isFilling(one));
  const hashes = unique([...claims.values()].flatMap(({ claim }) => claim.txHash ?? []));
  const owned = new Set(current.map(({ objectId }) => objectId));
  const unowned = (await readObjects(client, chainId, hashes)).filter(
    ({ objectId, blockNumber }) => !owned.has(objectId) && blockNumber > verified,
  );
  return {
    events: outcome.events,
    remember: memoryItems({ ...outcome, chainId, hashes, unowned, verified, due, waiting }),
    rows: keyRowItems(chainId, outcome),
    fills: fillsOf(outcome.events),
    sentClaimIds: remapped(outcome, { claims, remembered }),
    unnamed: outcome.waiting.map(({ waitsFor }) => waitsFor),
    isStuck: outcome.waiting.some(isFilling),
  };
}

const unique = <T>(items: readonly T[]): T[] => [...new Set(items)];

interface Filling {
  /** The claims that were added, and of which nothing is due. */
  claimIds: ReadonlySet<string>;
  /** Returns true where a row of these has been as it is since before the log began: it did not change behind the log's block. */
  isHistory: Comparison["isHistory"];
}

/** Adds to claims those whose rows are filled, with all that decide the same. */
async function addFill(
  client: pg.PoolClient,
  { chainId, claims, fill, from }: { chainId: number; claims: Affected; fill: Fill | null; from: bigint },
): Promise<Filling> {
  if (!fill || fill.claimIds.length === 0) return { claimIds: new Set(), isHistory: () => false };
  const added = await readAffected(client, { chainId, hashes: [], claimIds: fill.claimIds });
  const others = [...added].filter(([claimId]) => !claims.has(claimId));
  const ids = others.map(([claimId]) => claimId);
  for (const [claimId, claim] of others) claims.set(claimId, claim);
  const due = new Set(await readDueOf(client, chainId, ids));
  const claimIds = new Set(ids.filter((claimId) => !due.has(claimId)));
  const isHistory = ({ claimId, blockNumber }: CurrentRow) =>
    claimIds.has(claimId) && (blockNumber ?? 0n) <= from;
  return { claimIds, isHistory };
}

/** Returns a function that returns the last mapping of a row, for the event of its removal; null where its claim is gone. */
function mappingsOf(claims: Affected): Comparison["mappingOf"] {
  return (row, objectId) => {
    const found = claims.get(row.claimId);
    if (!found) return null;
    const { claim, keyId } = found;
    const data = JSON.stringify(lastMapping(claim, row, objectId));
    return { keyId, productType: claim.productType, txHash: claim.txHash, data };
  };
}

/** Returns the mapping of a row that is no longer shown. */
function lastMapping(claim: Claim, { resource, ordinal }: RowName, objectId: string | null) {
  return {
    ...presentMapping(claim, null),
    mappingId: ordinal === 0 ? claim.claimId : `${claim.claimId}.${ordinal}`,
    orderId: resource === "orders" ? objectId : null,
    operationId: resource === "orders" ? null : objectId,
  };
}

/** Returns the sent claims whose mappings changed: what a fill changes of an order is no part of its mapping. */
function remapped(
  outcome: Outcome,
  { claims, remembered }: { claims: ReadonlyMap<string, KeyedClaim> } & Pick<Comparison, "remembered">,
): string[] {
  const known = new Map(remembered.map((row) => [`${row.claimId} ${row.ordinal}`, row]));
  const changed = outcome.remembered.filter(({ claimId, ordinal, objectId }) => {
    const before = known.get(`${claimId} ${ordinal}`);
    return before ? objectId === null || objectId !== before.objectId : objectId !== null;
  });
  const ids = [...changed, ...outcome.forgotten].map(({ claimId }) => claimId);
  return unique(ids).filter((claimId) => claims.get(claimId)?.claim.source === "send");
}
