import type pg from "pg";
import { revokeKey } from "../../../src/auth/keys-admin.ts";
import { createPool, prismaOn } from "../../../src/db/client.ts";
import type { PrismaClient } from "../../../src/db/generated/client.ts";
import { inTransaction } from "../../../src/db/transaction.ts";
import { cancelNotice, insertNotice } from "../../../src/market/status/notice-store.ts";
import { activeSecrets, type CreateOptions, createBoundKey } from "./secrets.ts";

export interface OperatorOptions extends Omit<CreateOptions, "prisma"> {
  /** Of the operator's role. */
  databaseUrl: string;
}

/** A key as scripts use it. */
export interface StoredKey {
  apiKey: string;
  /** The present one. */
  apiSecret: string;
  access: string;
  chainId: number;
  productType: string;
  /** Lower case. */
  userAddress: string | null;
  expiresAt: Date | null;
}

/** State of chain and market data as the log reports it (docs/events.md#the-state-of-the-service). */
export interface ReportedStatus {
  marketDataHealth: unknown;
  reportedAt: Date | null;
  holdSeconds: number;
}

/** Creates what an operator does in production, by the operator's role. */
export function createOperator({ databaseUrl, ...options }: OperatorOptions) {
  const connect = <T>(work: (database: { pool: pg.Pool; prisma: PrismaClient }) => Promise<T>): Promise<T> =>
    withDatabase(databaseUrl, work);
  return {
    /** Makes a WRITABLE key that is bound to a user. */
    makeKey: (chainId: number, userAddress: string) =>
      connect(({ prisma }) => createBoundKey({ ...options, prisma }, chainId, userAddress)),
    revokeKey: (apiKey: string) => connect(({ prisma }) => revokeKey({ prisma, actor: "sandbox" }, apiKey)),
    /** Returns an active key, with the first of its scopes; null where there is none. */
    findKey: (apiKey: string) => connect(({ prisma }) => findKey({ ...options, prisma }, apiKey)),
    /** Sets the end of a key, or that it has none. */
    setKeyEnd: (apiKey: string, expiresAt: Date | null) =>
      connect(async ({ prisma }) => {
        await prisma.apiKey.updateMany({ where: { apiKey }, data: { expiresAt } });
      }),
    /** Announces maintenance. @returns the id of the notice */
    announce: (notice: { chainId: number; startsAt: Date; endsAt: Date; text: string }) =>
      connect(async ({ pool }) => (await inTransaction(pool, (tx) => insertNotice(tx, notice))).noticeId),
    cancelNotice: (noticeId: string) =>
      connect(({ pool }) => inTransaction(pool, (tx) => cancelNotice(tx, noticeId))),
    /** Returns what the log has reported; null until the worker has observed something. */
    readStatus: (chainId: number, productType: string) =>
      connect(({ prisma }) => readStatus(prisma, chainId, productType)),
  };
}

export type Operator = ReturnType<typeof createOperator>;

/** A machine that runs a partner's tests is slow to connect. */
const CONNECTED_MS = 60_000;

async function withDatabase<T>(
  databaseUrl: string,
  work: (database: { pool: pg.Pool; prisma: PrismaClient }) => Promise<T>,
): Promise<T> {
  const options = { max: 1, connectTimeoutMs: CONNECTED_MS };
  const pool = createPool(databaseUrl, options);
  try {
    return await work({ pool, prisma: prismaOn(pool, options) });
  } finally {
    await pool.end();
  }
}

async function findKey(
  options: Pick<CreateOptions, "prisma" | "secrets">,
  apiKey: string,
): Promise<StoredKey | null> {
  const apiSecret = (await activeSecrets(options, [apiKey])).get(apiKey);
  if (apiSecret === undefined) return null;
  const { scopes, ...key } = await options.prisma.apiKey.findUniqueOrThrow({
    where: { apiKey },
    select: {
      access: true,
      userAddress: true,
      expiresAt: true,
      scopes: { select: { chainId: true, productType: true }, orderBy: { chainId: "asc" } },
    },
  });
  const [scope] = scopes;
  return scope ? { ...key, ...scope, apiKey, apiSecret } : null;
}

async function readStatus(
  prisma: PrismaClient,
  chainId: number,
  productType: string,
): Promise<ReportedStatus | null> {
  const row = await prisma.statusReport.findUnique({
    where: { chainId_productType: { chainId, productType } },
    select: { reported: true, reportedAt: true, holdSeconds: true },
  });
  if (!row) return null;
  const { reported, ...times } = row;
  return { ...times, marketDataHealth: Object(reported).marketDataHealth };
}
