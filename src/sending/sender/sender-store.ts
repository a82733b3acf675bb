import type pg from "pg";
import type { Tx } from "../../db/transaction.ts";
import { lockDelegations, unblockDelegation } from "../delegation/store.ts";
import { isHalted } from "../halt-store.ts";
import { endRequest } from "../outbox/end-store.ts";
import { storeResults } from "./broadcast-store.ts";
import { lockAccepted, lockReserved, readCandidates } from "./cancellation-store.ts";
import { endFilled, storeFinalRows, storeMinedRows, storeReorgedRows } from "./confirm-store.ts";
import {
  initializeNonce,
  registerWallet,
  releaseLease,
  setWalletState,
  takeLease,
  underLease,
  type WalletRow,
} from "./lease.ts";
import { lockSignedToday } from "./policy-store.ts";
import { findAbove, findOwner, nextAccepted } from "./queue-store.ts";
import { makeAllDue, storeFillReason } from "./resubmit-store.ts";
import { readWallet, recordObservation, renewLease } from "./shared-store.ts";
import { insertAttempts, pointTo, reserveNonces, storeSigned } from "./sign-store.ts";
import { loadAttempts, readTracked } from "./store.ts";
import type { Wallet } from "./wallet.ts";

/** A function without its first parameter: the pool, or the transaction, that a store binds. */
type Bound<F> = F extends (db: never, ...args: infer A) => infer R ? (...args: A) => R : never;

/**
 * Rows that a worker reads and writes; the functions of the same names say how. It decides over this, over its nodes and over time, and a
 * crash takes nothing else that counts. A simulation has rows in memory (test/support/simulation/memory-store.ts).
 */
export interface SenderStore {
  registerWallet: Bound<typeof registerWallet>;
  takeLease: Bound<typeof takeLease>;
  renewLease: Bound<typeof renewLease>;
  releaseLease: Bound<typeof releaseLease>;
  readWallet: Bound<typeof readWallet>;
  recordObservation: Bound<typeof recordObservation>;
  readTracked: Bound<typeof readTracked>;
  loadAttempts: Bound<typeof loadAttempts>;
  readCandidates: Bound<typeof readCandidates>;
  nextAccepted: Bound<typeof nextAccepted>;
  findAbove: Bound<typeof findAbove>;
  findOwner: Bound<typeof findOwner>;
  setWalletState: Bound<typeof setWalletState>;
  underLease<T>(wallet: Wallet, work: (tx: SenderTx, row: WalletRow) => Promise<T>): Promise<T>;
}

/** Statements of a transaction under a wallet's lease: all of them are committed, or none. */
export interface SenderTx {
  isHalted: Bound<typeof isHalted>;
  initializeNonce: Bound<typeof initializeNonce>;
  lockDelegations: Bound<typeof lockDelegations>;
  unblockDelegation: Bound<typeof unblockDelegation>;
  lockAccepted: Bound<typeof lockAccepted>;
  lockReserved: Bound<typeof lockReserved>;
  lockSignedToday: Bound<typeof lockSignedToday>;
  endRequest: Bound<typeof endRequest>;
  reserveNonces: Bound<typeof reserveNonces>;
  storeSigned: Bound<typeof storeSigned>;
  insertAttempts: Bound<typeof insertAttempts>;
  pointTo: Bound<typeof pointTo>;
  makeAllDue: Bound<typeof makeAllDue>;
  storeFillReason: Bound<typeof storeFillReason>;
  storeResults: Bound<typeof storeResults>;
  storeMinedRows: Bound<typeof storeMinedRows>;
  storeReorgedRows: Bound<typeof storeReorgedRows>;
  storeFinalRows: Bound<typeof storeFinalRows>;
  endFilled: Bound<typeof endFilled>;
}

/** Keeps a worker's data in PostgreSQL. */
export const createSqlStore = (pool: pg.Pool): SenderStore => ({
  registerWallet: (...args) => registerWallet(pool, ...args),
  takeLease: (...args) => takeLease(pool, ...args),
  renewLease: (...args) => renewLease(pool, ...args),
  releaseLease: (...args) => releaseLease(pool, ...args),
  readWallet: (...args) => readWallet(pool, ...args),
  recordObservation: (...args) => recordObservation(pool, ...args),
  readTracked: (...args) => readTracked(pool, ...args),
  loadAttempts: (...args) => loadAttempts(pool, ...args),
  readCandidates: (...args) => readCandidates(pool, ...args),
  nextAccepted: (...args) => nextAccepted(pool, ...args),
  findAbove: (...args) => findAbove(pool, ...args),
  findOwner: (...args) => findOwner(pool, ...args),
  setWalletState: (...args) => setWalletState(pool, ...args),
  underLease: (wallet, work) => underLease(pool, wallet, (tx, row) => work(createSqlTx(tx), row)),
});

const createSqlTx = (tx: Tx): SenderTx => ({
  isHalted: (...args) => isHalted(tx, ...args),
  initializeNonce: (...args) => initializeNonce(tx, ...args),
  lockDelegations: (...args) => lockDelegations(tx, ...args),
  unblockDelegation: (...args) => unblockDelegation(tx, ...args),
  lockAccepted: (...args) => lockAccepted(tx, ...args),
  lockReserved: (...args) => lockReserved(tx, ...args),
  lockSignedToday: (...args) => lockSignedToday(tx, ...args),
  endRequest: (...args) => endRequest(tx, ...args),
  reserveNonces: (...args) => reserveNonces(tx, ...args),
  storeSigned: (...args) => storeSigned(tx, ...args),
  insertAttempts: (...args) => insertAttempts(tx, ...args),
  pointTo: (...args) => pointTo(tx, ...args),
  makeAllDue: (...args) => makeAllDue(tx, ...args),
  storeFillReason: (...args) => storeFillReason(tx, ...args),
  storeResults: (...args) => storeResults(tx, ...args),
  storeMinedRows: (...args) => storeMinedRows(tx, ...args),
  storeReorgedRows: (...args) => storeReorgedRows(tx, ...args),
  storeFinalRows: (...args) => storeFinalRows(tx, ...args),
  endFilled: (...args) => endFilled(tx, ...args),
});
