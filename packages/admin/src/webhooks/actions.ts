import type pg from "pg";
import { parseEnv } from "../../../../src/config/env.ts";
import { inTransaction } from "../../../../src/db/transaction.ts";
import {
  lockAnyWebhook,
  pauseWebhook,
  readOverview,
  type WebhookOverview,
} from "../../../../src/webhooks/admin-store.ts";
import { readDelivery, revive } from "../../../../src/webhooks/delivery-store.ts";
import { resealSecrets } from "../../../../src/webhooks/reseal.ts";
import { enableWebhook } from "../../../../src/webhooks/store.ts";
import { insertAudit } from "../audit-store.ts";
import { withPool } from "../database.ts";
import { type Column, printDone, printJson, printTable } from "../output.ts";
import { note, operator, type Terminal } from "../terminal.ts";

interface JsonOption {
  json?: boolean;
}

export function list(terminal: Terminal, { json }: JsonOption): Promise<void> {
  return withPool(terminal, async (pool) => {
    const webhooks = (await readOverview(pool)).map(present);
    if (json) return printJson(terminal, webhooks);
    printTable(terminal, webhooks, COLUMNS, "There are no webhooks: partners make them with POST /webhooks.");
  });
}

function present(webhook: WebhookOverview) {
  const { url, failingSince, ...shown } = webhook;
  return {
    ...shown,
    // The rest of the URL may be a credential.
    origin: new URL(url).origin,
    failingSince: failingSince === null ? null : new Date(failingSince * 1_000).toISOString(),
  };
}

type WebhookEntry = ReturnType<typeof present>;

const COLUMNS: Column<WebhookEntry>[] = [
  { heading: "WEBHOOK", value: ({ webhookId }) => webhookId },
  { heading: "API KEY", value: ({ apiKey }) => apiKey },
  { heading: "SCOPE", value: ({ chainId, productType }) => `${chainId}:${productType}` },
  { heading: "ORIGIN", value: ({ origin }) => origin, shrinks: true },
  {
    heading: "STATE",
    value: ({ disabledReason }) => (disabledReason === null ? "enabled" : `disabled (${disabledReason})`),
  },
  { heading: "FAILING SINCE", value: ({ failingSince }) => failingSince },
  { heading: "PENDING", value: ({ pending }) => pending, align: "right" },
  { heading: "DEAD", value: ({ dead }) => dead, align: "right" },
];

export function pause(terminal: Terminal, webhookId: string, { json }: JsonOption): Promise<void> {
  return withPool(terminal, async (pool) => {
    let enabled: Awaited<ReturnType<typeof pauseWebhook>> = [];
    await change(pool, webhookId, "webhooks pause", async (tx) => {
      enabled = await pauseWebhook(tx, webhookId);
      return {};
    });
    printDone(terminal, { json, document: { webhookId }, line: `${webhookId} is paused` });
    for (const other of enabled)
      note(terminal, `warning: ${other.webhookId} of the same key leads to the same host, and is enabled`);
  });
}

export function resume(terminal: Terminal, webhookId: string, { json }: JsonOption): Promise<void> {
  return withPool(terminal, async (pool) => {
    await change(pool, webhookId, "webhooks resume", async (tx) => {
      await enableWebhook(tx, webhookId);
      return {};
    });
    printDone(terminal, { json, document: { webhookId }, line: `${webhookId} is enabled` });
  });
}

export function redeliver(
  terminal: Terminal,
  webhookId: string,
  deliveryId: string | null,
  { json }: JsonOption,
): Promise<void> {
  return withPool(terminal, async (pool) => {
    const { deliveries } = await change(pool, webhookId, "webhooks redeliver", async (tx) => {
      if (deliveryId !== null && !(await readDelivery(tx, webhookId, deliveryId)))
        throw new Error(`webhook ${webhookId} has no delivery ${deliveryId}`);
      return { deliveries: await revive(tx, webhookId, deliveryId), deliveryId };
    });
    const document = { webhookId, deliveryId, deliveries };
    printDone(terminal, { json, document, line: `${deliveries} to be delivered again` });
  });
}

export function reseal(terminal: Terminal, { json }: JsonOption): Promise<void> {
  const { WEBHOOK_KEYS: keys } = parseEnv("cli webhooks", terminal.env);
  return withPool(terminal, async (pool) => {
    const secrets = await inTransaction(pool, async (tx) => {
      const resealed = await resealSecrets(tx, keys);
      const entry = { action: "webhooks reseal", subject: "webhooks" };
      await insertAudit(tx, { actor: operator(), ...entry, detail: { to: keys[0]?.id, secrets: resealed } });
      return resealed;
    });
    printDone(terminal, { json, document: { secrets }, line: `${secrets} secrets sealed anew` });
  });
}

/** Changes a webhook and audits that, in one transaction. @param work returns the entry's detail */
function change<T extends object>(
  pool: pg.Pool,
  webhookId: string,
  action: string,
  work: (tx: pg.PoolClient) => Promise<T>,
): Promise<T> {
  return inTransaction(pool, async (tx) => {
    if (!(await lockAnyWebhook(tx, webhookId)))
      throw new Error(`there is no webhook ${webhookId}: \`webhooks list\` shows all`);
    const detail = await work(tx);
    await insertAudit(tx, { actor: operator(), action, subject: webhookId, detail });
    return detail;
  });
}
