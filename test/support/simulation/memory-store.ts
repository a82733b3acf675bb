import type { Hex } from "viem";
import { policySchema } from "../../../src/sending/outbox/policy-store.ts";
import { type Standing, WITHOUT_DELEGATION } from "../../../src/sending/sender/cancellation-store.ts";
import { LeaseLost } from "../../../src/sending/sender/lease.ts";
import type { SenderStore, SenderTx } from "../../../src/sending/sender/sender-store.ts";
import type { NewAttempt } from "../../../src/sending/sender/sign-store.ts";
import type { Attempt, InFlight } from "../../../src/sending/sender/store.ts";
import type { Wallet } from "../../../src/sending/sender/wallet.ts";
import type {
  AttemptRow,
  MemoryDatabase,
  RequestRow,
  Tables,
  Transaction,
  WalletRecord,
  Wish,
} from "./database.ts";
import type { Process } from "./scheduler.ts";

const DAY_MS = 86_400_000;
const NO_LOCKS = (): Wish[] => [];

export const walletLock = (address: Hex): string => `wallet ${address}`;
export const delegationLock = (user: Hex): string => `delegation ${user}`;
export const requestLock = (requestId: string): string => `request ${requestId}`;
const totalLock = (keyId: string): string => `signed ${keyId}`;

/** Keeps a worker's data in memory, by the rules of the statements in src/sending/sender: test/simulation compares the two. */
export function createMemoryStore(database: MemoryDatabase, process: Process | null): SenderStore {
  const nowMs = (): number => database.scheduler.nowMs;
  const find = (address: Hex): WalletRecord | undefined => database.get("wallets", address);
  const isHeld = (row: WalletRecord | undefined, { epoch, owner }: Wallet): boolean =>
    row?.leaseEpoch === epoch && row.leaseOwner === owner;
  const read = <T>(work: () => T): Promise<T> => database.autocommit(process, NO_LOCKS, work);
  const waiting = (address: Hex): RequestRow[] =>
    openRequests(database, address).filter(({ state }) => state === "accepted");

  const underLease: SenderStore["underLease"] = async (wallet, work) => {
    const { address } = wallet.signer;
    const transaction = database.begin(process);
    const row = await database.statement(
      transaction,
      () => (isHeld(find(address), wallet) ? [{ key: walletLock(address) }] : []),
      () => {
        const found = find(address);
        if (!found || !isHeld(found, wallet))
          throw new LeaseLost(`wallet ${address} is driven by another worker`);
        return walletRow(found);
      },
    );
    const result = await work(createMemoryTx(database, transaction), row).catch((error: unknown) => {
      database.rollback(transaction);
      throw error;
    });
    await database.commit(transaction);
    return result;
  };

  return {
    underLease,
    registerWallet: (_chainId, address) =>
      database.autocommit(process, NO_LOCKS, (transaction) => {
        if (find(address)) return;
        transaction.put("wallets", address, newWallet(address));
      }),
    takeLease: async (_chainId, address, owner, leaseMs) => {
      let beganMs = 0;
      const isFree = (row: WalletRecord | undefined): row is WalletRecord =>
        row !== undefined &&
        (row.leaseOwner === null || (row.leaseUntilMs ?? 0) < beganMs || row.leaseOwner === owner);
      return database.autocommit(
        process,
        () => {
          beganMs = nowMs();
          return isFree(find(address)) ? [{ key: walletLock(address) }] : [];
        },
        (transaction) => {
          const row = find(address);
          if (!isFree(row)) return null;
          const isOwn = row.leaseOwner === owner && (row.leaseUntilMs ?? 0) >= beganMs;
          const leaseEpoch = row.leaseEpoch + (isOwn ? 0n : 1n);
          const leaseUntilMs = beganMs + leaseMs;
          transaction.put("wallets", address, { ...row, leaseEpoch, leaseOwner: owner, leaseUntilMs });
          return leaseEpoch;
        },
      );
    },
    renewLease: (wallet, leaseMs) =>
      database.autocommit(process, NO_LOCKS, (transaction) => {
        const { address } = wallet.signer;
        const row = find(address);
        if (!row || !isHeld(row, wallet) || (row.leaseUntilMs ?? 0) < nowMs()) return false;
        if (database.isLocked(walletLock(address))) return false;
        transaction.put("wallets", address, { ...row, leaseUntilMs: nowMs() + leaseMs });
        return true;
      }),
    releaseLease: async (wallet) => {
      const { address } = wallet.signer;
      await database.autocommit(
        process,
        () => (isHeld(find(address), wallet) ? [{ key: walletLock(address) }] : []),
        (transaction) => {
          const row = find(address);
          if (row && isHeld(row, wallet))
            transaction.put("wallets", address, { ...row, leaseOwner: null, leaseUntilMs: null });
        },
      );
    },
    readWallet: (wallet) =>
      read(() => {
        const { address } = wallet.signer;
        const row = find(address);
        if (!row || !isHeld(row, wallet))
          throw new LeaseLost(`wallet ${address} is driven by another worker`);
        const states = new Set(openRequests(database, address).map(({ state }) => state));
        return {
          row: walletRow(row),
          hasAccepted: states.has("accepted"),
          hasUnmined: states.has("reserved") || states.has("signed") || states.has("broadcast"),
          hasMined: states.has("mined"),
          isHalted: database.get("halts", "halt") !== undefined,
        };
      }),
    recordObservation: ({ wallet }) =>
      read(() => {
        const { address } = wallet.signer;
        return isHeld(find(address), wallet) && !database.isLocked(walletLock(address));
      }),
    readTracked: ({ signer }, states = ["signed", "broadcast", "mined"]) => {
      if (states.length === 0) return Promise.resolve({ unmined: [], mined: [] });
      return read(() => {
        const tracked = openRequests(database, signer.address)
          .filter(({ state, nonce }) => states.includes(storedStateOf(state)) && nonce !== null)
          .map((row) => ({ ...toSendRow(row), attempts: [] }) as unknown as InFlight)
          .sort((a, b) => Number(a.nonce - b.nonce));
        const unmined = tracked.filter(({ state }) => state !== "mined");
        for (const request of unmined) request.attempts.push(...attemptsOf(database, request.requestId));
        return { unmined, mined: tracked.filter(({ state }) => state === "mined") };
      });
    },
    loadAttempts: (request) => {
      if (request.attempts.length > 0) return Promise.resolve();
      return read(() => {
        request.attempts.push(...attemptsOf(database, request.requestId));
      });
    },
    readCandidates: ({ signer }, unixSeconds, limit) =>
      read(() =>
        waiting(signer.address)
          .filter((request) => {
            const key = database.get("keys", request.keyId);
            if (request.deadline !== null && request.deadline < unixSeconds) return true;
            if (isDisabled(database, request)) return true;
            if (request.operation === "1ct/disable") return false;
            return key?.isRevoked || key?.policy?.killed || !find(signer.address)?.assignable;
          })
          .slice(0, limit)
          .map(toSendRow),
      ),
    nextAccepted: ({ signer }, gasAtMost, except, roundRobin, limit) =>
      read(() => {
        const all = waiting(signer.address);
        const keys = [...new Set(all.map(({ keyId }) => keyId))];
        const share = Math.ceil(limit / Math.max(keys.length, 1));
        const place = (keyId: string): number => roundRobin.indexOf(keyId);
        const turns = keys.flatMap((keyId) => {
          const own = all.filter(
            (request) =>
              request.keyId === keyId && request.gasLimit <= gasAtMost && !except.includes(request.requestId),
          );
          const first = own[0]?.sequence ?? 0;
          return own.slice(0, share).map((request, turn) => ({ request, turn, first }));
        });
        return turns
          .sort(
            (a, b) => a.turn - b.turn || place(a.request.keyId) - place(b.request.keyId) || a.first - b.first,
          )
          .slice(0, limit)
          .map(({ request }) => ({ ...toSendRow(request), isLimited: isLimited(database, request.keyId) }));
      }),
    findAbove: ({ signer }, gas) =>
      read(() => {
        const found = waiting(signer.address).find(({ gasLimit }) => gasLimit > gas);
        return found ? { requestId: found.requestId, gasLimit: found.gasLimit } : null;
      }),
    findOwner: ({ signer }, nonce) =>
      read(() => {
        for (const { wallet, nonce: own, requestId, state } of database.all("requests"))
          if (wallet === signer.address && own === nonce)
            return { requestId, hasEnded: ["final", "failed", "canceled"].includes(state) };
        return null;
      }),
    setWalletState: (wallet, state, stateReason) =>
      underLease(wallet, (tx) => (tx as MemoryTx).setWalletState(wallet.signer.address, state, stateReason)),
  };
}

interface MemoryTx extends SenderTx {
  setWalletState(address: Hex, state: WalletRecord["state"], stateReason: string | null): Promise<void>;
}

function createMemoryTx(database: MemoryDatabase, tx: Transaction): MemoryTx {
  const write = (work: () => void): Promise<void> => database.statement(tx, NO_LOCKS, work);
  const nowMs = (): number => database.scheduler.nowMs;
  const updateAll = (requestIds: readonly string[], columns: Partial<RequestRow>): void => {
    for (const requestId of requestIds)
      if (tx.get("requests", requestId)) tx.update("requests", requestId, columns);
  };
  const inStates = (requestIds: readonly string[], ...states: RequestRow["state"][]): string[] =>
    requestIds.filter((requestId) => states.some((state) => state === tx.get("requests", requestId)?.state));
  const updateAttempts = (requestIds: readonly string[], columns: Partial<AttemptRow>): void => {
    for (const requestId of requestIds)
      for (const hash of database.attemptsOf.get(requestId) ?? []) tx.update("attempts", hash, columns);
  };
  const lockIn = (
    state: RequestRow["state"],
    requestIds: readonly string[],
  ): Promise<Map<string, Standing>> => {
    // As the statement's snapshot has them, whatever is committed while it waits for locks.
    let standings = new Map<string, Standing>();
    const found = (): RequestRow[] =>
      requestIds
        .flatMap((requestId) => tx.get("requests", requestId) ?? [])
        .filter((row) => row.state === state)
        .sort((a, b) => a.sequence - b.sequence);
    return database.statement(
      tx,
      () => {
        const rows = found();
        standings = new Map(rows.map((request) => [request.requestId, standingOf(database, request)]));
        return rows.map(({ requestId }) => ({ key: requestLock(requestId) }));
      },
      () =>
        new Map(
          found().flatMap(({ requestId }) => {
            const standing = standings.get(requestId);
            return standing ? [[requestId, standing] as const] : [];
          }),
        ),
    );
  };
  const insert = (address: Hex, attempts: readonly NewAttempt[]): Attempt[] => {
    for (const attempt of attempts.toSorted((a, b) => Number(a.nonce - b.nonce))) {
      if (tx.get("attempts", attempt.hash)) throw new ConstraintViolated("send_attempt_hash");
      if (tx.get("requests", attempt.requestId)?.nonce !== attempt.nonce)
        throw new ConstraintViolated("send_attempt_request_id_chain_id_wallet_nonce_fkey");
      tx.put("attempts", attempt.hash, {
        ...attempt,
        ...UNSENT,
        attemptId: `${database.next()}`,
        wallet: address,
      });
    }
    return attempts.flatMap(({ hash }) => {
      const row = tx.get("attempts", hash);
      return row ? [toAttempt(row)] : [];
    });
  };
  return {
    isHalted: () => database.statement(tx, NO_LOCKS, () => database.get("halts", "halt") !== undefined),
    initializeNonce: ({ signer }, nextNonce) =>
      write(() => {
        if (tx.get("wallets", signer.address)?.nextNonce === null)
          tx.update("wallets", signer.address, { nextNonce });
      }),
    setWalletState: (address, state, stateReason) =>
      write(() => tx.update("wallets", address, { state, stateReason })),
    lockDelegations: (scopes) => {
      if (scopes.length === 0) return Promise.resolve();
      const users = [...new Set(scopes.map(({ user }) => user))].sort();
      return database.statement(
        tx,
        () => users.map((user) => ({ key: delegationLock(user), isShared: true })),
        () => undefined,
      );
    },
    unblockDelegation: ({ user }, epoch) => {
      const isOf = (): boolean => tx.get("delegations", user)?.epoch === epoch;
      return database.statement(
        tx,
        () => (isOf() ? [{ key: delegationLock(user) }] : []),
        () => {
          if (isOf()) tx.update("delegations", user, { blocked: false });
        },
      );
    },
    lockAccepted: (requestIds) => lockIn("accepted", requestIds),
    lockReserved: (requestIds) => lockIn("reserved", requestIds),
    lockSignedToday: (keyIds) => {
      if (keyIds.length === 0) return Promise.resolve(new Map());
      return database.statement(
        tx,
        () => [...keyIds].sort().map((keyId) => ({ key: totalLock(keyId) })),
        () => new Map(keyIds.map((keyId) => [keyId, lockedTotal(database, tx, keyId, nowMs())])),
      );
    },
    endRequest: (requestId, { state, errCode, revert = null, reason }) =>
      write(() => updateAll([requestId], { state, errCode, revert, reason, operationKey: null })),
    endFilled: (requestId, { state, errCode, reason }) =>
      write(() => {
        const ids = tx.get("requests", requestId)?.minedFiller ? inStates([requestId], "mined") : [];
        updateAll(ids, { state, errCode, revert: null, reason, operationKey: null });
      }),
    reserveNonces: ({ signer }, requests, { maxFeePerGas, maxPriorityFeePerGas }, notionals) => {
      const rows = requests.map(({ requestId }) => tx.get("requests", requestId));
      const keys = [...new Set(rows.flatMap((row) => row?.keyId ?? []))].sort();
      return database.statement(
        tx,
        () => keys.map((keyId) => ({ key: totalLock(keyId), isShared: true })),
        () => {
          for (const [index, { requestId, nonce }] of requests.entries()) {
            const signedNotional = notionals[index] ?? null;
            tx.update("requests", requestId, {
              state: "reserved",
              nonce,
              reservedMaxFee: maxFeePerGas,
              reservedTip: maxPriorityFeePerGas,
              signedAtMs: nowMs(),
              signedNotional,
            });
            const keyId = tx.get("requests", requestId)?.keyId ?? "";
            const counted = signedNotional ?? tx.get("requests", requestId)?.notional ?? null;
            const total = tx.get("totals", keyId);
            if (counted !== null && total?.day === Math.floor(nowMs() / DAY_MS))
              tx.put("totals", keyId, { ...total, total: total.total + counted });
          }
          const nextNonce = tx.get("wallets", signer.address)?.nextNonce ?? 0n;
          tx.update("wallets", signer.address, { nextNonce: nextNonce + BigInt(requests.length) });
        },
      );
    },
    storeSigned: ({ signer }, attempts) =>
      database.statement(tx, NO_LOCKS, () => {
        const standing = attempts.filter(({ requestId, nonce }) => {
          const row = tx.get("requests", requestId);
          return row?.state === "reserved" && row.nonce === nonce;
        });
        for (const { requestId, kind, hash } of standing)
          tx.update("requests", requestId, {
            state: "signed",
            reservedMaxFee: null,
            reservedTip: null,
            txHash: kind === "call" ? hash : null,
          });
        return insert(
          signer.address,
          standing.toSorted((a, b) => Number(a.nonce - b.nonce)),
        );
      }),
    insertAttempts: ({ signer }, attempts) =>
      database.statement(tx, NO_LOCKS, () => {
        const isAny = attempts.some(({ requestId }) => tx.get("requests", requestId)?.state === "reserved");
        if (isAny) throw new ConstraintViolated("an attempt was not stored");
        return insert(signer.address, attempts);
      }),
    pointTo: (requests) =>
      write(() => {
        for (const { requestId, hash: txHash } of requests) updateAll([requestId], { txHash });
      }),
    makeAllDue: (requestIds) =>
      write(() =>
        updateAttempts(requestIds, { lastBroadcastMs: null, firstBroadcastMs: null, answer: null }),
      ),
    storeFillReason: (requestId, fillReason) =>
      write(() => {
        if (tx.get("requests", requestId)?.fillReason === null) updateAll([requestId], { fillReason });
      }),
    storeResults: (outcomes, atMs) =>
      write(() => {
        const byId = new Map<string, AttemptRow>();
        for (const hash of hashesOf(database, tx)) {
          const attempt = tx.get("attempts", hash);
          if (attempt) byId.set(attempt.attemptId, attempt);
        }
        for (const { attemptId, isFresh, answer, isBroadcast } of outcomes) {
          const attempt = byId.get(attemptId);
          if (!attempt) continue;
          const counted = answer === "refused" ? attempt.refusals + 1 : attempt.refusals;
          tx.put("attempts", attempt.hash, {
            ...attempt,
            broadcasts: attempt.broadcasts + 1,
            taken: attempt.taken + (isFresh ? 1 : 0),
            answer,
            refusals: answer === "taken" ? 0 : counted,
            firstBroadcastMs: attempt.firstBroadcastMs ?? atMs,
            lastBroadcastMs: atMs,
          });
          const { requestId } = attempt;
          if (isBroadcast && tx.get("requests", requestId)?.state === "signed")
            updateAll([requestId], { state: "broadcast" });
        }
      }),
    storeMinedRows: (mined) =>
      write(() => {
        for (const { requestId, block, blockHash, success, filler, errCode, revert } of mined)
          updateAll(inStates([requestId], "signed", "broadcast", "mined"), {
            state: "mined",
            minedBlock: block,
            minedBlockHash: blockHash,
            minedSuccess: success,
            minedFiller: filler,
            errCode: errCode as RequestRow["errCode"],
            revert,
          });
      }),
    storeReorgedRows: async (requestIds) => {
      await write(() => updateAll(inStates(requestIds, "mined"), REORGED));
      await write(() => updateAttempts(requestIds, FORGOTTEN));
    },
    storeFinalRows: (requestIds) =>
      write(() => {
        for (const requestId of inStates(requestIds, "mined")) {
          const row = tx.get("requests", requestId);
          if (!row) continue;
          const hadEnded =
            row.operation === "1ct/disable" && row.minedSuccess === false && row.revert === "NotDelegatee";
          tx.put("requests", requestId, {
            ...row,
            state: "final",
            outcome: row.minedSuccess || hadEnded ? "confirmed" : "reverted",
            errCode: hadEnded ? null : row.errCode,
            reason: hadEnded ? "the delegation had ended already" : row.reason,
            operationKey: row.minedSuccess ? row.operationKey : null,
          });
        }
      }),
  };
}

/** A reserved request is stored as signed. */
const storedStateOf = (state: RequestRow["state"]): RequestRow["state"] =>
  state === "reserved" ? "signed" : state;

/** A constraint of the tables refuses a write. */
export class ConstraintViolated extends Error {}

const UNSENT = {
  broadcasts: 0,
  taken: 0,
  refusals: 0,
  answer: null,
  firstBroadcastMs: null,
  lastBroadcastMs: null,
} as const;

const FORGOTTEN = {
  firstBroadcastMs: null,
  lastBroadcastMs: null,
  taken: 0,
  refusals: 0,
  answer: null,
} as const;

const REORGED = {
  state: "broadcast",
  minedBlock: null,
  minedBlockHash: null,
  minedSuccess: null,
  minedFiller: null,
  errCode: null,
  revert: null,
} as const;

export const newWallet = (address: Hex): WalletRecord => ({
  address,
  assignable: true,
  nextNonce: null,
  state: "active",
  stateReason: null,
  leaseOwner: null,
  leaseEpoch: 0n,
  leaseUntilMs: null,
});

const walletRow = ({ nextNonce, state, stateReason }: WalletRecord) => ({ nextNonce, state, stateReason });

/** Requests of a wallet that are not ended, in the order of arrival. */
function openRequests(database: MemoryDatabase, address: Hex): RequestRow[] {
  return [...(database.openOf.get(address) ?? [])]
    .flatMap((requestId) => database.get("requests", requestId) ?? [])
    .sort((a, b) => a.sequence - b.sequence);
}

function toSendRow(row: RequestRow) {
  const {
    sequence: _sequence,
    operationKey: _key,
    signedNotional: _notional,
    signedAtMs: _at,
    ...sendRow
  } = row;
  return sendRow;
}

function toAttempt({ requestId: _request, wallet: _wallet, nonce: _nonce, ...attempt }: AttemptRow): Attempt {
  return attempt;
}

/** Attempts of a request, oldest first. */
export function attemptsOf(database: MemoryDatabase, requestId: string): Attempt[] {
  return (database.attemptsOf.get(requestId) ?? [])
    .flatMap((hash) => database.get("attempts", hash) ?? [])
    .sort((a, b) => Number(a.attemptId) - Number(b.attemptId))
    .map(toAttempt);
}

/** Hashes of all attempts at requests that a transaction's wallet has open. */
function* hashesOf(database: MemoryDatabase, tx: Transaction): Iterable<string> {
  for (const lock of tx.locks) {
    if (!lock.startsWith("wallet ")) continue;
    const address = lock.slice("wallet ".length) as Hex;
    for (const requestId of database.openOf.get(address) ?? [])
      yield* database.attemptsOf.get(requestId) ?? [];
  }
}

function isLimited(database: MemoryDatabase, keyId: string): boolean {
  const policy = database.get("keys", keyId)?.policy;
  return policy != null && (policy.dailyNotionalCap !== null || policy.allowedSymbols.length > 0);
}

function isDisabled(database: MemoryDatabase, { operation, user, keyId }: RequestRow): boolean {
  return !WITHOUT_DELEGATION.includes(operation) && !isEnabled(database, user, keyId);
}

/** Returns true where a key's enable is in force (delegation/enable-store.ts). */
export function isEnabled(database: MemoryDatabase, user: Hex, keyId: string): boolean {
  const delegation = database.get("delegations", user);
  if (!delegation || delegation.blocked) return false;
  const enables: { keyId: string; epoch: number | null; nonce: number; succeeded: boolean }[] = [];
  for (const requestId of database.enables) {
    const row = database.get("requests", requestId);
    if (!row || row.user !== user || row.operationKey === null) continue;
    const isMined = row.state === "mined" && row.minedSuccess === true && row.minedFiller !== true;
    enables.push({
      keyId: row.keyId,
      epoch: row.delegationEpoch,
      nonce: Number(row.operationKey.split(":")[2]),
      succeeded: isMined || row.outcome === "confirmed",
    });
  }
  const newest = Math.max(...enables.map(({ nonce, succeeded }) => nonce + (succeeded ? 1 : 0)));
  return enables.some((enable) => {
    if (enable.keyId !== keyId || !enable.succeeded || enable.epoch !== delegation.epoch) return false;
    const since = enables.filter(({ nonce, succeeded }) => succeeded && nonce >= enable.nonce).length;
    return since === newest - enable.nonce;
  });
}

function standingOf(database: MemoryDatabase, request: RequestRow): Standing {
  const key = database.get("keys", request.keyId);
  const isDisable = request.operation === "1ct/disable";
  return {
    disabled: isDisabled(database, request),
    retired: !(database.get("wallets", request.wallet)?.assignable ?? true),
    revoked: key?.isRevoked ?? false,
    killed: key?.policy?.killed ?? false,
    foreign: !isDisable && (!key?.isWritable || key.user !== request.user),
    policy: key?.policy ? policyOf(key) : null,
  };
}

const policyOf = ({ policy }: Tables["keys"]): Standing["policy"] =>
  policySchema.parse({
    ...policy,
    dailyNotionalCap: policy?.dailyNotionalCap?.toString() ?? null,
    expiresAtMs: policy?.expiresAtMs == null ? null : new Date(policy.expiresAtMs),
  });

/** Returns what a key has signed today, as policy-store.ts counts it, and begins the count of a day. */
function lockedTotal(database: MemoryDatabase, tx: Transaction, keyId: string, nowMs: number): bigint {
  const today = Math.floor(nowMs / DAY_MS);
  const rows = [...(database.ofKey.get(keyId) ?? [])]
    .flatMap((requestId) => tx.get("requests", requestId) ?? [])
    .filter(({ signedAtMs }) => signedAtMs !== null && signedAtMs >= today * DAY_MS);
  const sum = (some: readonly RequestRow[]): bigint =>
    some.reduce((total, { signedNotional, notional }) => total + (signedNotional ?? notional ?? 0n), 0n);
  const known = tx.get("totals", keyId);
  const total = known && known.day >= today ? known.total : sum(rows);
  if (!known || known.day < today) tx.put("totals", keyId, { day: today, total });
  const returned = rows.filter(
    ({ notional, outcome, state, minedFiller }) =>
      notional !== null &&
      (outcome === "reverted" || ((state === "failed" || state === "canceled") && minedFiller)),
  );
  return total - sum(returned);
}
