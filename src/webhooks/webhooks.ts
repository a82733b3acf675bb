import { randomUUID } from "node:crypto";
import type { Caller } from "../auth/caller.ts";
import { sealSecret } from "../auth/secrets.ts";
import type { Deps } from "../context/deps.ts";
import { refuse } from "../context/input/fields.ts";
import { inTransaction } from "../db/transaction.ts";
import { ApiError } from "../protocol/errors.ts";
import type { CreateInput, RotateInput, WebhookInput } from "./input.ts";
import { requireNotPaused, toPausedRefusal } from "./pause.ts";
import { presentWebhook } from "./present.ts";
import { newWebhookSecret } from "./sign.ts";
import {
  type Client,
  countSigning,
  enableWebhook,
  endSecrets,
  insertSecret,
  insertWebhook,
  lockOwner,
  lockWebhook,
  markDeleted,
  type Owner,
  readPaused,
  readWebhook,
  readWebhooks,
  type WebhookRow,
} from "./store.ts";
import { parseTarget, resolveTarget } from "./target.ts";

/** Maximum number of webhooks of a key in a scope. */
const WEBHOOKS_MAX = 10;
/** Maximum number of secrets of a webhook that sign at once: each is a signature in a header. */
const SECRETS_MAX = 5;

type WebhookDeps = Pick<Deps, "pool" | "webhooks">;

/** GET /webhooks: the webhooks of the calling key in this scope. */
export async function listWebhooks({ pool }: WebhookDeps, caller: Caller) {
  return { rows: (await readWebhooks(pool, caller)).map(presentWebhook) };
}

/**
 * POST /webhooks. The same URL and types again answer the webhook that exists, without its secret: a repeated request makes no
 * second one, whose deliveries would come twice. A pause by the operator holds for its host: the key makes no other webhook there.
 * @throws ApiError VALIDATION_FAILED, WEBHOOK_TARGET_REFUSED, POLICY_REFUSED (the operator paused one of this host)
 */
export async function createWebhook(deps: WebhookDeps, caller: Caller, input: CreateInput) {
  const url = parseTarget(input.url, deps.webhooks);
  await resolveTarget(url, deps.webhooks);
  const target = { url: url.href, types: input.types };
  const made = await inTransaction(deps.pool, async (client) => {
    await lockOwner(client, caller);
    const existing = await readWebhooks(client, caller);
    const same = existing.find((row) => row.url === target.url && row.types === target.types);
    if (same) return { webhook: presentWebhook(same), secret: null };
    const refusal = toPausedRefusal(await readPaused(client, caller), url);
    if (refusal) return refusal;
    if (existing.length >= WEBHOOKS_MAX)
      return refuse(null, `A key has at most ${WEBHOOKS_MAX} webhooks in a scope: delete one first`);
    const webhookId = randomUUID();
    await insertWebhook(client, caller, { webhookId, ...target });
    const secret = await giveSecret(deps, client, webhookId);
    return { webhook: presentWebhook(await requireWebhook(client, caller, webhookId)), secret };
  });
  if (made instanceof ApiError) throw made;
  return made;
}

/** DELETE /webhooks/{webhookId}. @throws ApiError WEBHOOK_NOT_FOUND, POLICY_REFUSED (its pause would end with it) */
export async function deleteWebhook({ pool }: WebhookDeps, caller: Caller, { webhookId }: WebhookInput) {
  requireNotPaused(await requireWebhook(pool, caller, webhookId));
  return inTransaction(pool, async (client) => {
    const row = await lockExisting(client, caller, webhookId);
    requireNotPaused(row);
    await markDeleted(client, webhookId);
    return presentWebhook(row);
  });
}

/**
 * POST /webhooks/{webhookId}/rotate. Every secret of the webhook signs until the overlap ends, so a repeated request, whose first
 * answer was lost, breaks no receiver.
 * @throws ApiError WEBHOOK_NOT_FOUND, VALIDATION_FAILED
 */
export async function rotateWebhook(deps: WebhookDeps, caller: Caller, input: RotateInput) {
  const { webhookId, overlapSeconds } = input;
  await requireWebhook(deps.pool, caller, webhookId);
  const rotated = await inTransaction(deps.pool, async (client) => {
    await lockExisting(client, caller, webhookId);
    const signing = await countSigning(client, webhookId);
    if (overlapSeconds > 0 && signing >= SECRETS_MAX) return null;
    await endSecrets(client, webhookId, overlapSeconds);
    const secret = await giveSecret(deps, client, webhookId);
    return { webhook: presentWebhook(await requireWebhook(client, caller, webhookId)), secret };
  });
  if (!rotated)
    throw refuse("overlapSeconds", `must be 0: ${SECRETS_MAX} secrets sign already, and 0 ends them`);
  return rotated;
}

/** POST /webhooks/{webhookId}/enable. @throws ApiError WEBHOOK_NOT_FOUND, POLICY_REFUSED (the operator paused it) */
export async function enable({ pool }: WebhookDeps, caller: Caller, { webhookId }: WebhookInput) {
  requireNotPaused(await requireWebhook(pool, caller, webhookId));
  return inTransaction(pool, async (client) => {
    const row = await lockExisting(client, caller, webhookId);
    requireNotPaused(row);
    if (row.disabledReason !== null) await enableWebhook(client, webhookId);
    return presentWebhook(await requireWebhook(client, caller, webhookId));
  });
}

/** @throws ApiError WEBHOOK_NOT_FOUND */
export async function requireWebhook(client: Client, owner: Owner, webhookId: string): Promise<WebhookRow> {
  const row = await readWebhook(client, owner, webhookId);
  if (!row) throw new ApiError("WEBHOOK_NOT_FOUND", { param: "webhookId" });
  return row;
}

/**
 * Locks a webhook, and reads its current state. A failed transaction loses its connection, so callers check first that the
 * webhook exists.
 * @throws ApiError WEBHOOK_NOT_FOUND
 */
async function lockExisting(
  client: Parameters<typeof lockWebhook>[0],
  owner: Owner,
  webhookId: string,
): Promise<WebhookRow> {
  await lockWebhook(client, owner, webhookId);
  return requireWebhook(client, owner, webhookId);
}

/** @returns the secret, which is stored sealed */
async function giveSecret(
  { webhooks }: WebhookDeps,
  client: Parameters<typeof insertSecret>[0],
  webhookId: string,
): Promise<string> {
  const secret = newWebhookSecret();
  await insertSecret(client, webhookId, sealSecret(webhooks.keys, webhookId, secret));
  return secret;
}
