import type { Hex } from "viem";
import { presentStatus } from "../../oneclick/status.ts";
import type { Draft } from "./compare.ts";
import { hashOf } from "./rows-store.ts";

/** A delegation as the index and this service have it, for one key, and what the log last said of it. */
export interface DelegationRow {
  keyId: string;
  productType: string;
  user: Hex;
  delegatee: Hex;
  isEnabled: boolean;
  nonce: bigint;
  rowHash: string | null;
  txHash: Hex | null;
  last: { operation: string; state: string; tx_hash: string | null } | null;
  told: { type: DelegationEvent | null; eventId: string | null; dataHash: string; nonce: bigint } | null;
}

export type DelegationEvent = "delegation.enabled" | "delegation.disabled";

/** What the log remembers of a delegation. */
export interface DelegationMemory {
  productType: string;
  keyId: string;
  userAddress: Hex;
  eventId: string | null;
  type: DelegationEvent | null;
  dataHash: string;
  nonce: bigint;
  rowHash: string | null;
}

/**
 * Returns the events that bring the log from what it last said of delegations to what their status says now. A key that never
 * was told that it may send is told nothing.
 */
export function compareDelegations(
  rows: readonly DelegationRow[],
  newId: () => string,
): { events: Draft[]; memory: DelegationMemory[] } {
  const compared = rows.map((row) => compareDelegation(row, newId()));
  return {
    events: compared.flatMap(({ event }) => event ?? []),
    memory: compared.map(({ memory }) => memory),
  };
}

function compareDelegation(
  row: DelegationRow,
  eventId: string,
): { event: Draft | null; memory: DelegationMemory } {
  const { keyId, productType, user, nonce, rowHash, told } = row;
  const status = presentStatus(row);
  const data = JSON.stringify(status);
  const dataHash = hashOf(data);
  const type: DelegationEvent = row.isEnabled ? "delegation.enabled" : "delegation.disabled";
  const common = { productType, keyId, userAddress: user, dataHash, nonce, rowHash };
  if (!isNews(row, type, dataHash)) {
    const { type: before = null, eventId: last = null } = told ?? {};
    return {
      event: null,
      memory: { ...common, eventId: last, type: before, dataHash: told?.dataHash ?? dataHash },
    };
  }
  // The chain's nonce only grows, unless a reorg takes back what it counted.
  const isTakenBack = told !== null && told.type !== type && nonce < told.nonce;
  const event: Draft = {
    ...{ keyId, productType, eventId, type, resource: "1ct/status", data },
    ...{ blockNumber: null, txHash: row.txHash, retracts: isTakenBack ? told.eventId : null },
  };
  return { event, memory: { ...common, eventId, type } };
}

/** An enable that is under way is no news: neither that it begins nor that it fails. */
function isNews({ told, last, isEnabled }: DelegationRow, type: DelegationEvent, dataHash: string): boolean {
  if (!told?.type) return isEnabled;
  if (told.type !== type) return true;
  const isPending = !isEnabled && last?.operation === "1ct/enable";
  return told.dataHash !== dataHash && !isPending;
}
