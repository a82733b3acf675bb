import type { Command } from "commander";
import type pg from "pg";
import { z } from "zod";
import { parseEnv } from "../config/env.ts";
import { inTransaction } from "../db/transaction.ts";
import { lockAnyWebhook, pauseWebhook, readOverview } from "../webhooks/admin-store.ts";
import { readDelivery, revive } from "../webhooks/delivery-store.ts";
import { resealSecrets } from "../webhooks/reseal.ts";
import { enableWebhook } from "../webhooks/store.ts";
import { createCommand, operator, print, type Terminal, withEnvironment } from "./shared.ts";
import { insertAudit } from "./wallet-store.ts";

/** `partner-trading-admin webhooks ...`: where events of all keys are delivered to (docs/webhooks.md#operating). */
export function webhooksCommand(terminal: Terminal): Command {
  const webhooks = createCommand("webhooks", terminal).description("Where events of keys are delivered to");
  webhooks
    .command("list")
    .description(
      "Show every webhook, its key and its queue; of its URL the host alone, since the rest may be a credential",
    )
    .action(() => withEnvironment(terminal, ({ pool }) => listWebhooks(terminal, pool)));
  webhooks
    .command("pause <webhookId>")
    .description("Deliver nothing to a webhook until it is resumed; its key cannot enable it")
    .action((webhookId: string) =>
      withEnvironment(terminal, async ({ pool }) => {
        await change(pool, webhookId, "webhooks pause", async (tx) => {
          await pauseWebhook(tx, webhookId);
          return {};
        });
        print(terminal, `${webhookId} is paused`);
      }),
    );
  webhooks
    .command("resume <webhookId>")
    .description("Enable a webhook, and deliver what came meanwhile")
    .action((webhookId: string) =>
      withEnvironment(terminal, async ({ pool }) => {
        await change(pool, webhookId, "webhooks resume", async (tx) => {
          await enableWebhook(tx, webhookId);
          return {};
        });
        print(terminal, `${webhookId} is enabled`);
      }),
    );
  webhooks
    .command("redeliver <webhookId> [deliveryId]")
    .description("Deliver again one event, or all that are dead")
    .action((webhookId: string, deliveryId?: string) =>
      withEnvironment(terminal, ({ pool }) => redeliver(terminal, pool, webhookId, deliveryId ?? null)),
    );
  webhooks
    .command("reseal")
    .description("Seal all secrets under the first of WEBHOOK_KEYS, so that the others can be removed")
    .action(() => withEnvironment(terminal, ({ pool }) => reseal(terminal, pool)));
  return webhooks;
}

async function reseal(terminal: Terminal, pool: pg.Pool): Promise<void> {
  const { WEBHOOK_KEYS: keys } = parseEnv("cli webhooks", terminal.env);
  const secrets = await inTransaction(pool, async (tx) => {
    const resealed = await resealSecrets(tx, keys);
    const entry = { action: "webhooks reseal", subject: "webhooks" };
    await insertAudit(tx, { actor: operator(), ...entry, detail: { to: keys[0]?.id, secrets: resealed } });
    return resealed;
  });
  print(terminal, `${secrets} secrets sealed anew`);
}

async function listWebhooks(terminal: Terminal, pool: pg.Pool): Promise<void> {
  for (const webhook of await readOverview(pool)) {
    const { webhook_id, api_key, chain_id, product_type, url, disabled_reason, failing_since } = webhook;
    const since =
      failing_since === null ? "" : `, failing since ${new Date(failing_since * 1000).toISOString()}`;
    const state = disabled_reason === null ? "enabled" : `disabled (${disabled_reason})`;
    print(
      terminal,
      `${webhook_id}  ${api_key}  ${chain_id} ${product_type}  ${new URL(url).origin}  ${state}${since}  ` +
        `${webhook.pending} pending, ${webhook.dead} dead`,
    );
  }
}

async function redeliver(
  terminal: Terminal,
  pool: pg.Pool,
  webhookId: string,
  deliveryId: string | null,
): Promise<void> {
  if (deliveryId !== null) requireUuid(deliveryId);
  const { deliveries } = await change(pool, webhookId, "webhooks redeliver", async (tx) => {
    if (deliveryId !== null && !(await readDelivery(tx, webhookId, deliveryId)))
      throw new Error(`webhook ${webhookId} has no delivery ${deliveryId}`);
    return { deliveries: await revive(tx, webhookId, deliveryId), deliveryId };
  });
  print(terminal, `${deliveries} to be delivered again`);
}

/** Changes a webhook and audits that, in one transaction. @param work returns the entry's detail */
async function change<T extends object>(
  pool: pg.Pool,
  webhookId: string,
  action: string,
  work: (tx: pg.PoolClient) => Promise<T>,
): Promise<T> {
  requireUuid(webhookId);
  return inTransaction(pool, async (tx) => {
    if (!(await lockAnyWebhook(tx, webhookId))) throw new Error(`no webhook ${webhookId}`);
    const detail = await work(tx);
    await insertAudit(tx, { actor: operator(), action, subject: webhookId, detail });
    return detail;
  });
}

function requireUuid(text: string): void {
  if (!z.guid().safeParse(text).success) throw new Error(`${text} is no identifier`);
}
