import { z } from "zod";
import { groups } from "./groups.ts";
import type { Exchange } from "./record.ts";

/** The fields of a request in answers of /send (docs/api.md#send-reply). */
const sendSchema = z.looseObject({
  requestId: z.string(),
  status: z.enum(["accepted", "submitted", "confirmed", "failed"]),
  final: z.boolean(),
  txHash: z.string().nullable(),
  errCode: z.string().nullable(),
  mapping: z.looseObject({ mappingId: z.string(), orderId: z.string().nullable() }).nullable(),
});
type Told = z.infer<typeof sendSchema>;

/** A call of a /send endpoint, and what it was answered of its request; null where it was refused or not answered. */
export interface Send {
  exchange: Exchange;
  told: Told | null;
}

export function sendsOf(history: readonly Exchange[]): Send[] {
  return history
    .filter(({ path }) => path.endsWith("/send"))
    .map((exchange) => ({
      exchange,
      told: exchange.answer?.code === 200 ? sendSchema.parse(exchange.answer.data) : null,
    }));
}

/** Returns the distinct calls of POST /orders/send that were taken, to be repeated until they are final. */
export function takenOrders(history: readonly Exchange[]): { body: unknown; idempotencyKey: string }[] {
  const taken = sendsOf(history).flatMap(({ exchange: { path, body, idempotencyKey }, told }) =>
    told && path === "/orders/send" && idempotencyKey ? [{ body, idempotencyKey }] : [],
  );
  return [...groups(taken, ({ idempotencyKey }) => idempotencyKey).values()].flatMap((calls) =>
    calls.slice(0, 1),
  );
}

/** Returns what contradicts one order of events among the calls of /send. */
export function sendFaults(sends: readonly Send[]): string[] {
  const ofKey = (name: string, keyOf: (exchange: Exchange) => string | null) =>
    [...groups(sends, ({ exchange }) => keyOf(exchange))].flatMap(([key, calls]) =>
      oneRequest(calls).map((fault) => `${name} ${key}: ${fault}`),
    );
  const requests = groups(sends, ({ told }) => told?.requestId ?? null);
  return [
    ...ofKey(
      "Idempotency-Key",
      ({ apiKey, idempotencyKey }) => idempotencyKey && `${apiKey}/${idempotencyKey}`,
    ),
    ...ofKey("clientOrderId", ({ apiKey, body }) => {
      const { clientOrderId } = (body ?? {}) as { clientOrderId?: string };
      return clientOrderId ? `${apiKey}/${clientOrderId}` : null;
    }),
    ...[...requests].flatMap(([requestId, calls]) =>
      oneCourse(calls).map((fault) => `request ${requestId}: ${fault}`),
    ),
    ...sharedBetween(sends, "transaction", ({ status, txHash }) => (status === "confirmed" ? txHash : null)),
    ...sharedBetween(sends, "order", ({ mapping }) => mapping?.orderId ?? null),
  ];
}

const inputOf = ({ method, path, body }: Exchange) => `${method} ${path} ${JSON.stringify(body)}`;

/** Calls under one key: every caller who was answered success made the same call and got one and the same request. */
function oneRequest(calls: readonly Send[]): string[] {
  const taken = calls.filter(({ told }) => told);
  const ids = new Set(taken.map(({ told }) => told?.requestId));
  const inputs = new Set(taken.map(({ exchange }) => inputOf(exchange)));
  const faults = [];
  if (ids.size > 1) faults.push(`${ids.size} requests`);
  if (inputs.size > 1) faults.push("different calls were taken as one");
  const [input] = inputs;
  // Once taken, the same call may meet a failure that passes, and never a refusal.
  const acceptedAt = Math.min(...taken.map(({ exchange }) => exchange.ended));
  for (const { exchange } of calls) {
    const { answer, began } = exchange;
    if (!answer || answer.code < 10_000 || began < acceptedAt || inputOf(exchange) !== input) continue;
    faults.push(`taken before, and then refused with ${answer.errCode}`);
  }
  return faults;
}

const RANK = { accepted: 0, submitted: 1, confirmed: 2, failed: 2 };

/**
 * Answers of one request, which has one owner and goes from accepted through submitted to one end: an answer never shows
 * an earlier state than one that ended before it was asked for.
 */
function oneCourse(calls: readonly Send[]): string[] {
  const faults: string[] = [];
  const all = calls.flatMap(({ exchange, told }) => (told ? [{ ...exchange, told }] : []));
  const distinct = (what: string, read: (told: Told) => string | null | undefined, among = all) => {
    const values = new Set(among.flatMap(({ told }) => read(told) ?? []));
    if (values.size > 1) faults.push(`${values.size} ${what}: ${[...values].join(", ")}`);
  };
  if (new Set(all.map(({ apiKey }) => apiKey)).size > 1) faults.push("told to several API keys");
  distinct("mappings", ({ mapping }) => mapping?.mappingId);
  distinct("order ids", ({ mapping }) => mapping?.orderId);
  const ends = all.filter(({ told }) => told.final);
  distinct("final states", ({ status, txHash, errCode }) => `${status} ${txHash} ${errCode}`, ends);
  distinct(
    "transactions",
    ({ txHash }) => txHash,
    all.filter(({ told }) => told.status === "confirmed"),
  );
  for (const { told } of ends) {
    if (RANK[told.status] < RANK.confirmed) faults.push(`final as ${told.status}`);
  }
  let seen = { rank: 0, final: false, sent: false };
  const past = [...all].sort((a, b) => a.ended - b.ended);
  for (const { began, told } of [...all].sort((a, b) => a.began - b.began)) {
    for (let next = past[0]; next && next.ended < began; next = past[0]) {
      past.shift();
      const { status, final, txHash } = next.told;
      seen = {
        rank: Math.max(seen.rank, RANK[status]),
        final: seen.final || final,
        sent: seen.sent || txHash !== null,
      };
    }
    if (RANK[told.status] < seen.rank) faults.push(`${told.status} after a later state`);
    if (seen.final && !told.final) faults.push("not final any more");
    if (seen.sent && told.txHash === null) faults.push("its transaction is gone");
  }
  return faults;
}

/** Returns what belongs to one request and was answered for several. */
function sharedBetween(sends: readonly Send[], what: string, keyOf: (told: Told) => string | null): string[] {
  const among = groups(sends, ({ exchange, told }) =>
    told && exchange.method === "POST" ? keyOf(told) : null,
  );
  return [...among].flatMap(([key, calls]) => {
    const ids = new Set(calls.map(({ told }) => told?.requestId));
    return ids.size > 1 ? [`${what} ${key} is of ${ids.size} requests`] : [];
  });
}
