import { getAddress } from "viem";
import type { Caller } from "../auth/caller.ts";
import { RATE_WINDOW_SECONDS } from "../auth/rate-limits.ts";
import type { Deps } from "../context/deps.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import { formatWad } from "../protocol/decimal.ts";
import type { ErrCode } from "../protocol/errors.ts";
import { readSpent } from "../sending/outbox/policy-store.ts";

/** GET /key: what the calling key is and may do, as of now. `remaining` and caps are mUSD, times Unix seconds. */
export async function getKey(deps: Deps, caller: Caller) {
  const { keyId } = caller;
  const key = await withDatabaseErrors(() =>
    deps.prisma.apiKey.findUniqueOrThrow({
      where: { keyId },
      select: {
        apiKey: true,
        name: true,
        access: true,
        userAddress: true,
        expiresAt: true,
        previousSecretUntil: true,
        scopes: {
          select: { chainId: true, productType: true },
          orderBy: [{ chainId: "asc" }, { productType: "asc" }],
        },
        policy: true,
      },
    }),
  );
  const { previousSecretUntil: until } = key;
  return {
    ...key,
    userAddress: key.userAddress && getAddress(key.userAddress),
    expiresAt: seconds(key.expiresAt),
    // The worker removes one that is over within a minute.
    previousSecretUntil: until && until.getTime() > deps.now() ? seconds(until) : null,
    limits: limitsOf(deps),
    policy: await policyOf(deps, keyId, key.policy),
    cancelAfter: await cancelAfterOf(deps, caller),
  };
}

const seconds = (time: Date | null | undefined): number | null =>
  time ? Math.floor(time.getTime() / 1000) : null;

/** Returns the switch of a key in the scope of its request; null where it was never armed. */
async function cancelAfterOf({ prisma }: Deps, { keyId, chainId, productType }: Caller) {
  const row = await withDatabaseErrors(() =>
    prisma.cancelAfter.findUnique({
      where: { keyId_chainId_productType: { keyId, chainId, productType } },
      select: { seconds: true, cancelAt: true, firedAt: true, requested: true, refused: true, errCode: true },
    }),
  );
  return (
    row && {
      ...row,
      cancelAt: seconds(row.cancelAt),
      firedAt: seconds(row.firedAt),
      // The job of src/orders/cancel-after-job.ts wrote it.
      errCode: row.errCode as ErrCode | null,
    }
  );
}

/** Returns the key's limits; a limit of 0 is none. */
function limitsOf({ limits }: Deps) {
  const { reads, writes, inFlight } = limits;
  return {
    windowSeconds: RATE_WINDOW_SECONDS,
    reads: reads || null,
    writes: writes || null,
    inFlight: inFlight || null,
  };
}

interface PolicyRow {
  dailyNotionalCap: { toFixed(): string } | null;
  allowedSymbols: string[];
  allowedOperations: string[];
  expiresAt: Date | null;
  killed: boolean;
}

/** Returns the key's policy; a key without one may send whatever its scope allows. */
async function policyOf({ pool }: Deps, keyId: string, row: PolicyRow | null) {
  const cap = row?.dailyNotionalCap ? BigInt(row.dailyNotionalCap.toFixed()) : null;
  return {
    dailyNotionalCap: cap === null ? null : formatWad(cap),
    remaining: cap === null ? null : formatWad(left(cap, await readSpent(pool, keyId))),
    allowedSymbols: row?.allowedSymbols ?? [],
    allowedOperations: row?.allowedOperations ?? [],
    expiresAt: seconds(row?.expiresAt),
    killed: row?.killed ?? false,
  };
}

/** Returns the rest of a cap, at least 0: it may have been lowered below what is spent. */
const left = (cap: bigint, spent: bigint): bigint => (spent < cap ? cap - spent : 0n);
