/** SQLSTATEs of a server that cannot do its work, in words that name what to look at: not the statement is at fault. */
const CAUSES = {
  "53100": "disk full",
  "53200": "out of memory",
  "53300": "too many connections",
  "53400": "limit of its configuration",
  "58030": "input/output error",
  "25006": "read only",
} as const;

export type ServerCause = (typeof CAUSES)[keyof typeof CAUSES];

export const SERVER_CAUSES: readonly ServerCause[] = Object.values(CAUSES);

/** Returns what a SQLSTATE says of the server, or null where it says nothing of it. */
export function serverCauseOf(sqlState: unknown): ServerCause | null {
  return typeof sqlState === "string" && sqlState in CAUSES ? CAUSES[sqlState as keyof typeof CAUSES] : null;
}

/** An error of Prisma, which has PostgreSQL's SQLSTATE deep inside, and a code of its own. */
interface PrismaFailure {
  meta?: { driverAdapterError?: { cause?: { originalCode?: unknown } } };
}

/** Returns the same of an error that `pg` or Prisma threw. */
export const serverCauseIn = (error: object): ServerCause | null =>
  serverCauseOf(Reflect.get(error, "code")) ??
  serverCauseOf((error as PrismaFailure).meta?.driverAdapterError?.cause?.originalCode);
