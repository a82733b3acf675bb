import type { Hex } from "viem";
import { presentStatus } from "../../oneclick/status.ts";
import type { Draft } from "./compare.ts";
import { hashOf } from "./rows-store.ts";

/** A delegation as the index and this service have it, for one key, and what the log last reported of it. */
export interface DelegationRow {
  keyId: string;
  productType: string;
  user: Hex;
  delegatee: Hex;
  isEnabled: boolean;
  nonce: bigint;
  rowHash: string | null;
  txHash: Hex | null;
  last: { operation: string; state: string; txHash: string | null } | null;
  reported: { type: DelegationEvent | null; eventId: string | null; dataHash: string; nonce: bigint } | null;
}

export type DelegationEvent = "delegation.enabled" | "delegation.disabled";

/** A row of app.event_delegation: the last report of a delegation. */
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
 * Returns the events that bring the log from what it last reported of delegations to what their status says now. A key that never
 * got an enable reported gets nothing.
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
  const { keyId, productType, user, nonce, rowHash, reported } = row;
  const status = presentStatus(row);
  const data = JSON.stringify(status);
  const dataHash = hashOf(data);
  const type: DelegationEvent = row.isEnabled ? "delegation.enabled" : "delegation.disabled";
  const common = { productType, keyId, userAddress: user, dataHash, nonce, rowHash };
  if (!mustReport(row, type, dataHash)) {
    const { type: before = null, eventId: last = null } = reported ?? {};
    return {
      event: null,
      memory: { ...common, eventId: last, type: before, dataHash: reported?.dataHash ?? dataHash },
    };
  }
  // The chain's nonce only grows, unless a reorg takes back what it counted.
  const isTakenBack = reported !== null && reported.type !== type && nonce < reported.nonce;
  const event: Draft = {
    ...{ keyId, productType, eventId, type, resource: "1ct/status", data },
    ...{ blockNumber: null, txHash: row.txHash, retracts: isTakenBack ? reported.eventId : null },
  };
  return { event, memory: { ...common, eventId, type } };
}

/** Returns true where a status is to be reported. An enable that is under way is not: neither its begin nor its failure. */
function mustReport(
  { reported, last, isEnabled }: DelegationRow,
  type: DelegationEvent,
  dataHash: string,
): boolean {
  if (!reported?.type) return isEnabled;
  if (reported.type !== type) return true;
  const isPending = !isEnabled && last?.operation === "1ct/enable";
  return reported.dataHash !== dataHash && !isPending;
}
