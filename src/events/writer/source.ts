import type pg from "pg";
import type { Sql } from "../../db/sql.ts";
import type { EventResource } from "../../protocol/enums.ts";
import type { BegunChain } from "./chain-store.ts";
import type { Draft, DraftToAll } from "./compare.ts";

/**
 * A source of events: objects of one kind whose changes the log reports (CONTRIBUTING.md#a-source-of-events). A step finds those of all sources
 * with one statement (a second finds what differs though nothing says so), reads and compares those of each, and writes all with one.
 */
export interface Source extends Find {
  /**
   * Reads what the objects that a step has found are now and how the log last reported them, in the step's transaction, and compares the
   * two. Sends no statement where nothing was found.
   * @param claims what the claims of the step came to
   */
  compare(client: pg.PoolClient, step: Step, claims: Remapped): Promise<Compared>;
}

/** A source's parts of the statements that find the objects of all sources. */
export interface Find {
  /** The source's name in the results of those statements. */
  name: string;
  /** Finds due objects: the resources of the rows of app.event_due that name them. */
  due?: readonly (EventResource | null)[];
  /** Finds objects by block range: tables of the index, whose transactions in new blocks are compared. */
  changed?: readonly ChangedTable[];
  /**
   * Finds differences: SELECTs of the transactions, as tx_hash, that differ between index and event log. All sources with
   * `changed` compare what any of them finds.
   */
  different?: (range: DifferentRange) => readonly Sql[];
  /** Finds differences without a transaction: a SELECT of a JSON array of ids, those of a whole pass in its first part. */
  differentIds?: (range: DifferentRange) => Sql;
}

/** A table of `onchain`, and its column with the block of the last change. */
export interface ChangedTable {
  table: string;
  block: string;
  /** True where only rows of products that are deployed count. */
  ofProducts?: boolean;
}

export interface DifferentRange {
  chainId: number;
  /** Block behind which transactions are compared. */
  from: bigint;
  /** Hash behind which transactions are returned; empty for the first part of a pass. */
  after: string;
  max: number;
}

/** Changes of a source that a step has found. */
export interface Found {
  /** Transactions that may have changed its objects. */
  hashes: readonly string[];
  /** Objects that are due or differ. */
  ids: readonly string[];
}

/** Describes a step to one source. */
export interface Step {
  chainId: number;
  state: BegunChain;
  found: Found;
  /** Block that is final for the log once the step is committed: nothing up to it is compared again. */
  verified: bigint;
}

/** Claims of a step, by what they came to. */
export interface Remapped {
  /** Claims of sends whose mappings the step changed. */
  sentClaimIds: readonly string[];
}

/** Events and state of a source, to be written by a step. */
export interface Compared {
  /** In the order in which the log gets them, behind those of the sources before. */
  events: readonly Draft[];
  /** Events of all active keys of a product, behind all others. */
  eventsToAll?: readonly DraftToAll[];
  /**
   * WITH items that write what the source remembers of the reports, of the statement that appends the events: either both are there or
   * none.
   */
  remember: readonly Sql[];
  /** False where more is left than one step does. */
  complete?: boolean;
}

export const NOTHING: Compared = { events: [], remember: [] };
