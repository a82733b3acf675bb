import { withDatabaseErrors } from "../db/errors.ts";
import type { PrismaClient } from "../db/generated/client.ts";
import { ApiError } from "../protocol/errors.ts";

/** Recorded transactions of one key that no node has known yet: each is looked for over 24 hours. */
const UNKNOWN_MAX = 1_000;
/** Nodes know in seconds what is really sent. */
const RETRY_AFTER_SECONDS = 60;

/**
 * Refuses a transaction that no node knows, where the key has recorded too many of them: anybody can make up hashes, and
 * each costs a row and looks at a node.
 * @throws ApiError RATE_LIMITED while the key has too many of them
 */
export async function requireRecordingQuota(prisma: PrismaClient, keyId: string): Promise<void> {
  const where = { keyId, state: "pending", source: "recorded", lastSeenAt: null } as const;
  const unknown = await withDatabaseErrors(() => prisma.transactionClaim.count({ where, take: UNKNOWN_MAX }));
  if (unknown < UNKNOWN_MAX) return;
  throw new ApiError("RATE_LIMITED", {
    message: "Too many recorded transactions of this API key are known to no node yet",
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
