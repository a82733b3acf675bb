import { z } from "zod";
import type { Deps } from "../context/deps.ts";
import { openCursor, sealCursor } from "../context/input/list.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import type { Prisma } from "../db/generated/client.ts";
import { EVENT_RESOURCES, EVENT_TYPES } from "../protocol/enums.ts";
import { sliceOf, toConnection } from "./connection.ts";
import { chainsOf, type EventListInput, parseEvents } from "./input.ts";

/** The log of events of all API keys. */

const SHOWN = {
  keyId: true,
  chainId: true,
  productType: true,
  eventId: true,
  sequence: true,
  type: true,
  resource: true,
  createdAt: true,
  blockNumber: true,
  txHash: true,
  retracts: true,
  data: true,
} as const satisfies Prisma.LoggedEventSelect;

type Row = Prisma.LoggedEventGetPayload<{ select: typeof SHOWN }>;

const wordsSchema = z.object({ type: z.enum(EVENT_TYPES), resource: z.enum(EVENT_RESOURCES) });

function present({ keyId, chainId, productType, ...row }: Row) {
  const event = {
    ...row,
    ...wordsSchema.parse(row),
    sequence: Number(row.sequence),
    createdAt: Math.floor(row.createdAt.getTime() / 1000),
    blockNumber: row.blockNumber === null ? null : Number(row.blockNumber),
  };
  return { keyId, chainId, productType, event };
}

const NAME = { list: "dashboard events", chainId: null, productType: null };
const positionSchema = z.tuple([z.int().min(0).max(8.64e15), z.uuid()]);

/** GraphQL `Dashboard.events`, newest first. @throws ApiError VALIDATION_FAILED */
export async function listEvents(deps: Deps, args: Record<string, unknown>) {
  const input = parseEvents(args);
  const where = await filter(deps, input);
  const rows = await withDatabaseErrors(() =>
    deps.prisma.loggedEvent.findMany({
      select: SHOWN,
      where: { AND: [where, behind(input.after)] },
      orderBy: [{ createdAt: "desc" }, { eventId: "desc" }],
      take: input.first + 1,
    }),
  );
  const cursorOf = ({ createdAt, eventId }: Row) => sealCursor(NAME, [createdAt.getTime(), eventId]);
  const slice = sliceOf(rows, input.first, cursorOf, present);
  return toConnection(slice, input, () => withDatabaseErrors(() => deps.prisma.loggedEvent.count({ where })));
}

async function filter(deps: Deps, input: EventListInput): Promise<Prisma.LoggedEventWhereInput> {
  const { keyId, productType, types, objectId, eventId } = input;
  const chainId = { in: chainsOf(deps, input) };
  return {
    chainId,
    ...(keyId === undefined ? {} : { keyId }),
    ...(productType === undefined ? {} : { productType }),
    ...(eventId === undefined ? {} : { eventId }),
    ...(types === undefined ? {} : { type: { in: types } }),
    ...(objectId === undefined ? {} : await aboutObject(deps, chainId, objectId)),
  };
}

/** Filters the events of one object: reads only the logs of keys that see it. */
async function aboutObject(
  { prisma }: Deps,
  chainId: { in: number[] },
  objectId: string,
): Promise<Prisma.LoggedEventWhereInput> {
  const select = { keyId: true, chainId: true, productType: true } as const;
  const [orders, operations] = await withDatabaseErrors(() =>
    Promise.all([
      prisma.keyOrder.findMany({ select, where: { chainId, orderId: objectId } }),
      prisma.keyOperation.findMany({ select, where: { chainId, operationId: objectId } }),
    ]),
  );
  const named = ["orderId", "operationId"].map((field) => ({ data: { path: [field], equals: objectId } }));
  return { AND: [{ OR: [...orders, ...operations] }, { OR: named }] };
}

function behind(after: string | undefined): Prisma.LoggedEventWhereInput {
  if (after === undefined) return {};
  const [createdMs, eventId] = openCursor(NAME, after, "after", positionSchema);
  const createdAt = new Date(createdMs);
  // The first condition is implied by the others, and lets PostgreSQL begin there in its index.
  return {
    createdAt: { lte: createdAt },
    OR: [{ createdAt: { lt: createdAt } }, { eventId: { lt: eventId } }],
  };
}
