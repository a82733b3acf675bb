import type pg from "pg";
import pino from "pino";
import type { z } from "zod";
import type { OutboxDeps } from "../../../src/sending/outbox/deps.ts";
import { type SendRow, sendSchema } from "../../../src/sending/outbox/rows.ts";
import { statementOf } from "../db/plans.ts";
import { UNSENT } from "./unsent.ts";

/** Returns the rows of a statement, or throws what the database would. */
export type Answer = (text: string, values: readonly unknown[]) => unknown[];

/** Returns a pool whose statements `answer` answers, on every connection. */
export function fakePool(answer: Answer): pg.Pool {
  const query = async (first: unknown, second: unknown = []) => {
    const { text, values } = statementOf(first, second) ?? { text: "", values: [] };
    const rows = answer(text, values);
    return { rows, rowCount: rows.length };
  };
  const ignore = () => undefined;
  const connect = async () => ({ query, release: ignore, on: ignore, off: ignore });
  return { query, connect } as unknown as pg.Pool;
}

/** Returns dependencies of the outbox, with a clock that only the test advances. */
export function fakeOutboxDeps(answer: Answer): { deps: OutboxDeps; clock: { nowMs: number } } {
  const clock = { nowMs: 1_000_000 };
  return {
    clock,
    deps: { pool: fakePool(answer), log: pino({ level: "silent" }), now: () => clock.nowMs },
  };
}

/** A request to send as PostgreSQL returns it, with the names that query.ts gives its columns. */
export type RawSendRow = z.input<typeof sendSchema>;

/** Makes a stored request to send. */
export function rawSend(more: Partial<RawSendRow> = {}): RawSendRow {
  return {
    requestId: "11111111-1111-4111-8111-111111111111",
    keyId: "k",
    chainId: 31337,
    productType: "Sandbox",
    operation: "orders/send",
    user: "0x01",
    wallet: "0x02",
    to: "0x03",
    data: Buffer.from("0102", "hex"),
    gasLimit: "100000",
    deadline: null,
    notional: null,
    inputHash: "0",
    ...UNSENT,
    acceptedAtMs: new Date(5),
    ...more,
  };
}

/** Returns a stored request as the code has it. */
export const toSendRow = (row: RawSendRow): SendRow => sendSchema.parse(row);
