import { z } from "zod";
import type { Deps } from "../context/deps.ts";
import { openCursor, sealCursor } from "../context/input/list.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import type { Prisma, PrismaClient } from "../db/generated/client.ts";
import { sliceOf, toConnection } from "./connection.ts";
import {
  chainsOf,
  parseDeliveries,
  parseDeliveryId,
  parseWebhookId,
  parseWebhooks,
  type WebhookListInput,
} from "./input.ts";

/** Webhooks of all API keys, with their deliveries. */

type Args = Record<string, unknown>;

const SHOWN = {
  webhookId: true,
  keyId: true,
  chainId: true,
  productType: true,
  url: true,
  types: true,
  createdAt: true,
  disabledReason: true,
  disabledAt: true,
  failingSince: true,
  deletedAt: true,
} as const satisfies Prisma.WebhookSelect;

type Row = Prisma.WebhookGetPayload<{ select: typeof SHOWN }>;
export type PresentedWebhook = ReturnType<typeof present>;

function present({ url, deletedAt, ...row }: Row) {
  return {
    ...row,
    // The rest of a URL may hold a token.
    host: new URL(url).host,
    state: stateOf({ ...row, deletedAt }),
    createdAt: seconds(row.createdAt),
    disabledAt: seconds(row.disabledAt),
    failingSince: seconds(row.failingSince),
  };
}

function stateOf({
  deletedAt,
  disabledReason,
  failingSince,
}: Pick<Row, "deletedAt" | "disabledReason" | "failingSince">) {
  if (deletedAt) return "deleted";
  if (disabledReason !== null) return "disabled";
  return failingSince ? "failing" : "enabled";
}

/** Returns the same as a condition; a test holds the two together. */
const STATES: Readonly<Record<NonNullable<WebhookListInput["state"]>, Prisma.WebhookWhereInput>> = {
  enabled: { disabledReason: null, failingSince: null },
  failing: { disabledReason: null, failingSince: { not: null } },
  disabled: { disabledReason: { not: null } },
};

const seconds = <T extends Date | null>(date: T) =>
  (date && Math.floor(date.getTime() / 1000)) as T extends Date ? number : number | null;

const WEBHOOKS = { list: "dashboard webhooks", chainId: null, productType: null };
const webhookPosition = z.tuple([z.int().min(0).max(8.64e15), z.uuid()]);

/** GraphQL `Dashboard.webhooks`, newest first. @throws ApiError VALIDATION_FAILED */
export async function listWebhooks(deps: Deps, args: Args) {
  const input = parseWebhooks(args);
  const { keyId, productType, state } = input;
  const where: Prisma.WebhookWhereInput = {
    chainId: { in: chainsOf(deps, input) },
    deletedAt: null,
    ...(keyId === undefined ? {} : { keyId }),
    ...(productType === undefined ? {} : { productType }),
    ...(state === undefined ? {} : STATES[state]),
  };
  const rows = await withDatabaseErrors(() =>
    deps.prisma.webhook.findMany({
      select: SHOWN,
      where: { AND: [where, olderThan(input.after)] },
      orderBy: [{ createdAt: "desc" }, { webhookId: "desc" }],
      take: input.first + 1,
    }),
  );
  const cursorOf = ({ createdAt, webhookId }: Row) => sealCursor(WEBHOOKS, [createdAt.getTime(), webhookId]);
  const slice = sliceOf(rows, input.first, cursorOf, present);
  return toConnection(slice, input, () => withDatabaseErrors(() => deps.prisma.webhook.count({ where })));
}

function olderThan(after: string | undefined): Prisma.WebhookWhereInput {
  if (after === undefined) return {};
  const [createdMs, webhookId] = openCursor(WEBHOOKS, after, "after", webhookPosition);
  const createdAt = new Date(createdMs);
  return { OR: [{ createdAt: { lt: createdAt } }, { createdAt, webhookId: { lt: webhookId } }] };
}

/** GraphQL `Dashboard.webhook`; null where there is none. @throws ApiError VALIDATION_FAILED */
export async function getWebhook(deps: Pick<Deps, "prisma">, args: Args): Promise<PresentedWebhook | null> {
  const webhookId = parseWebhookId(args);
  return (await readWebhooks(deps, [webhookId])).get(webhookId) ?? null;
}

/** Reads webhooks by their ids, in one round. */
export async function readWebhooks(
  { prisma }: { prisma: PrismaClient },
  webhookIds: readonly string[],
): Promise<ReadonlyMap<string, PresentedWebhook>> {
  const rows = await withDatabaseErrors(() =>
    prisma.webhook.findMany({ select: SHOWN, where: { webhookId: { in: [...webhookIds] } } }),
  );
  return new Map(rows.map((row) => [row.webhookId, present(row)]));
}

const DELIVERY = {
  deliveryId: true,
  webhookId: true,
  eventId: true,
  eventType: true,
  sequence: true,
  eventAt: true,
  state: true,
  attempts: true,
  nextAt: true,
  lastAttemptAt: true,
  lastStatusCode: true,
  lastError: true,
  lastDurationMs: true,
  endedAt: true,
} as const satisfies Prisma.WebhookDeliverySelect;

type DeliveryRow = Prisma.WebhookDeliveryGetPayload<{ select: typeof DELIVERY }>;

const presentDelivery = ({ nextAt, ...row }: DeliveryRow) => ({
  ...row,
  sequence: Number(row.sequence),
  eventAt: seconds(row.eventAt),
  nextAttemptAt: seconds(nextAt),
  lastAttemptAt: seconds(row.lastAttemptAt),
  endedAt: seconds(row.endedAt),
});

const deliveryPosition = z.tuple([z.string().regex(/^\d{1,18}$/)]);

/** GraphQL `Dashboard.deliveries`, newest event first. @throws ApiError VALIDATION_FAILED */
export async function listDeliveries({ prisma }: Pick<Deps, "prisma">, args: Args) {
  const { webhookId, state, first, after } = parseDeliveries(args);
  const name = { list: `dashboard deliveries ${webhookId}`, chainId: null, productType: null };
  const where = { webhookId, ...(state === undefined ? {} : { state }) };
  const before = after === undefined ? null : openCursor(name, after, "after", deliveryPosition)[0];
  const rows = await withDatabaseErrors(() =>
    prisma.webhookDelivery.findMany({
      select: DELIVERY,
      where: { ...where, ...(before === null ? {} : { sequence: { lt: BigInt(before) } }) },
      orderBy: { sequence: "desc" },
      take: first + 1,
    }),
  );
  const slice = sliceOf(
    rows,
    first,
    ({ sequence }) => sealCursor(name, [sequence.toString()]),
    presentDelivery,
  );
  return toConnection(slice, { after }, () =>
    withDatabaseErrors(() => prisma.webhookDelivery.count({ where })),
  );
}

/** GraphQL `Dashboard.delivery`; null where there is none. @throws ApiError VALIDATION_FAILED */
export async function getDelivery({ prisma }: Pick<Deps, "prisma">, args: Args) {
  const deliveryId = parseDeliveryId(args);
  const row = await withDatabaseErrors(() =>
    prisma.webhookDelivery.findFirst({ select: DELIVERY, where: { deliveryId } }),
  );
  return row && presentDelivery(row);
}
