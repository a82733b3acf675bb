import { z } from "zod";
import type { Deps } from "../../context/deps.ts";
import { openCursor, sealCursor } from "../../context/input/list.ts";
import { withDatabaseErrors } from "../../db/errors.ts";
import type { Prisma, RequestLog } from "../../db/generated/client.ts";
import { sliceOf, toConnection } from "../connection.ts";
import { chainsOf, parseRequests, parseUuid, type RequestListInput } from "../input.ts";

/** Reads requests that are kept for the dashboard. */

const NAME = { list: "dashboard requests", chainId: null, productType: null };
const positionSchema = z.tuple([z.int().min(0).max(8.64e15), z.uuid()]);

const present = ({ at, ...row }: RequestLog) => ({ ...row, at: Math.floor(at.getTime() / 1000) });

/** GraphQL `Dashboard.requests`, newest first. @throws ApiError VALIDATION_FAILED */
export async function listRequests(deps: Deps, args: Record<string, unknown>) {
  const input = parseRequests(args);
  const where = filter(deps, input);
  const rows = await withDatabaseErrors(() =>
    deps.prisma.requestLog.findMany({
      where: { AND: [where, behind(input.after)] },
      orderBy: [{ at: "desc" }, { uuid: "desc" }],
      take: input.first + 1,
    }),
  );
  const cursorOf = ({ at, uuid }: RequestLog) => sealCursor(NAME, [at.getTime(), uuid]);
  const slice = sliceOf(rows, input.first, cursorOf, present);
  return toConnection(slice, input, () => withDatabaseErrors(() => deps.prisma.requestLog.count({ where })));
}

/** GraphQL `Dashboard.request`; null where it is not kept. @throws ApiError VALIDATION_FAILED */
export async function getRequest({ prisma }: Pick<Deps, "prisma">, args: Record<string, unknown>) {
  const uuid = parseUuid(args);
  const row = await withDatabaseErrors(() => prisma.requestLog.findFirst({ where: { uuid } }));
  return row && present(row);
}

function filter(deps: Deps, input: RequestListInput): Prisma.RequestLogWhereInput {
  const { keyId, productType, route, errCode, outcome, from, to } = input;
  const exact = { keyId, productType, route, errCode };
  return {
    chainId: { in: chainsOf(deps, input) },
    ...Object.fromEntries(Object.entries(exact).filter(([, value]) => value !== undefined)),
    ...(outcome === undefined ? {} : { status: outcome === "refused" ? { gte: 400 } : { lt: 400 } }),
    at: {
      ...(from === undefined ? {} : { gte: new Date(from * 1000) }),
      ...(to === undefined ? {} : { lt: new Date((to + 1) * 1000) }),
    },
  };
}

function behind(after: string | undefined): Prisma.RequestLogWhereInput {
  if (after === undefined) return {};
  const [atMs, uuid] = openCursor(NAME, after, "after", positionSchema);
  const at = new Date(atMs);
  // The first condition follows from the others, and has PostgreSQL begin there in its index.
  return { at: { lte: at }, OR: [{ at: { lt: at } }, { uuid: { lt: uuid } }] };
}
