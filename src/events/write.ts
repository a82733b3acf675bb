import { randomUUID } from "node:crypto";
import type pg from "pg";
import { resolveScope } from "../chain/clients.ts";
import { type Claim, presentMapping } from "../claims/mapping.ts";
import type { Deps } from "../context/deps.ts";
import { inTransaction } from "../db/transaction.ts";
import { RESOURCES } from "../operations/kinds.ts";
import { presentOperation } from "../operations/present.ts";
import { type MappedOperation, parseOperationRow } from "../operations/store.ts";
import { presentOrder } from "../orders/present.ts";
import { parseOrderRow } from "../orders/store.ts";
import { ApiError } from "../protocol/errors.ts";
import {
  type ChainState,
  createEventChain,
  type Due,
  readChainState,
  readChanged,
  readDifferent,
  readDue,
} from "./changes-store.ts";
import { type CurrentRow, compare, type RowName } from "./compare.ts";
import { append, lockLog } from "./log-store.ts";
import { causeOfOrder, operationEventOf, orderEventOf } from "./name.ts";
import {
  hashOf,
  parseLogColumns,
  readAffected,
  readCurrent,
  readObjects,
  readRemembered,
} from "./rows-store.ts";

type WriteDeps = Pick<Deps, "pool" | "log" | "deployments" | "chains">;

export interface WriterOptions {
  /** How often everything that is not final is compared again, milliseconds: a reorg may have left no other trace. */
  verifyMs?: number;
  onAppended?: (chainId: number, events: number) => void;
}

/** Limits of one transaction: it takes a fraction of a second, so that nobody waits for long. */
const BATCH_MAX = 300;
const VERIFY_MS = 2_000;

/** What one process knows of a chain between runs; it only saves work. */
interface Pass {
  verifiedAtMs: number;
  /** The block that was final when everything behind it was last compared again. */
  verified: bigint;
  /** While everything is compared again: the transaction behind which that goes on, and the block that is final. */
  after: string;
  safe: bigint | null;
}

const NEW_PASS: Pass = { verifiedAtMs: Number.NEGATIVE_INFINITY, verified: 0n, after: "", safe: null };

/** What to compare in one transaction. */
interface Work {
  hashes: readonly string[];
  due: Due;
  block: bigint;
  verified: bigint;
  complete: boolean;
}

/**
 * Creates the consumer of indexed blocks that writes the log of events (docs/events.md). A run may die at any point, and two
 * may run at once: each transaction reads under a lock of the chain's log what holds now and what was said last.
 */
export function createEventWriter(deps: WriteDeps, options: WriterOptions = {}) {
  const passes = new Map<number, Pass>();
  const run = async (chainId: number): Promise<{ complete: boolean }> => {
    const pass = passes.get(chainId) ?? { ...NEW_PASS };
    passes.set(chainId, pass);
    try {
      return { complete: await writeEvents(deps, chainId, pass, options) };
    } catch (error) {
      // What the pass had found may not have been written.
      passes.delete(chainId);
      if (!(error instanceof ApiError && error.errCode === "INDEXER_BEHIND")) throw error;
      return { complete: true };
    }
  };
  // One after the other on a chain: what one run has found is not written before its transaction is committed.
  const latest = new Map<number, Promise<unknown>>();
  return (chainId: number): Promise<{ complete: boolean }> => {
    const next = (latest.get(chainId) ?? Promise.resolve()).then(() => run(chainId));
    latest.set(
      chainId,
      next.catch(() => undefined),
    );
    return next;
  };
}

/** @returns false where more is left than one transaction does */
async function writeEvents(
  deps: WriteDeps,
  chainId: number,
  pass: Pass,
  { verifyMs = VERIFY_MS, onAppended }: WriterOptions,
): Promise<boolean> {
  const state = await readChainState(deps.pool, chainId);
  if (!state) return true;
  if (!state.log) {
    await createEventChain(deps.pool, chainId, state);
    return false;
  }
  const work = await findWork(deps, chainId, { ...state, log: state.log }, pass, verifyMs);
  if (!work) return true;
  const appended = await inTransaction(deps.pool, (client) => tell(deps, client, chainId, work));
  if (appended > 0) onAppended?.(chainId, appended);
  return work.complete;
}

type Begun = ChainState & { log: NonNullable<ChainState["log"]> };

/** Returns null where nothing has to be compared. */
async function findWork(
  { pool, deployments }: WriteDeps,
  chainId: number,
  state: Begun,
  pass: Pass,
  verifyMs: number,
): Promise<Work | null> {
  const { log, latest } = state;
  const products = deployments.chains.find((chain) => chain.chainId === chainId)?.products ?? [];
  const from = latest < log.block ? latest : log.block;
  const range = { chainId, products: products.map(({ productType }) => productType), from, latest };
  const changed = await readChanged(pool, { ...range, max: BATCH_MAX });
  const due = await readDue(pool, chainId, BATCH_MAX);
  const isDue = latest < log.block || pass.safe !== null || performance.now() - pass.verifiedAtMs >= verifyMs;
  if (pass.verified < log.verified) pass.verified = log.verified;
  const different = isDue ? await verify(pool, chainId, state, pass) : [];
  const hashes = [...new Set([...changed.hashes, ...different])];
  const block = changed.to;
  const { verified } = pass;
  const hasMoved = block > log.block + MOVED_MAX || verified > log.verified + MOVED_MAX || block < log.block;
  if (hashes.length === 0 && due.ids.length === 0 && !hasMoved) return null;
  const complete = changed.complete && due.ids.length < BATCH_MAX && pass.safe === null;
  return { hashes, due, block, verified, complete };
}

/** Blocks without changes that are not written down one by one. */
const MOVED_MAX = 1_000n;

/** Compares the next part of what is not final. @returns transactions that the log remembers otherwise */
async function verify(pool: pg.Pool, chainId: number, { safe }: Begun, pass: Pass): Promise<string[]> {
  pass.safe ??= safe;
  const { verified, after } = pass;
  const hashes = await readDifferent(pool, { chainId, from: verified, after, max: BATCH_MAX });
  if (hashes.length === BATCH_MAX) {
    pass.after = hashes.at(-1) ?? "";
    return hashes;
  }
  Object.assign(pass, {
    ...{ after: "", safe: null, verifiedAtMs: performance.now() },
    verified: pass.safe > verified ? pass.safe : verified,
  });
  return hashes;
}

/** Compares what lists show now with what the log last said, and appends what differs. @returns how many events */
async function tell(deps: WriteDeps, client: pg.PoolClient, chainId: number, work: Work): Promise<number> {
  await lockLog(client, chainId);
  const { hashes, due, block, verified } = work;
  const claims = await readAffected(client, { chainId, hashes, claimIds: due.claimIds });
  const claimIds = [...claims.keys()];
  const current = await readRows(deps, client, chainId, claimIds);
  const remembered = await readRemembered(client, claimIds);
  const outcome = compare({
    current,
    remembered,
    seen: due.seen,
    newId: randomUUID,
    mappingOf: (row, objectId) => {
      const found = claims.get(row.claimId);
      if (!found) return null;
      const { claim, keyId } = found;
      const data = JSON.stringify(lastMapping(claim, row, objectId));
      return { keyId, productType: claim.product_type, txHash: claim.tx_hash, data };
    },
  });
  const transactions = [...new Set([...claims.values()].flatMap(({ claim }) => claim.tx_hash ?? []))];
  const objects = await readObjects(client, chainId, transactions);
  const owned = new Set(current.map(({ objectId }) => objectId));
  const unowned = objects.filter(({ objectId }) => !owned.has(objectId));
  const at = { chainId, due: due.ids, hashes: transactions, unowned, block, verified };
  return append(client, { ...outcome, ...at });
}

/** Returns the mapping of a row that is shown no more. */
function lastMapping(claim: Claim, { resource, ordinal }: RowName, objectId: string | null) {
  return {
    ...presentMapping(claim, null),
    mappingId: ordinal === 0 ? claim.claim_id : `${claim.claim_id}.${ordinal}`,
    orderId: resource === "orders" ? objectId : null,
    operationId: resource === "orders" ? null : objectId,
  };
}

async function readRows(
  deps: WriteDeps,
  client: pg.PoolClient,
  chainId: number,
  claimIds: readonly string[],
): Promise<CurrentRow[]> {
  const { orders, operations } = await readCurrent(client, chainId, claimIds);
  const rows = operations.map((row) => ({ row, mapped: parseOperationRow(row) }));
  const symbols = await readSymbols(
    deps,
    chainId,
    rows.map(({ mapped }) => mapped),
  );
  return [
    ...orders.map((row): CurrentRow => {
      const mapped = parseOrderRow(row);
      return {
        ...common(row, mapped.claim, presentOrder(mapped)),
        resource: "orders",
        ordinal: mapped.order?.ordinal ?? 0,
        objectId: mapped.order?.order_id ?? null,
        type: orderEventOf(mapped),
        causeTxHash: causeOfOrder(mapped),
      };
    }),
    ...rows.flatMap(({ row, mapped }): CurrentRow[] => {
      const { claim, operation } = mapped;
      const kind = operation?.kind ?? claim.operation_type;
      if (kind === "trade") return [];
      return [
        {
          ...common(row, claim, presentOperation(kind, mapped, symbols)),
          resource: RESOURCES[kind],
          ordinal: operation?.ordinal ?? 0,
          objectId: operation?.op_id ?? null,
          type: operationEventOf(mapped),
          causeTxHash: operation?.settle_tx_hash ?? claim.tx_hash,
        },
      ];
    }),
  ];
}

function common(row: Record<string, unknown>, claim: Claim, presented: object) {
  const { key_id, fingerprint, row_hash, changed_block } = parseLogColumns(row);
  const data = JSON.stringify(presented);
  return {
    claimId: claim.claim_id,
    keyId: key_id,
    productType: claim.product_type,
    txHash: claim.tx_hash,
    data,
    dataHash: hashOf(data),
    fingerprint,
    rowHash: row_hash,
    blockNumber: changed_block,
  };
}

/** A token's metadata is asked for once per process: where no node answers, what tells of a new token waits. */
async function readSymbols(deps: WriteDeps, chainId: number, rows: readonly MappedOperation[]) {
  const tokens = [...new Set(rows.flatMap(({ operation }) => operation?.token_address ?? []))];
  const productType = rows[0]?.claim.product_type;
  if (productType === undefined || tokens.length === 0) return new Map();
  return resolveScope(deps, { chainId, productType }).chain.tokens.metadata(tokens);
}
